"""Imports an FMU of FMI 2 or 3 as a model of foray (docs/guides/import.md). This file needs fmpy.

    python foray_fmu.py FILE.fmu

prints one line of JSON: the declaration of the model, its program sim.py, the files that belong to it, and what was left
out. `foray models import` writes them into a folder.
"""

import json
import math
import os
import sys

try:
    import fmpy
except ImportError as error:
    sys.exit(f"{error}. Install it into this environment: {sys.executable} -m pip install {error.name}")

from foray_names import free, lines

_TYPES = {
    **dict.fromkeys(("Real", "Float64", "Float32"), "DOUBLE"),
    **dict.fromkeys(("Integer", "Int8", "UInt8", "Int16", "UInt16", "Int32", "Enumeration"), "INTEGER"),
    **dict.fromkeys(("UInt32", "Int64", "UInt64"), "LONG"),
    "Boolean": "BOOLEAN",
    "String": "STRING",
}
# The values that a type of FMI has, where it has fewer than that of foray.
_LIMITS = {
    "Int8": (-128, 127),
    "UInt8": (0, 255),
    "Int16": (-32768, 32767),
    "UInt16": (0, 65535),
    "UInt32": (0, 4294967295),
    "UInt64": (0, None),
}
_LONGEST_UNIT = 40
# The largest number of points that a curve has with the default values.
_MOST_ROWS = 100_000

_SIM = '''"""Runs model.fmu with fmpy. The FMU is unpacked once, and each run makes a new instance of it."""

import atexit
import csv
import os
import shutil

import numpy
from fmpy import extract, read_model_description, simulate_fmu
from foray_model import serve

START = {start!r}
# The variable of each value at the end, of each curve, and of each input with another name than in model.yaml.
OUTPUTS = {outputs}
CURVES = {curves}
INPUTS = {inputs}

unpacked = extract(os.path.join(os.path.dirname(os.path.abspath(__file__)), "model.fmu"))
atexit.register(shutil.rmtree, unpacked, True)
described = read_model_description(unpacked)
KINDS = {{"Real": float, "Float64": float, "Float32": float, "Boolean": lambda text: text.lower() in ("1", "true")}}
DTYPES = {{float: numpy.float64, int: numpy.int64}}


def signals(file):
    """The table of inputs over time: a column "time", and a column for each input that changes."""
    types = {{"time": "Float64", **{{v.name: v.type for v in described.modelVariables if v.causality == "input"}}}}
    with open(file, newline="", encoding="utf-8-sig") as lines:
        names, *rows = [row for row in csv.reader(lines) if row]
    if names[0] != "time" or not rows or not set(names) <= set(types):
        raise ValueError(f"the input table needs the column time and columns of {{sorted(types)}}, but has {{names}}")
    kinds = [KINDS.get(types[name], int) for name in names]
    dtype = [(name, "u8" if types[name] == "UInt64" else DTYPES.get(kind, bool)) for name, kind in zip(names, kinds)]
    return numpy.array([tuple(kind(text) for kind, text in zip(kinds, row)) for row in rows], dtype=dtype)


def run(inputs, progress):
    given = dict(inputs)
    stop, interval, file = given.pop("Stop time"), given.pop("Interval"), given.pop("Input table", None)
    if not interval > 0:
        raise SystemExit("Interval must be greater than 0")
    if not stop > START:
        raise SystemExit(f"Stop time must be greater than {{START:g}}, the start of the FMU")
    table = simulate_fmu(
        unpacked,
        model_description=described,
        fmi_type="CoSimulation",
        start_time=START,
        stop_time=stop,
        output_interval=interval,
        start_values={{INPUTS.get(name, name): value for name, value in given.items()}},
        input=signals(file) if file else None,
        output=list({{*OUTPUTS.values(), *CURVES.values()}}),
        step_finished=lambda time, recorder: progress((time - START) / (stop - START)) is None,
    )
    times = table["time"].tolist()
    ends = {{name: table[variable][-1].item() for name, variable in OUTPUTS.items()}}
    curves = {{name: {{"dataX": times, "dataY": table[variable].astype(float).tolist()}} for name, variable in CURVES.items()}}
    return {{**ends, **curves}}


serve(run)
'''


def _start(variable, kind):
    """The start value of a variable as the default of an input; None if it is no number."""
    start = variable.start
    if kind == "BOOLEAN":
        return str(start).lower() in ("true", "1")
    if kind == "STRING":
        return "" if start is None else str(start)
    number = float(start or 0) if kind == "DOUBLE" else int(start or 0)
    if abs(number) > 2**53 and kind == "LONG":
        return str(number)
    return number if math.isfinite(number) else None


def _of_type(variable, attribute):
    """An attribute of a variable, or else of its declared type."""
    own = getattr(variable, attribute, None)
    return own if own is not None else getattr(variable.declaredType, attribute, None)


def _with_unit(item, variable):
    unit = _of_type(variable, "unit")
    return {**item, "units": unit} if unit not in (None, "", "1") and len(unit) <= _LONGEST_UNIT else item


def _bounded(item, variable, left):
    """Adds the bounds of a variable, those of its type and those that it declares."""
    if item["type"] not in ("DOUBLE", "INTEGER", "LONG"):
        return item
    if variable.type == "Enumeration" and variable.declaredType is not None:
        return {**item, "values": [int(entry.value) for entry in variable.declaredType.items]}
    for key, limit in zip(("min", "max"), _LIMITS.get(variable.type, (None, None))):
        declared = _of_type(variable, key)
        bound = limit if declared is None else float(declared)
        if bound is None or abs(bound) > 2**53 and item["type"] == "LONG" or not math.isfinite(bound):
            continue
        start = float(item["default"])
        if start < bound if key == "min" else start > bound:
            left.append(f"the {key} {bound:g} of {variable.name}: the start value {item['default']} is outside")
        else:
            item[key] = bound
    return item


def _is_input(variable):
    is_state = variable.causality in ("local", "output") and variable.initial == "exact" and variable.start is not None
    return variable.variability != "constant" and (variable.causality in ("parameter", "input") or is_state)


def main(file):
    try:
        described = fmpy.read_model_description(file)
    except Exception as error:
        sys.exit(f"{file} cannot be read as an FMU: {' '.join(str(error).split())}")
    if described.fmiVersion.startswith("1"):
        sys.exit(f"{file} is an FMU of FMI {described.fmiVersion}. foray imports FMI 2 and 3.")
    if described.coSimulation is None:
        kind = "model exchange" if described.modelExchange is not None else "scheduled execution"
        sys.exit(f"{file} is no co-simulation FMU, only one for {kind}. Export it again for co-simulation.")
    inputs, outputs, variables, ends, curves, left = [], [], {}, {}, {}, []
    taken, shown, seen = {"stop time", "interval", "input table"}, set(), {}
    for variable in described.modelVariables:
        is_input, is_output = _is_input(variable), variable.causality == "output"
        kind = _TYPES.get(variable.type)
        if not (is_input or is_output or variable.causality == "structuralParameter"):
            continue
        if kind is None or variable.dimensions or variable.causality == "structuralParameter":
            what = "an array" if variable.dimensions else "a structural parameter" if kind else variable.type
            left.append(f"{variable.name}: {what}")
            continue
        # two names of one variable would be two inputs, of which only the last one counts
        first = {
            role: seen.setdefault((role, variable.type, variable.valueReference), variable.name)
            for role, is_one in (("input", is_input), ("output", is_output))
            if is_one
        }
        if any(name != variable.name for name in first.values()):
            left.append(f"{variable.name}: another name of {next(iter(first.values()))}")
        is_input, is_output = first.get("input") == variable.name, first.get("output") == variable.name
        if is_input:
            name, default = free(variable.name, taken), _start(variable, kind)
            if default is None:
                left.append(f"{variable.name}: its start value is {variable.start}")
            else:
                inputs.append(_bounded(_with_unit({"name": name, "type": kind, "default": default}, variable), variable, left))
                variables[name] = variable.name
        if is_output and kind == "STRING":
            left.append(f"{variable.name}: a String as output")
        elif is_output:
            name = free(f"{variable.name} (end)" if is_input else variable.name, shown)
            curve = free(f"{variable.name} over time", shown)
            outputs.append(_with_unit({"name": name, "type": kind}, variable))
            outputs.append(_with_unit({"name": curve, "type": "DATA_SET"}, variable))
            ends[name] = curves[curve] = variable.name
    experiment = described.defaultExperiment
    start = float(experiment.startTime or 0) if experiment else 0.0
    stop = float(experiment.stopTime) if experiment and experiment.stopTime else start + 1
    if not (math.isfinite(start) and math.isfinite(stop)):
        sys.exit(f"The default experiment of {file} goes from {start} to {stop}. Both must be finite numbers.")
    if not stop > start:
        left.append(f"the stop time {stop:g} of the default experiment: it is not after the start time {start:g}")
        stop = start + 1
    fixed = getattr(described.coSimulation, "fixedInternalStepSize", None)
    step = float((experiment and experiment.stepSize) or fixed or (stop - start) / 500)
    if not 0 < step < math.inf:
        left.append(f"the step {step:g} of the default experiment: it is not a finite number greater than 0")
        step = (stop - start) / 500
    if (stop - start) / step > _MOST_ROWS:
        left.append(f"the interval {step:g} up to the time {stop:g}: a curve would have more than {_MOST_ROWS} points")
        step = (stop - start) / 500
    inputs.append({"name": "Stop time", "type": "DOUBLE", "default": stop, "min": start})
    inputs.append({"name": "Interval", "type": "DOUBLE", "default": step, "min": 0})
    if any(variable.causality == "input" for variable in described.modelVariables):
        inputs.append({"name": "Input table", "type": "INPUT_FILE", "default": ""})
    platforms = fmpy.supported_platforms(file)
    if fmpy.platform not in platforms:
        left.append(f"a program for {fmpy.platform}: the FMU runs only on {', '.join(platforms)}")
    renamed = {name: variable for name, variable in variables.items() if name != variable}
    about = " ".join((described.description or "").split())
    declaration = {
        "name": described.modelName,
        "description": f"{about} (FMI {described.fmiVersion})".strip(),
        "inputs": inputs,
        "outputs": outputs,
    }
    sim = _SIM.format(start=start, outputs=lines(ends), curves=lines(curves), inputs=lines(renamed))
    print(json.dumps({"declaration": declaration, "sim": sim, "files": {"model.fmu": os.path.abspath(file)}, "left": left}, allow_nan=False))


if __name__ == "__main__":
    main(*sys.argv[1:])
