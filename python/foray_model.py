"""A Python function as a model of foray (docs/guides/models.md, Python).

    from typing import Annotated, TypedDict
    from foray_model import Max, Min, model

    class Result(TypedDict):
        wait: float

    @model
    def coffee_bar(rate: Annotated[float, Min(0), Max(0.95)] = 0.8, customers: int = 1000, *, seed: int = 1) -> Result:
        \"\"\"Customers wait for coffee.\"\"\"
        ...
        return {"wait": 4.2}

foray starts one process and calls the function once for each run. `serve` does the same for a model whose inputs and
outputs are declared in model.yaml, with "loop: true". This file needs Python 3.9 or newer, and no packages.

The first line on standard output is {"ready": {"python": "3.12", "packages": {"numpy": "2.0.1"}, ...}}. Standard input
has a line {"run": 17, "inputs": {...}} for each run. The answer is a line {"run": 17, "outputs": {...}} or {"run": 17,
"error": "reason"}, perhaps after lines {"run": 17, "progress": 0.5}. The end of the input ends the program.
"""

import ctypes
import enum
import faulthandler
import functools
import gc
import inspect
import json
import locale
import math
import os
import random
import re
import select
import signal
import sys
import threading
import time
import traceback
import types
import typing

if sys.version_info < (3, 9):
    raise ImportError(f"foray_model.py needs Python 3.9 or newer, and {sys.executable} is {sys.version.split()[0]}")

__all__ = ["Curve", "File", "Max", "Min", "Name", "Unit", "model", "serve"]

# What Python itself imports at its start is no part of a model. None if other code has been imported before this file.
_AT_START = frozenset(sys.modules) if __name__ == "__main__" else None
# The shortest time between two reports of progress, in seconds. Models may report in their inner loop.
_PROGRESS_EVERY = 0.05
# The folder of Python's own modules.
_OF_PYTHON = os.path.dirname(os.__file__)
# The number of files that a run may leave open, in sum over all runs of a process.
_MOST_OPEN = 20
# A copy that has not answered for this time may have ended without an answer, in milliseconds.
_PATIENCE = 50
# Larger whole numbers are texts in a declaration, because JavaScript reads numbers as floats.
_MOST_EXACT = 2**53

try:
    _libc = ctypes.CDLL(None)
except (OSError, TypeError):  # Windows
    _libc = None

# A model.py that loads for ever must not outlive foray: the system kills this process when its parent has ended (Linux).
# A process that a model starts may import this module, too, and lives as long as it likes.
if __name__ == "__main__" and "FORAY_MODEL_DIR" in os.environ and hasattr(_libc, "prctl"):
    _libc.prctl(1, signal.SIGKILL, 0, 0, 0)


# ---------------------------------------------------------------- the conversation with foray


class _Channel:
    """The lines of foray, and the answers. From its construction on, everything else that this process prints, also by
    C code and by child processes, goes to the log, and nothing else reads the lines of foray."""

    def __init__(self):
        answers, lines = os.dup(1), os.dup(0)
        os.dup2(2, 1)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        # each line is in the log at once, also if the process crashes; then the log says where
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):  # a program may have replaced it
                stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
        faulthandler.enable(2)
        self.lines = os.fdopen(lines, "r", encoding="utf-8")
        self._answers = os.fdopen(answers, "w", encoding="utf-8", newline="\n")
        self._lock = threading.Lock()

    def say(self, text):
        with self._lock:
            self._answers.write(text + "\n")
            self._answers.flush()


# the channel of this process
_open_channel = functools.lru_cache(None)(_Channel)


def _flush():
    """Everything that a run has printed must be in the pipe before its answer."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):
            pass
    if _libc is not None:
        _libc.fflush(None)


def _plain(value):
    """A value of numpy or pandas as JSON. A Series is a curve."""
    if hasattr(value, "index") and hasattr(value, "to_numpy"):
        return _curve(value)
    if hasattr(value, "tolist"):
        plain = value.tolist()
        if type(plain) is not type(value):
            return plain
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"{type(value).__name__} is not a value of an output")


_json = json.JSONEncoder(default=_plain)


def _encoded(outputs):
    """The outputs as JSON. An error names the output."""
    members = []
    for name, value in outputs.items():
        try:
            members.append(f"{json.dumps(str(name))}: {_json.encode(value)}")
        except (TypeError, ValueError, OverflowError) as error:
            raise TypeError(f'the output "{name}" cannot be sent: {error}') from None
    return "{" + ", ".join(members) + "}"


def serve(run, fork=False):
    """Calls run(inputs) or run(inputs, progress) for each run of foray. Returns when foray ends the input.

    inputs: a dict of values by name. progress: a function that takes the finished share, from 0 to 1.
    run returns a dict of outputs by name.
    fork: executes each run in a copy of this process, so that runs cannot influence each other (Linux). It costs a few
    milliseconds a run, and a run keeps nothing that it has computed for the next one.
    """
    channel = _open_channel()
    call = run if _takes_progress(run) else lambda inputs, progress: run(inputs)
    before = _State()
    gc.collect()
    gc.freeze()  # what is loaded is never collected, and a copy does not copy it
    if fork and _libc is not None and hasattr(_libc, "prctl"):
        _libc.prctl(36, 1, 0, 0, 0)  # processes that a run leaves become children of this one, which ends them
    channel.say(json.dumps({"ready": _build()}))
    for line in channel.lines:
        if fork:
            _run_in_copy(call, line, before, channel)
        else:
            answer = _run(call, line, channel)
            stays = before.restore()
            channel.say(answer if stays is None else f'{answer[:-1]}, "last": {json.dumps(stays)}}}')


def _takes_progress(run):
    """Whether the second parameter is for progress. Any other one with a default is the model's own."""
    try:
        _, second, *_ = inspect.signature(run).parameters.values()
    except (TypeError, ValueError):
        return False
    is_by_place = second.kind in (second.POSITIONAL_ONLY, second.POSITIONAL_OR_KEYWORD)
    return is_by_place and (second.default is second.empty or second.name == "progress")


def _run(call, line, channel):
    """Executes a run, and returns the line of its answer."""
    asked = json.loads(line)
    number, inputs, process = asked["run"], asked["inputs"], os.getpid()
    opened = _watch_files() if asked.get("watch") else None
    seed = inputs.get("{RANDOM_SEED}")
    _seed(0 if seed is None else seed)
    before = _generators() if seed is None and not _is_told else None
    try:
        outputs = call(inputs, _progress(number, channel))
        if not isinstance(outputs, dict):
            raise TypeError(f"the model returned {type(outputs).__name__} in place of a dict of outputs")
        watched = "" if opened is None else f', "opened": {json.dumps(_opened_outside(opened))}'
        answer = f'{{"run": {number}, "outputs": {_encoded(outputs)}{watched}}}'
        if before is not None and _generators()[: len(before)] != before:
            _tell_unseeded()
    except BaseException as error:  # also SystemExit and KeyboardInterrupt: the process stays
        if isinstance(error, SystemExit):
            said = "" if error.code is None else repr(error.code)
            reason = error.code if isinstance(error.code, str) else f"the model called sys.exit({said})"
        else:
            _print_traceback(error)
            reason = _problem(error)
        answer = json.dumps({"run": number, "error": reason})
    _flush()
    if os.getpid() != process:
        os._exit(0)  # a process that the model has forked must not answer
    return answer


def _print_traceback(error):
    """Prints where an error was raised, without the lines that called or imported the model."""
    called = error.__traceback__
    while called is not None and called.tb_frame.f_code.co_filename.startswith((__file__, "<frozen importlib")):
        called = called.tb_next
    traceback.print_exception(type(error), error, called or error.__traceback__)


def _problem(error):
    """An error in words. A file that was looked for in the working folder, but is beside the model, is named."""
    try:
        problem = f"{type(error).__name__}: {error}".removesuffix(": ")
    except Exception:  # the error of a model may have no text
        problem = type(error).__name__
    name, folder = getattr(error, "filename", None), os.environ.get("FORAY_MODEL_DIR")
    is_relative = isinstance(error, FileNotFoundError) and isinstance(name, str) and not os.path.isabs(name)
    if not is_relative or not folder or not os.path.isfile(os.path.join(folder, name)):
        return problem
    path = f'os.path.join(os.path.dirname(__file__), "{name}")'
    return f"{problem}; this file is beside the model, and a run has a working folder of its own: write {path}"


def _progress(number, channel):
    told = -1.0

    def progress(share):
        nonlocal told
        now = time.monotonic()
        if now - told >= _PROGRESS_EVERY:
            try:
                share = float(share)
            except (TypeError, ValueError):
                return  # foray ignores what is no number, and a run never fails by it
            told = now
            channel.say(json.dumps({"run": number, "progress": share}))

    return progress


def _numpy_random():
    return getattr(sys.modules.get("numpy"), "random", None)


def _seed(seed):
    """Seeds the generators that all code of a process shares."""
    random.seed(seed)
    if _numpy_random():
        _numpy_random().seed(seed % 2**32)


def _generators():
    """The states of these generators."""
    states = [random.getstate()]
    if _numpy_random():
        _, words, position, *_ = _numpy_random().get_state()
        states.append((words.tobytes(), position))
    return states


# Whether the log says that the model has no seed.
_is_told = False


def _tell_unseeded():
    global _is_told
    _is_told = True
    what = "The model draws random numbers, but has no seed, so each run draws the same ones."
    print(what, 'Declare {RANDOM_SEED}, in a function by a parameter "seed: int = 1".', file=sys.stderr)


def _run_in_copy(call, line, before, channel):
    """Executes a run in a copy of this process. Answers when the copy and all that it has started have ended."""
    _flush()
    reading, writing = os.pipe()
    copy = os.fork()
    if copy == 0:
        os.close(reading)
        answer = _run(call, line, channel)
        with os.fdopen(writing, "w", encoding="utf-8") as file:
            file.write(answer)
        os._exit(0)
    os.close(writing)
    # the answer may be longer than a pipe holds, and a process that the run has left may keep the pipe open
    said, code = [], None
    pipe = select.poll()
    pipe.register(reading, select.POLLIN)
    while said[-1:] != [b""]:
        if pipe.poll(_PATIENCE):
            said.append(os.read(reading, 1 << 20))
        elif code is not None:
            break
        else:
            pid, status = os.waitpid(copy, os.WNOHANG)
            code = os.waitstatus_to_exitcode(status) if pid else None
    if code is None:
        code = os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1])
    os.close(reading)
    for pid in _children():
        _end(pid)
    answer = b"".join(said).decode()
    if code:
        how = f"was ended by the signal {signal.Signals(-code).name}" if code < 0 else f"ended its process with exit code {code}"
        answer = json.dumps({"run": json.loads(line)["run"], "error": f"the run {how}"})
    channel.say(answer)


def _end(pid):
    try:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    except OSError:
        pass


# ---------------------------------------------------------------- what a run may change in its process


def _children():
    """The ids of the child processes that have not ended (Linux; elsewhere none are found)."""
    found = []
    try:
        # this question costs a tenth of the search below
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except (AttributeError, ChildProcessError):
        return []
    try:
        for task in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{task}/children", encoding="ascii") as file:
                found += [int(pid) for pid in file.read().split()]
    except OSError:
        pass
    return [pid for pid in found if _lives(pid)]


def _lives(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


def _open_files():
    try:
        return len(os.listdir("/proc/self/fd"))
    except OSError:
        return 0


class _State:
    """What a run may change in its process, and what is put back after it."""

    def __init__(self):
        self._folder, self._environment, self._umask = os.getcwd(), dict(os.environ), os.umask(0o022)
        os.umask(self._umask)
        # the encoded variables are compared ten times as fast
        self._variables, self._encoded = os.environ, dict(os.environ._data)
        names = ("SIGINT", "SIGTERM", "SIGALRM", "SIGCHLD", "SIGPIPE", "SIGHUP", "SIGUSR1", "SIGUSR2")
        numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
        self._handlers = {number: signal.getsignal(number) for number in numbers}
        self._path, self._locale = list(sys.path), locale.setlocale(locale.LC_ALL)
        self._streams, self._standard = (sys.stdout, sys.stderr), _standard_files()
        self._recursion = sys.getrecursionlimit()
        self._threads, self._files = set(threading.enumerate()), _open_files()
        self._children = set(_children())

    def restore(self):
        """Puts back what can be put back. Returns why the process must end, or None."""
        for timer in ("ITIMER_REAL", "ITIMER_VIRTUAL", "ITIMER_PROF"):
            if hasattr(signal, timer):
                signal.setitimer(getattr(signal, timer), 0)
        try:
            os.chdir(self._folder)
        except OSError:
            return "the working folder was removed"
        os.environ = self._variables
        if os.environ._data != self._encoded:
            os.environ.clear()
            os.environ.update(self._environment)
            if hasattr(time, "tzset"):
                time.tzset()
        if locale.setlocale(locale.LC_ALL) != self._locale:
            locale.setlocale(locale.LC_ALL, self._locale)
        os.umask(self._umask)
        for number, handler in self._handlers.items():
            if handler is not None and signal.getsignal(number) is not handler:
                signal.signal(number, handler)
        sys.path[:] = self._path
        sys.stdout, sys.stderr = self._streams
        if sys.getrecursionlimit() != self._recursion:
            sys.setrecursionlimit(self._recursion)
        # a stream of the model may not say whether it is closed
        is_closed = any(getattr(stream, "closed", False) for stream in self._streams)
        if is_closed or _standard_files() != self._standard:
            return "a standard stream was closed or replaced"
        for thread in threading.enumerate():
            if thread not in self._threads and thread.is_alive() and not thread.daemon:
                return f"the thread {thread.name} still runs"
        if any(pid not in self._children for pid in _children()):
            return "a child process still runs"
        if _open_files() > self._files + _MOST_OPEN:
            return "files were left open"
        return None


def _standard_files():
    """What standard input, output and error are; None for one that is closed."""
    found = []
    for number in range(3):
        try:
            file = os.fstat(number)
            found.append((file.st_dev, file.st_ino))
        except OSError:
            found.append(None)
    return found


# ---------------------------------------------------------------- files and packages from elsewhere


# The path of a module or package that an installer has put into a folder of packages.
_OF_PACKAGE = re.compile(r"(.*[/\\](?:site|dist)-packages)[/\\]([^/\\]+)")


def _watch_files():
    """The paths of the files that this process opens to read, from now on, as a set that grows."""
    opened = set()

    def note(event, arguments):
        # the third argument of "open" has the flags
        if event == "open" and isinstance(arguments[0], str) and (arguments[2] or 0) & 3 != os.O_WRONLY:
            opened.add(os.path.abspath(arguments[0]))
        elif event == "sqlite3.connect" and isinstance(arguments[0], str):
            opened.add(os.path.abspath(arguments[0]))

    sys.addaudithook(note)
    return opened


def _opened_outside(opened):
    """Those of the opened files that are neither of the model, nor of this run, nor of Python and its packages."""
    own = [os.getcwd(), os.environ.get("FORAY_MODEL_DIR", os.getcwd()), os.path.dirname(os.path.abspath(__file__))]
    own += [sys.prefix, sys.base_prefix, _OF_PYTHON]
    found = set()
    for file in list(opened):
        if os.path.basename(os.path.dirname(file)) == "__pycache__":
            file = os.path.join(os.path.dirname(os.path.dirname(file)), os.path.basename(file).split(".")[0] + ".py")
        if os.path.isfile(file) and not _OF_PACKAGE.match(file) and not any(_is_within(file, folder) for folder in own):
            found.add(file)
    return sorted(found)


def _is_within(file, folder):
    return file.startswith(os.path.join(folder, ""))


def _is_own(file):
    """Whether the file of a module is a part of the model, and not of Python or of a package."""
    is_other = _OF_PACKAGE.match(file) or _is_within(file, _OF_PYTHON) or file == os.path.abspath(__file__)
    return file.endswith(".py") and not is_other


def _imported():
    """The files of the modules that are imported, and of those that functions of the model import later, by name."""
    from importlib.util import find_spec

    files = {name: getattr(module, "__file__", None) or "" for name, module in list(sys.modules.items())}
    waiting, read = [file for file in files.values() if _is_own(file)], set()
    while waiting:
        file = waiting.pop()
        if file in read:
            continue
        read.add(file)
        if os.path.basename(file) == "__init__.py":
            waiting += [each for each in _modules_in(os.path.dirname(file)) if _is_own(each)]
        for name in _imports_in(file).difference(files):
            try:
                spec = find_spec(name)
            except (ImportError, ValueError):
                spec = None
            folders = list((spec and spec.submodule_search_locations) or [])
            files[name] = (spec and spec.origin) or os.path.join(*folders[:1], "")
            below = [each for folder in folders for each in _modules_in(folder)] if not _OF_PACKAGE.match(files[name]) else []
            waiting += [each for each in [files[name], *below] if _is_own(each)]
    return files


def _imports_in(file):
    """The names of the modules, without those of submodules, that a file imports in any of its lines."""
    import ast

    try:
        with open(file, "rb") as source:
            nodes = list(ast.walk(ast.parse(source.read())))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return set()
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.level == 0]
    return {name.partition(".")[0] for name in names}


def _modules_in(folder):
    return [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names if name.endswith(".py")]


# ---------------------------------------------------------------- a function is a model


class Min(float):
    """The least value of an input: Annotated[float, Min(0)]."""


class Max(float):
    """The greatest value of an input."""


class Unit(str):
    """The unit of an input or output: Annotated[float, Unit("MINUTE")]."""


class Name(str):
    """The name of an input or output, if it is not the name of the parameter: Annotated[float, Name("{STOP_TIME}")]."""


class File:
    """The type of an input file, whose value is a path or None, and of an output file, whose value is a path."""


class Curve:
    """The type of an output that is a curve: a Series, a pair of lists x and y, or one list y."""


_INPUTS = {bool: "BOOLEAN", int: "LONG", float: "DOUBLE", str: "STRING", File: "INPUT_FILE"}
_OUTPUTS = {bool: "BOOLEAN", int: "LONG", float: "DOUBLE", str: "STRING", File: "OUTPUT_FILE", Curve: "DATA_SET"}
_SPECIAL = ("seed", "rng", "progress")
# System inputs that are whole numbers of 32 bits.
_SHORT = ("{MAX_MEMORY_MB}", "{NUMBER_OF_REPLICATIONS}")
_models = []


def model(function=None, *, name=None):
    """Marks a function as the model of its file. The function itself is not changed.

    name: the name of the model. Without it, the name of the function counts: coffee_bar becomes "Coffee bar".
    """
    if function is None:
        return lambda function: model(function, name=name)
    plain = inspect.unwrap(function)
    others = (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction)
    if not inspect.isfunction(plain) or any(is_other(plain) for is_other in others):
        where = '@model, or @model(name="…"), stands before a function'
        raise TypeError(f"{where} without async and yield, and not before a class")
    _models.append((function, name))
    return function


def _title(name):
    text = name.replace("_", " ").strip()
    return text[:1].upper() + text[1:]


def _split(hint):
    """A type hint as the type and the notes of Annotated. None counts in no hint: Python 3.10 adds it for a default None."""
    hint = _without_none(hint)
    return (_without_none(hint.__origin__), hint.__metadata__) if hasattr(hint, "__metadata__") else (hint, ())


def _without_none(kind):
    # the marks of a TypedDict say only that a run may leave a value out; typing and typing_extensions have them
    if getattr(typing.get_origin(kind), "_name", None) in ("Required", "NotRequired"):
        kind = typing.get_args(kind)[0]
    if typing.get_origin(kind) in (typing.Union, getattr(types, "UnionType", typing.Union)):
        others = [one for one in typing.get_args(kind) if one is not type(None)]
        return others[0] if len(others) == 1 else kind
    return kind


def _mark(hint):
    """The mark of a member of a TypedDict, Required or NotRequired; None if it has none."""
    kind = hint.__origin__ if hasattr(hint, "__metadata__") else hint
    name = getattr(typing.get_origin(kind), "_name", None)
    return name if name in ("Required", "NotRequired") else None


def _noted(item, notes):
    """Adds what the notes of a type hint say: names, units, bounds, also those of annotated_types and pydantic."""
    for note in notes:
        if isinstance(note, (Min, Max)):
            item["min" if isinstance(note, Min) else "max"] = float(note)
        elif isinstance(note, Unit):
            item["units"] = str(note)
        elif isinstance(note, (Name, str)):
            item["name"] = str(note).strip()  # as foray declares it
        else:
            for bound in [note, *getattr(note, "metadata", [])]:
                for attribute, key in (("ge", "min"), ("le", "max")):
                    if getattr(bound, attribute, None) is not None:
                        item[key] = float(getattr(bound, attribute))
                if getattr(bound, "gt", None) is not None or getattr(bound, "lt", None) is not None:
                    name = item["name"]
                    raise TypeError(f'"{name}" has a limit that it may not reach (gt or lt); use Min, Max, ge or le')
    for key in ("min", "max"):
        if math.isinf(item.get(key, 0)):
            del item[key]
    return item


def _type_of(kind, table):
    """The type in foray for a type hint; None if there is none. A wrong hint may be no key of a dict."""
    return next((table[known] for known in table if known is kind), None)


def _default(kind, value, where):
    """The default of an input in its type. A file has none."""
    if kind is File:
        if value not in (None, ""):
            raise TypeError(f"{where} is a file that a run is given, so its default is None")
        return ""
    try:
        typed = kind(value)
    except (TypeError, ValueError, OverflowError):
        typed = None
    if typed is None or typed != value or (kind is float and math.isinf(typed)):
        expected = "finite number" if kind is float else kind.__name__
        raise TypeError(f"{where} has the default {value!r}, which is no {expected}")
    return str(typed) if kind is int and abs(typed) > _MOST_EXACT else typed


class _Model:
    """A function with its declaration."""

    def __init__(self, function, name):
        self.function = function
        self._name = name or _title(function.__name__)
        self._hints = typing.get_type_hints(function, include_extras=True)
        self._parameters = inspect.signature(function).parameters
        # for parameters whose values are not those of the run: a function of its name and value
        self._readers = {}
        self._inputs = {}
        for parameter in self._parameters.values():
            if parameter.name not in _SPECIAL:
                item = self._input(parameter)
                if item["name"] in self._inputs:
                    raise TypeError(f'two inputs of {function.__name__} have the name "{item["name"]}"')
                self._inputs[item["name"]] = (parameter.name, item)
        self._outputs = self._declared_outputs()
        kind, _ = _split(self._hints.get("rng", random.Random))
        self._is_random = kind is random.Random
        if not self._is_random and getattr(kind, "__name__", None) != "Generator":
            raise TypeError(f"rng has the type {kind!r}; use random.Random, numpy.random.Generator or a parameter seed")

    def declaration(self):
        seeded = self._declared_seed()
        about = (inspect.getdoc(self.function) or "").split("\n\n")[0]
        return {
            "name": self._name,
            "description": " ".join(about.split()),
            "inputs": seeded + [item for _, item in self._inputs.values()],
            "outputs": [item for item, _ in self._outputs.values()],
        }

    def run(self, inputs, progress):
        """Calls the function with the inputs of a run. Returns its outputs by their declared names."""
        given = {}
        for name, (parameter, _) in self._inputs.items():
            reader = self._readers.get(parameter)
            given[parameter] = reader(name, inputs[name]) if reader else inputs[name]
        seed = inputs.get("{RANDOM_SEED}")
        if "seed" in self._parameters:
            given["seed"] = seed
        if "rng" in self._parameters:
            given["rng"] = self._generator(seed)
        if "progress" in self._parameters:
            given["progress"] = progress
        by_place = [given.pop(one.name) for one in self._parameters.values() if one.kind is one.POSITIONAL_ONLY]
        returned = self.function(*by_place, **given)
        if hasattr(returned, "_asdict"):
            returned = returned._asdict()
        elif hasattr(returned, "__dataclass_fields__"):
            returned = {name: getattr(returned, name) for name in returned.__dataclass_fields__}
        if not isinstance(returned, dict):
            return returned
        outputs = {self._outputs[key][0]["name"]: None for key in self._optional}
        for key, value in returned.items():
            item, kind = self._outputs.get(key, ({"name": key}, None))
            outputs[item["name"]] = _curve(value, f'the output "{item["name"]}"') if kind is Curve else value
        return outputs

    def _declared_seed(self):
        """The input for the seed, in a list that is empty if the function takes none."""
        parameter = self._parameters.get("seed", self._parameters.get("rng"))
        if parameter is None:
            return []
        _, notes = _split(self._hints.get(parameter.name))
        default = parameter.default if isinstance(parameter.default, int) else 1
        item = {"name": "seed", "type": "LONG", "default": _default(int, default, "the seed")}
        return [{**_noted(item, notes), "name": "{RANDOM_SEED}"}]

    def _input(self, parameter):
        where = f'the input "{parameter.name}" of {self.function.__name__}'
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise TypeError(f"{where} stands for any number of inputs; write a parameter for each")
        if parameter.default is inspect.Parameter.empty:
            raise TypeError(f"{where} needs a default value")
        kind, notes = _split(self._hints.get(parameter.name, type(parameter.default)))
        item, default = {"name": _title(parameter.name)}, parameter.default
        if typing.get_origin(kind) is typing.Literal:
            item["values"] = list(typing.get_args(kind))
        elif isinstance(kind, enum.EnumMeta):
            if not isinstance(default, kind):
                raise TypeError(f"{where} has the default {default!r}, which is no {kind.__name__}")
            item["values"], default = [member.value for member in kind], default.value
            self._readers[parameter.name] = lambda _, value, members=kind: members(value)
        if "values" in item:
            kind = type(item["values"][0])
            if any(type(value) is not kind for value in item["values"]):
                raise TypeError(f"{where} has values of several types: {item['values']}")
        if typing.get_origin(kind) is list or kind is list:
            self._readers[parameter.name] = functools.partial(_listed, typing.get_args(kind))
            return _noted({**item, "type": "STRING", "default": _json.encode(default)}, notes)
        item["type"] = _type_of(kind, _INPUTS)
        if item["type"] is None:
            raise TypeError(f"{where} has the type {kind!r}; use bool, int, float, str, list[float], Literal, an Enum or File")
        item["default"] = _default(kind, default, where)
        noted = _noted(item, notes)
        return {**noted, "type": "INTEGER"} if noted["name"] in _SHORT else noted

    def _declared_outputs(self):
        result = self._hints.get("return")
        if not getattr(result, "__annotations__", None):
            raise TypeError(
                f"the function {self.function.__name__} must say what it returns: a TypedDict, a NamedTuple or a "
                "dataclass with a type for each output"
            )
        outputs = {}
        # a TypedDict with NotRequired or total=False says which outputs a run may leave out
        self._optional = []
        for name, hint in typing.get_type_hints(result, include_extras=True).items():
            kind, notes = _split(hint)
            # Python itself sees no mark if annotations are texts (from __future__ import annotations)
            mark = _mark(hint)
            if mark == "NotRequired" or mark is None and name in getattr(result, "__optional_keys__", ()):
                self._optional.append(name)
            if _type_of(kind, _OUTPUTS) is None:
                raise TypeError(
                    f'the output "{name}" of {self.function.__name__} has the type {kind!r}; '
                    "use bool, int, float, str, Curve or File"
                )
            outputs[name] = (_noted({"name": _title(name), "type": _type_of(kind, _OUTPUTS)}, notes), kind)
        return outputs

    def _generator(self, seed):
        if self._is_random:
            return random.Random(seed)
        import numpy

        return numpy.random.default_rng(seed)


def _listed(kinds, name, text):
    """The value of an input that is a list, from its text."""
    try:
        found = json.loads(text)
        if not isinstance(found, (list, type(None))):
            raise TypeError(f"it is of the type {type(found).__name__}")
        return [float(number) for number in found] if kinds == (float,) and found is not None else found
    except (TypeError, ValueError) as error:
        raise ValueError(f'the input "{name}" is no list such as [1, 2.5]: {error}') from None


def _curve(value, what="it"):
    """A curve as JSON: of a Series, of a pair of sequences x and y, or of one sequence y."""
    if value is None or isinstance(value, dict):
        return value
    if not hasattr(value, "__len__"):
        forms = "a list y, a pair of lists x and y, or a Series"
        raise TypeError(f"{what} is a curve: {forms}, and not {type(value).__name__}")
    x, y = range(len(value)), value
    if hasattr(value, "index") and hasattr(value, "to_numpy"):
        x, y = value.index, value.to_numpy()
    elif len(value) == 2 and all(hasattr(one, "__len__") for one in value):
        x, y = value
    try:
        return {"dataX": [float(number) for number in x], "dataY": [float(number) for number in y]}
    except (TypeError, ValueError):
        hint = "Give dates as the time since the first one, and one column of a table."
        raise TypeError(f"{what} is a curve, whose x and y are numbers. {hint}") from None


def _load(file):
    """Imports the file of a model, and returns its model."""
    from importlib.util import module_from_spec, spec_from_file_location

    file = os.path.abspath(file)
    folder, name = os.path.split(file)
    module = os.path.splitext(name)[0]
    if module in sys.modules or module in getattr(sys, "stdlib_module_names", ()):
        raise ImportError(f"{name} would hide the module {module} of Python; give the file another name")
    sys.argv[:] = [file]
    sys.path.insert(0, folder)
    sys.modules["foray_model"] = sys.modules["__main__"]
    spec = spec_from_file_location(module, file)
    sys.modules[module] = module_from_spec(spec)
    spec.loader.exec_module(sys.modules[module])
    if len(_models) != 1:
        raise TypeError(f"{name} has {len(_models)} functions with @model, but must have one")
    return _Model(*_models[0])


def _loaded_files():
    """The files of the modules that are imported from source, without those of Python itself."""
    files = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    own = (sys.prefix, sys.base_prefix, os.path.dirname(os.path.abspath(__file__)))
    return sorted(file for file in files if file and os.path.isabs(file) and not file.startswith(own))


def _build():
    """The versions of Python and of the installed packages of the model, this Python, and the folders of packages."""
    # the imported modules of each folder, in the order in which Python looks for them
    loaded = {folder: set() for folder in sys.path if _is_of_packages(folder)}
    installed = {}
    for name, file in _imported().items():
        found = _OF_PACKAGE.match(file)
        if found:
            installed[name] = found.groups()
    at_start = _at_start() if installed else ()
    for name, (folder, package) in installed.items():
        if name not in at_start:
            loaded.setdefault(folder, set()).add(package)
    packages = {}
    if any(loaded.values()):
        from importlib.metadata import distributions

        for folder, names in loaded.items():
            # another folder may have another version of the package, which is not the one that was imported
            for one in distributions(path=[folder]) if names else []:
                record = one.read_text("RECORD") or one.read_text("top_level.txt") or ""
                if not names.isdisjoint(re.split("[/,]", line, maxsplit=1)[0] for line in record.splitlines()):
                    packages.setdefault(one.metadata["Name"], one.version)
    version = "%d.%d" % sys.version_info[:2]
    return {
        "python": version,
        "packages": dict(sorted(packages.items())),
        "program": sys.executable,
        "folders": sorted(loaded),
    }


def _at_start():
    """The names of the modules that Python imports at its start, for example because setuptools is installed."""
    if _AT_START is not None:
        return _AT_START
    import subprocess

    script = [sys.executable, "-c", "import sys; print(*sys.modules)"]
    return set(subprocess.run(script, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True).stdout.split())


def _is_of_packages(folder):
    return os.path.basename(folder) in ("site-packages", "dist-packages") and os.path.isdir(folder)


def _place(error, file):
    """The file and line of a model where an error has its cause. None if it is somewhere else."""
    folder = os.path.dirname(os.path.abspath(file))
    places = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError):
        places.append((error.filename, error.lineno))
    if _models:  # a wrong declaration
        code = inspect.unwrap(_models[0][0]).__code__
        places.insert(0, (code.co_filename, code.co_firstlineno))
    own = [place for place in places if place[0] and place[1] and os.path.dirname(place[0]) == folder]
    return {"file": own[-1][0], "line": own[-1][1]} if own else None


def _main(file, *rest):
    """python foray_model.py model.py: serves the model. With "describe": prints its declaration."""
    channel = _open_channel()
    opened = _watch_files() if rest == ("describe",) else set()
    try:
        found = _load(file)
        if rest == ("describe",):
            said = {"declaration": found.declaration(), "loaded": _loaded_files(), "opened": _opened_outside(opened)}
            channel.say(_json.encode({**said, "python": _build()}))
            return
    except Exception as error:
        _print_traceback(error)
        problem = _problem(error)
        if rest != ("describe",):
            sys.exit(problem)
        channel.say(json.dumps({"problem": problem, "place": _place(error, file)}))
        return
    serve(found.run)


if __name__ == "__main__":
    _main(*sys.argv[1:])
