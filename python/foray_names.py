"""Names of inputs and outputs for the importers of models, foray_fmu.py and foray_mesa.py."""


def free(name, taken):
    """A name that no other item has, which joins the set of lower-case names. Names in foray differ by more than case."""
    found, number = name, 2
    while found.lower() in taken:
        found, number = f"{name} ({number})", number + 1
    taken.add(found.lower())
    return found


def lines(names):
    """The text of a dict of Python with a line for each name."""
    return "{\n" + "".join(f"    {name!r}: {value!r},\n" for name, value in names.items()) + "}" if names else "{}"
