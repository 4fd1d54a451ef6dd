"""Runs a program that reads and writes text files: an input deck (docs/guides/import.md). It needs no packages.

    python foray_deck.py FOLDER     reads a checked deck.yaml as JSON from standard input, and prints its program as JSON

`foray models import` writes the model into a folder, with this file beside its sim.py. The folder `deck` has the files
for each run. A file with the ending .tpl is a template: {{Name}} is replaced by the value of the input, {{Name:10.4f}} by
the value in a format of Python. The command may have such tokens too.
"""

import csv
import io
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys

_TOKEN = re.compile(r"\{\{\s*([^{}:\n]+?)\s*(?::([^{}\n]*))?\}\}")
_WIDTH = re.compile(r"(?:.?[<>=^])?[-+ ]?z?#?0?(\d+)")
# a cell may be of any length
csv.field_size_limit(2**31 - 1)
# What a program prints on standard output is in this file. An output without a file is looked for here.
_PRINTED = "stdout.txt"
_TAKES = {
    "last": lambda values: values[-1],
    "first": lambda values: values[0],
    "min": min,
    "max": max,
    "sum": lambda values: math.fsum(values) if type(values[0]) is float else sum(values),
    "mean": lambda values: math.fsum(values) / len(values),
}
_CONVERSIONS = {"DOUBLE": lambda text: _number(text), "LONG": lambda value: _whole(value), "STRING": lambda value: _text(value)}


# ---------------------------------------------------------------- templates


def _filled(text, values, where):
    """Replaces the tokens of a text. A value that does not fit ends the run, with the reason."""
    try:
        return _TOKEN.sub(lambda token: _shown(values[token[1]], token, where), text)
    except ValueError as error:
        raise SystemExit(str(error)) from None


def _shown(value, token, where):
    """The text for a token. A value that is wider than its format would move all columns behind it."""
    name, spec = token[1], token[2]
    if value is None:
        raise ValueError(f'the input "{name}" has no file, and {where} needs one')
    if not spec:
        # a program that reads a whole number takes no 600.0
        return json.dumps(value).removesuffix(".0") if isinstance(value, (bool, float)) else str(value)
    try:
        text = format(value, spec)
    except ValueError as error:
        raise ValueError(f"{token[0]} in {where}: {error}") from None
    width = _WIDTH.match(spec)
    # a format such as 0.3f has no width
    if width and 0 < int(width[1]) < len(text):
        raise ValueError(f'the value {value!r} of "{name}" takes {len(text)} columns, but {token[0]} in {where} has {width[1]}')
    return text


def _key(name):
    """The name of an input in a token: {{RANDOM_SEED}} is the input {RANDOM_SEED}."""
    return name.strip("{}")


def _read(file):
    """The text of a template; bytes that are no UTF-8 stay as they are."""
    return file.read_bytes().decode("utf-8", "surrogateescape")


# ---------------------------------------------------------------- outputs


def _output(rule, folder):
    """The value of an output, which was found by its rule in a file of the folder."""
    name = rule.get("file", _PRINTED)
    file = folder / name
    if not file.is_file():
        wrote = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
        raise ValueError(f"the program did not write {name}; the files are {', '.join(wrote[:20])}")
    if _way(rule) is None:
        return name
    text = file.read_text(encoding="utf-8-sig", errors="surrogateescape")
    if "x" in rule:
        columns = [_column(text, rule[key], rule, name) for key in ("x", "csv")]
        x, y = ([_converted(_number, found, name) for found in column] for column in columns)
        return {"dataX": x, "dataY": y}
    found = _FOUND[_way(rule)](text, rule, name)
    take = rule.get("take", "last")
    if take == "count":
        return len(found)
    if not found:
        raise ValueError(f"{name} has no value for it")
    conversion = _CONVERSIONS[rule.get("type", "DOUBLE")]
    if take in ("last", "first"):
        return _converted(conversion, _TAKES[take](found), name)
    try:
        return _TAKES[take]([_converted(conversion, one, name) for one in found])
    except OverflowError:
        raise ValueError(f"the {take} of the values in {name} is too large") from None


def _way(rule):
    """How an output is found: a member of _FOUND, or None if it is the file itself."""
    return next((way for way in _FOUND if way in rule), None)


def _converted(conversion, found, name):
    where, value = found
    try:
        return conversion(value)
    except (TypeError, ValueError, OverflowError):
        kinds = {_CONVERSIONS["LONG"]: "whole number", _CONVERSIONS["STRING"]: "text in UTF-8"}
        raise ValueError(f"{name}, {where}: {value!r} is not a {kinds.get(conversion, 'finite number')}") from None


def _number(value):
    """A finite number. Fortran writes 1.5D-3, and 0.15-100 if the exponent has three digits."""
    if isinstance(value, str):
        value = re.sub(r"(\.\d*)([-+]\d{3})\s*$", r"\1e\2", value.replace("D", "E").replace("d", "e"))
    number = float(value)
    if not math.isfinite(number):
        raise ValueError
    return number


def _whole(value):
    """A whole number. JSON has 3.0 as well as 3, but int would make 3 of 3.7."""
    if isinstance(value, float) and not value.is_integer():
        raise ValueError
    return int(value)


def _text(value):
    """A text; anything else in JSON stays JSON. Bytes that are no UTF-8 would be other characters in the results."""
    text = value.strip() if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text.encode()
    return text


# A way to find an output returns the values with their places in the file.


def _matches(text, rule, name):
    """The first groups, or the whole texts, of all matches of an expression."""
    found = [(_line(text, match.start()), match[1 if match.re.groups else 0]) for match in _expression(rule).finditer(text)]
    if not found and rule.get("take") != "count":
        raise ValueError(f"{name} has {rule.get('after') or rule['regex']!r} nowhere in its {_lines(text)}")
    return found


def _expression(rule):
    """The expression of a rule. The n-th word after a text is an expression too."""
    if "regex" in rule:
        return re.compile(rule["regex"], re.MULTILINE)
    return re.compile(re.escape(rule["after"]) + r"(?=\s*" + r"\S+\s+" * (rule.get("word", 1) - 1) + r"(\S+))")


def _line(text, offset):
    return f"line {text.count(chr(10), 0, offset) + 1}"


def _lines(text):
    lines = text.splitlines()
    return f'{len(lines)} lines; the last one is "{lines[-1].strip()[:200]}"' if lines else "0 lines"


def _cells(text, rule, name):
    return _column(text, rule["csv"], rule, name)


def _column(text, column, rule, name):
    """The cells of a column, which has a name in the first line, or a number, from 1, in a table without names."""
    delimiter = rule.get("delimiter", ",")
    if delimiter == " ":
        rows = [line.split() for line in text.splitlines()]
    else:
        rows = csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True)
    # many programs end a file with a line of blanks
    table = [(f"line {number}", [cell.strip() for cell in row]) for number, row in enumerate(rows, 1) if len(row) > 1 or "".join(row).strip()]
    if isinstance(column, str):
        names = table.pop(0)[1] if table else []
        if column not in names:
            raise ValueError(f"{name} has no column {column!r}; its columns are {', '.join(names[:20])}")
        if names.count(column) > 1:
            raise ValueError(f"{name} has {names.count(column)} columns {column!r}; choose one by its number")
        at = names.index(column)
    else:
        at = column - 1
    short = next((where for where, row in table if len(row) <= at), None)
    if short:
        raise ValueError(f"{name}, {short}: there is no column {column!r}")
    return [(where, row[at]) for where, row in table]


def _path(text, rule, name):
    """The value at a path of JSON, or the values of a list there."""
    try:
        value, gone = json.loads(text), []
    except ValueError as error:
        raise ValueError(f"{name} is no JSON: {error}") from None
    for step in rule["json"].split("."):
        try:
            value = value[int(step)] if isinstance(value, list) else value[step]
        except (IndexError, KeyError, TypeError, ValueError):
            raise ValueError(f'{name} has no "{step}" at {".".join(gone) or "its top"}') from None
        gone.append(step)
    return [(rule["json"], one) for one in (value if isinstance(value, list) else [value])]


def _elements(text, rule, name):
    """The attribute (a/b/@c) or the text (a/b) of all elements at a path of XML."""
    import xml.etree.ElementTree as tree

    path, _, attribute = rule["xml"].partition("/@")
    above = tree.Element("")  # a path finds only what is below an element, and the root belongs to the document
    try:
        above.append(tree.fromstring(text.encode("utf-8", "surrogateescape")))
        elements = above.findall(f".//{path}")
    except tree.ParseError as error:
        raise ValueError(f"{name} is no XML: {error}") from None
    values = [element.get(attribute) if attribute else element.text for element in elements]
    found = [(f"<{path}> {number}", value) for number, value in enumerate(values, 1) if value is not None]
    if not found and rule.get("take") != "count":
        raise ValueError(f"{name} has no {rule['xml']}")
    return found


_FOUND = {"regex": _matches, "after": _matches, "csv": _cells, "json": _path, "xml": _elements}


# ---------------------------------------------------------------- runs


def serve(command, outputs):
    """Runs the command for each run of foray, in a working folder with the files of the folder `deck` beside this file."""
    import foray_model

    deck = pathlib.Path(__file__).resolve().parent / "deck"
    files = [file.relative_to(deck) for file in sorted(deck.rglob("*")) if file.is_file()]
    templates = {file: _read(deck / file) for file in files if file.suffix == ".tpl"}

    def run(inputs):
        values = {_key(name): value for name, value in inputs.items()}
        here = pathlib.Path.cwd()
        for file in files:
            target = here / (file.with_suffix("") if file in templates else file)
            target.parent.mkdir(parents=True, exist_ok=True)
            if target.exists():
                raise SystemExit(f"the input file {target.name} has the name of a file of the deck; give it another name")
            if file in templates:
                filled = _filled(templates[file], values, str(file.with_suffix("")))
                target.write_bytes(filled.encode("utf-8", "surrogateescape"))
                shutil.copymode(deck / file, target)
            else:
                shutil.copy(deck / file, target)
        words = [_filled(word, values, "the command") for word in command]
        if words[0] in ("python3", "python"):
            words[0] = sys.executable  # the same environment as that of the model
        with open(here / _PRINTED, "wb") as printed:
            ended = subprocess.run(words, stdout=printed)
        if ended.returncode:
            sys.stderr.write((here / _PRINTED).read_text(encoding="utf-8", errors="replace"))
            how = f"exit code {ended.returncode}" if ended.returncode > 0 else f"the signal {-ended.returncode}"
            raise SystemExit(f"{command[0]} ended with {how}; the log has what it printed")
        return {name: _named(name, rule, here) for name, rule in outputs.items()}

    foray_model.serve(run)


def _named(name, rule, folder):
    """The value of an output. An error names the output."""
    try:
        return _output(rule, folder)
    except (OSError, ValueError, csv.Error) as error:
        raise SystemExit(f'the output "{name}" was not found: {error}') from None


# ---------------------------------------------------------------- the import


class _Mistake(Exception):
    """A mistake in a deck, at a path of deck.yaml or at a place in a template."""


def _tokens(deck, folder):
    """The tokens of the templates and of the command, each with its place."""
    for text, where in _texts(deck, folder):
        for token in _TOKEN.finditer(text):
            yield token, where(token.start())


def _texts(deck, folder):
    """The texts that may have tokens: of the templates and of the command. Each with a function from an offset to its place."""
    for name in deck["files"]:
        if name.endswith(".tpl"):
            text = _read(folder / name)
            yield text, lambda at, name=name, text=text: {"place": _place(name, text, at)}
    for at, word in enumerate(deck["command"]):
        yield word, lambda _, at=at: {"path": ["command", at]}


def _place(name, text, at):
    begin = text.rfind("\n", 0, at) + 1
    line = text[begin:].split("\n", 1)[0].rstrip("\r")
    return {"file": name, "line": text.count("\n", 0, at) + 1, "column": at - begin + 1, "text": line}


def _check_ends(texts, inputs):
    """Refuses {{ and the name of an input without an end. Other braces belong to the program."""
    names = "|".join(re.escape(name) for name in sorted(inputs, key=len, reverse=True))
    for text, where in texts if inputs else []:
        whole = {token.start() for token in _TOKEN.finditer(text)}
        for begin in re.finditer(r"\{\{\s*(" + names + r")(?!\w)", text):
            if begin.start() not in whole:
                hint = f"Write {{{{{begin[1]}}}}}, or {{{{{begin[1]}:10.4f}}}} with a format."
                raise _Mistake({"problem": f'The token "{begin[0]}" has no end', "hint": hint, **where(begin.start())})


def _check_tokens(deck, folder):
    inputs = {_key(item["name"]): item for item in deck["inputs"]}
    used = set()
    _check_ends(_texts(deck, folder), inputs)
    for token, where in _tokens(deck, folder):
        name, spec = token[1], token[2]
        item = inputs.get(name)
        if item is None:
            hint = "The seed is {{RANDOM_SEED}}, with an input {RANDOM_SEED}." if name.lower() == "seed" else None
            raise _Mistake({"problem": f'{token[0]} names no input: "{name}" is not declared', "hint": hint, **where})
        used.add(name)
        default = item["default"]
        try:
            if spec:
                # a run gets the name of a file
                kinds = {"DOUBLE": float, "LONG": int, "INPUT_FILE": lambda _: "x"}
                _shown(kinds.get(item["type"], lambda given: given)(default), token, "the template")
        except ValueError as error:
            raise _Mistake({"problem": f"{token[0]} does not fit the default of the input: {error}", **where}) from None
    for at, item in enumerate(deck["inputs"]):
        if _key(item["name"]) not in used:
            message = f'The input "{item["name"]}" is in no template and not in the command'
            raise _Mistake({"problem": message, "hint": f"Write {{{{{_key(item['name'])}}}}} where its value belongs.", "path": ["inputs", at]})


def _check_expressions(deck):
    for at, rule in enumerate(deck["outputs"]):
        try:
            groups = _expression(rule).groups if "regex" in rule else 1
        except re.error as error:
            raise _Mistake({"problem": f"The expression is wrong: {error}", "path": ["outputs", at, "regex"]}) from None
        if "xml" in rule:
            _check_path(rule["xml"], ["outputs", at, "xml"])
        if groups > 1:
            raise _Mistake({"problem": "The expression has more than one group", "hint": "Write (?:…) for groups that are not the value.", "path": ["outputs", at, "regex"]})


def _check_path(path, where):
    import xml.etree.ElementTree as tree

    try:
        tree.Element("").findall(f".//{path.partition('/@')[0]}")
    except (SyntaxError, KeyError, TypeError):
        hint = "Write a/b for the text of elements, and a/b/@c for an attribute."
        raise _Mistake({"problem": f"{path!r} is no path of XML", "hint": hint, "path": where}) from None


def _check_files(deck):
    for name in deck["files"]:
        if name.endswith(".tpl") and name[: -len(".tpl")] in deck["files"]:
            message = f"The deck has both {name} and {name[: -len('.tpl')]}, but each run makes the second from the first"
            place = {"file": name, "line": 1, "column": 1}
            raise _Mistake({"problem": message, "hint": "Remove or rename one of them.", "place": place})


# Programs that execute a script, which is their first word.
_INTERPRETERS = re.compile(r"(?:.*/)?(?:python[\d.]*|Rscript|bash|sh|node|julia|perl|ruby|octave)$")


def _check_command(deck):
    words = deck["command"]
    if _INTERPRETERS.match(words[0]):
        # an option may take the next word, as in python3 -m module
        script = words[1] if len(words) > 1 and not words[1].startswith("-") and "." in words[1] else None
    else:
        script = words[0] if words[0].startswith("./") else None
    if script is None or os.path.isabs(script) or _TOKEN.search(script):
        return
    if os.path.normpath(script) not in {re.sub(r"\.tpl$", "", name) for name in deck["files"]}:
        hint = "Each run has the files of this folder. Put the script into it, or correct its name."
        raise _Mistake({"problem": f"The folder has no file {script}", "hint": hint, "path": ["command"]})


_SIM = '''"""Runs the program of the deck. The folder deck has its files; foray_deck.py fills in the templates."""

from foray_deck import serve

COMMAND = {command}
OUTPUTS = {outputs}

serve(COMMAND, OUTPUTS)
'''


def _main(folder):
    deck = json.load(sys.stdin.buffer)
    try:
        _check_files(deck)
        _check_command(deck)
        _check_tokens(deck, pathlib.Path(folder))
        _check_expressions(deck)
    except _Mistake as mistake:
        print(json.dumps(mistake.args[0]))
        return
    rules = {rule["name"]: {key: value for key, value in rule.items() if key not in ("name", "units")} for rule in deck["outputs"]}
    lines = "".join(f"    {name!r}: {rule!r},\n" for name, rule in rules.items())
    sim = _SIM.format(command=json.dumps(deck["command"], ensure_ascii=False), outputs="{\n" + lines + "}")
    files = {f"deck/{name}": os.path.join(folder, name) for name in deck["files"]}
    files["foray_deck.py"] = os.path.abspath(__file__)
    print(json.dumps({"sim": sim, "files": files, "left": []}))


if __name__ == "__main__":
    _main(*sys.argv[1:])
