"""Imports a model of Mesa 3 or 4 as a model of foray (docs/guides/import.md). This file needs Mesa.

    python foray_mesa.py MODULE:CLASS

prints one line of JSON: the declaration of the model, its program sim.py, the files that belong to it, and what was left
out. `foray models import` writes them into a folder.

Inputs are the parameters of the class with simple default values, with the bounds of the sliders of its page. Outputs
are the model reporters of its data collector.
"""

import ast
import importlib
import inspect
import json
import math
import os
import pathlib
import site
import sys
import sysconfig
import typing
import warnings

try:
    import mesa
except ImportError as error:
    sys.exit(f"{error}. Install it into this environment: {sys.executable} -m pip install {error.name}")

from foray_names import free, lines

_TYPES = {bool: "BOOLEAN", int: "LONG", float: "DOUBLE", str: "STRING"}

_SIM = '''"""Runs the model {name} of Mesa. The module is imported once, and each run makes a new model."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "source"))

from foray_model import serve
{imports}

# The parameter of the model for each input.
PARAMETERS = {parameters}
# The reporter of each value at the end, and of each curve.
ENDS = {ends}
CURVES = {curves}


def run(inputs, progress):
    given = {{PARAMETERS[name]: value for name, value in inputs.items() if name in PARAMETERS}}
    model = {make}
    steps, taken = inputs[{steps!r}], 0
    while taken < steps and model.running:
        model.step()
        taken += 1
        progress(taken / steps)
    table = model.datacollector.get_model_vars_dataframe()[list(ENDS.values())].astype(float)
    outputs = {{name: table[reporter].iloc[-1] for name, reporter in ENDS.items()}}
    outputs.update({{name: table[reporter] for name, reporter in CURVES.items()}})
    return {{**outputs, "Steps taken": taken}}


serve(run)
'''


def _sliders(file):
    """The bounds of the parameters, and their values if they are a choice, from `model_params` in app.py or in the file
    of the model. The source is read and not executed, because a page needs packages that a run does not need."""
    found = {}
    for source in (file, file.with_name("app.py"), file.with_name("server.py")):
        tree = ast.parse(source.read_text(encoding="utf-8")) if source.is_file() else ast.Module([])
        for node in ast.walk(tree):
            targets = [getattr(target, "id", "") for target in getattr(node, "targets", [])]
            if "model_params" in targets and isinstance(node.value, ast.Dict):
                for key, value in zip(node.value.keys, node.value.values):
                    if isinstance(key, ast.Constant):
                        found[key.value] = _slider(value)
    return found


def _slider(node):
    """The settings of a slider: a call Slider(label, value, min, max, step), or a dict with these names."""
    if isinstance(node, ast.Call):
        settings = dict(zip(("label", "value", "min", "max", "step"), node.args))
        settings.update({keyword.arg: keyword.value for keyword in node.keywords})
    elif isinstance(node, ast.Dict):
        settings = {getattr(key, "value", None): value for key, value in zip(node.keys, node.values)}
    else:
        return {}
    plain = {}
    for key, value in settings.items():
        try:
            plain[key] = ast.literal_eval(value)
        except ValueError:
            pass  # computed when the page starts
    return plain


def _input(parameter, slider, taken):
    """The declaration of an input with a name that is not taken, or None if the default is not simple. JSON has no infinite numbers."""
    kind = _TYPES.get(type(parameter.default))
    # a whole default, such as 1, may stand for any number
    is_any = parameter.annotation in (float, "float") or any(type(slider.get(key)) is float for key in ("value", "min", "max", "step"))
    if kind == "LONG" and is_any:
        kind = "DOUBLE"
    if kind is None or kind == "DOUBLE" and not math.isfinite(parameter.default):
        return None
    # lambda_ is a usual name, and a name has no blank at its end
    name = parameter.name.replace("_", " ").strip()
    item = {"name": free(name[:1].upper() + name[1:], taken), "type": kind, "default": parameter.default}
    bounds = {key: slider[key] for key in ("min", "max") if isinstance(slider.get(key), (int, float)) and math.isfinite(slider[key])}
    if kind in ("LONG", "DOUBLE") and bounds.get("min", parameter.default) <= parameter.default <= bounds.get("max", parameter.default):
        item.update(bounds)
    values = slider.get("values")
    if isinstance(values, list) and parameter.default in values and math.inf not in values and -math.inf not in values:
        item["values"] = values
    return item


def _scenario(kind, parameters):
    """The class of the parameter `scenario`, which has the inputs of a model of Mesa 4; None if there is none."""
    given = parameters.get("scenario")
    if given is None:
        return None
    hint = typing.get_type_hints(kind.__init__).get("scenario")
    known = [given.default, type(given.default), hint]
    return next((each for each in known if inspect.isclass(each) and hasattr(each, "_scenario_defaults")), None)


def _seed(parameters, name):
    """The parameter that takes the seed."""
    takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    seed = next((known for known in ("seed", "rng") if known in parameters), "seed" if takes_all else None)
    if seed is None:
        sys.exit(
            f"{name} takes no seed, so equal runs would differ. Give its __init__ a parameter rng=None, "
            "and pass it on: super().__init__(rng=rng)"
        )
    return seed


def _reporters(model, left):
    """The model reporters whose value after a step is a number."""
    collector = getattr(model, "datacollector", None)
    if not getattr(collector, "model_reporters", None):
        sys.exit(f"{type(model).__name__} has no model reporters in a DataCollector `datacollector`, so it has no outputs")
    table, found = collector.get_model_vars_dataframe(), []
    if len(table) == 0:
        sys.exit(f"{type(model).__name__} collects nothing in its first step: call self.datacollector.collect(self) in it")
    for name in table:
        try:
            table[name].astype(float)
            found.append(name)
        except (TypeError, ValueError):
            left.append(f"the reporter {name}: its value is {type(table[name].iloc[-1]).__name__}")
    return found


def _own_files():
    """The loaded source files in the current folder, by their paths in it. Installed packages are no part of a model."""
    # not all of sys.prefix: in a container it is /usr, and the work may be in /usr/src
    libraries = [sysconfig.get_path(key) for key in ("stdlib", "platstdlib", "purelib", "platlib")]
    libraries += [*site.getsitepackages(), site.getusersitepackages()]
    here, installed = pathlib.Path.cwd().resolve(), [pathlib.Path(folder).resolve() for folder in libraries]
    importer = {pathlib.Path(file).resolve() for file in (__file__, inspect.getfile(free))}
    files = {}
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        path = pathlib.Path(file).resolve() if file else None
        if path and here in path.parents and path not in importer and not any(folder in path.parents for folder in installed):
            files[f"source/{path.relative_to(here)}"] = str(path)
    return files


def main(where):
    warnings.simplefilter("ignore")
    sys.path.insert(0, os.getcwd())
    module, _, name = where.partition(":")
    try:
        kind = getattr(importlib.import_module(module), name, None)
    except ImportError as error:
        package = getattr(error, "name", None) or "PACKAGE"
        hint = f"A package is installed into this environment with: {sys.executable} -m pip install {package}"
        sys.exit(f"The module {module} cannot be imported from {os.getcwd()}: {error}. {hint}")
    if not (inspect.isclass(kind) and issubclass(kind, mesa.Model)):
        sys.exit(f"{module} has no class {name} that is a Model of Mesa")
    parameters = dict(inspect.signature(kind).parameters)
    scenario, sliders, left = _scenario(kind, parameters), _sliders(pathlib.Path(inspect.getfile(kind))), []
    seed = "rng" if scenario else _seed(parameters, name)
    if scenario:
        left += [f"the parameter {each}: only those of the scenario are inputs" for each in parameters if each not in ("self", "scenario")]
        hints = inspect.get_annotations(scenario)
        parameters = {
            each: inspect.Parameter(each, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hints.get(each))
            for each, default in vars(scenario(rng=1)).items()
        }
    inputs = [{"name": "{RANDOM_SEED}", "type": "LONG", "default": 1, "min": 0, "max": 2**32 - 1}]
    names, taken = {}, set()
    for parameter in parameters.values():
        if parameter.name in ("seed", "rng") or parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        item = _input(parameter, sliders.get(parameter.name, {}), taken)
        if item is None and parameter.default is parameter.empty:
            sys.exit(f"The parameter {parameter.name} of {name} needs a default value")
        if item is None:
            what = parameter.default if isinstance(parameter.default, float) else f"of the type {type(parameter.default).__name__}"
            left.append(f"the parameter {parameter.name}: its default is {what}")
            continue
        inputs.append(item)
        names[item["name"]] = parameter.name
    steps = free("Number of steps" if "steps" in taken else "Steps", taken)
    inputs.append({"name": steps, "type": "LONG", "default": 100, "min": 1})
    try:
        model = kind(scenario=scenario(rng=1)) if scenario else kind(**{seed: 1})
        model.step()
    except Exception as error:
        sys.exit(f"{name} makes no step with its default values: {type(error).__name__}: {error}")
    outputs, ends, curves, shown = [], {}, {}, {"steps taken"}
    for reporter in _reporters(model, left):
        end, curve = free(reporter, shown), free(f"{reporter} over time", shown)
        outputs += [{"name": end, "type": "DOUBLE"}, {"name": curve, "type": "DATA_SET"}]
        ends[end] = curves[curve] = reporter
    declaration = {
        "name": name,
        "description": " ".join((inspect.getdoc(kind) or "").split("\n\n")[0].split()),
        "inputs": inputs,
        "outputs": [*outputs, {"name": "Steps taken", "type": "LONG"}],
    }
    imports, make = f"from {module} import {name}", f'{name}({seed}=inputs["{{RANDOM_SEED}}"], **given)'
    if scenario:
        imports += f"\nfrom {scenario.__module__} import {scenario.__name__}"
        make = f"{name}(scenario={scenario.__name__}{make.removeprefix(name)})"
    tables = {key: lines(table) for key, table in (("parameters", names), ("ends", ends), ("curves", curves))}
    sim = _SIM.format(name=name, imports=imports, make=make, steps=steps, **tables)
    sys.stdout.write("\n" + json.dumps({"declaration": declaration, "sim": sim, "files": _own_files(), "left": left}, allow_nan=False) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
