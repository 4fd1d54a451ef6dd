"""Campaigns of foray from Python: submit campaigns, wait for them, read their results, and steer them.

    import foray
    server = foray.connect()                      # finds a running "foray dev" or "foray ui"
    campaign = server.submit("campaign.yaml", id="flu")
    frame = campaign.wait().results()             # a pandas DataFrame; frame.attrs["units"] has the units
    server.push("model.py")                       # a model of your own, for the next campaigns

This module needs Python 3.8 or newer and no packages, except that `results` needs pandas. `rows` reads results without
pandas.
"""

import base64
import contextlib
import hashlib
import html
import http.client
import io
import json
import os
import pathlib
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

__all__ = ["Campaign", "ForayError", "Server", "connect"]
__version__ = "0.2.0"

_CLOSED = ("completed", "failed", "cancelled")
# the time to connect and the longest time without a byte, seconds: an answer such as a report may take minutes
_TIMEOUT = 300
# how often a push sends missing files; a service that lacks them once more has lost them
_MOST_ROUNDS = 4
_AWAY = (None, 502, 503, 504)  # HTTP statuses while the server or its store restarts; None without an answer


class ForayError(Exception):
    """An error that the server reports. It is also raised if there is no server, or the server cannot be reached.

    code     the code of the error, as in docs/reference/errors.md
    status   the HTTP status; None without an answer of the server
    problem  the whole answer of the server, as a dict
    """

    def __init__(self, problem):
        self.problem = problem
        self.code, self.status = problem.get("code"), problem.get("status")
        place = "%(file)s:%(line)s:%(column)s: " % problem if "line" in problem else ""
        lines = [place + problem.get("detail", ""), problem.get("hint")]
        lines += [other.get("detail") for other in problem.get("others", [])]
        super().__init__("\n".join(line for line in lines if line))


def connect(url=None, key=None):
    """Connects to a server. By default, FORAY_URL and FORAY_KEY have the address and the key. Without FORAY_URL, the
    server is the running `foray dev` or `foray ui` whose home is FORAY_HOME, or `.foray` in this or a higher folder.
    The home has the key."""
    url = url or os.environ.get("FORAY_URL")
    if url is None:
        page = _running_page()
        url, key = page["url"], key or page["key"]
    key = key or os.environ.get("FORAY_KEY")
    if not key:
        raise ForayError({"code": "KEY_NEEDED", "detail": "A key is needed. Call connect(url, key), or set FORAY_KEY."})
    server = Server(url, key)
    server.campaigns(limit=1)
    return server


def _running_page():
    home = os.environ.get("FORAY_HOME")
    here = pathlib.Path.cwd()
    homes = [pathlib.Path(home)] if home else [folder / ".foray" for folder in (here, *here.parents)]
    for folder in homes:
        try:
            page = json.loads((folder / "page.json").read_text())
            if page["url"] and any(_is_locked(folder / name) for name in ("dev-page.lock", "page.lock")):
                return page
        except (OSError, ValueError, KeyError, TypeError):
            continue  # no file, or a damaged one
    hint = 'Start "foray dev", set FORAY_HOME to its home, or call connect(url, key).'
    detail = "No foray dev or foray ui runs %s." % ("in " + home if home else "in %s or a folder above" % here)
    raise ForayError({"code": "DEV_NOT_RUNNING", "detail": detail, "hint": hint})


def _is_locked(file):
    # a process that serves a page holds SQLite's lock on this empty file, and the system ends the lock with the process
    if not file.exists():
        return False
    try:
        import sqlite3
    except ImportError:
        return True  # a Python without this part cannot ask
    lock = sqlite3.connect(file.absolute().as_uri() + "?mode=ro", uri=True, timeout=0)
    try:
        lock.execute("SELECT 1 FROM sqlite_master").fetchall()
        return False
    except sqlite3.OperationalError as error:
        return "locked" in str(error)
    finally:
        lock.close()


def _opener(url):
    # the key of a server on this machine must not go to a proxy (http_proxy); urllib asks one for 127.0.0.1, too
    host = urllib.parse.urlsplit(url).hostname or ""
    if host in ("localhost", "::1") or re.match(r"127(\.\d+){3}$", host):
        return urllib.request.build_opener(urllib.request.ProxyHandler({})).open
    return urllib.request.urlopen


class Server:
    """A foray server: its campaigns and models."""

    def __init__(self, url, key):
        self.url = url.rstrip("/")
        self._key = key

    @property
    def headers(self):
        """The headers that other clients need, as in `pandas.read_parquet(url, storage_options=server.headers)`."""
        return {"Authorization": "Bearer " + self._key}

    def submit(self, definition, id=None, files=None):
        """Starts a campaign and returns it. With the id and definition of an existing campaign, returns that campaign.

        definition  the path of a file, a text in YAML with at least one line break, or a dict
        files       paths of files that the definition names; a file needs no path here if it is in the folder of the
                    definition and its name has an extension
        """
        place = ("POST", "/campaigns") if id is None else ("PUT", "/campaigns/" + _quoted(id))
        return Campaign(self, self._json(*place, _body(definition, files))["id"])

    def plan(self, definition, files=None):
        """Returns the points, runs and time of a definition, as a dict. It starts nothing."""
        return self._json("POST", "/plan", _body(definition, files))

    def campaign(self, id):
        """The campaign with this id."""
        campaign = Campaign(self, id)
        campaign.status  # raises an error if there is no such campaign
        return campaign

    def campaigns(self, **query):
        """A page of the statuses of campaigns, newest first. Parameters: phase=, model=, owner=, q=, after=, limit=."""
        return self._json("GET", "/campaigns", query=query)

    def models(self):
        """The models of the service."""
        return self._json("GET", "/models")

    def model(self, name):
        """A model with the inputs and outputs of its newest version."""
        return self._json("GET", "/models/" + _quoted(name))

    def push(self, path, files=None):
        """Sends a model to the service, which makes a new version if the model has changed. Campaigns that are submitted
        later use it. Returns {"name", "version", "isNew"}. A mistake in the model is a ForayError with its place.

        path   the file of the model, such as model.py
        files  paths of further files that the model needs, in the folder of the model or below it
        """
        entry = pathlib.Path(path)
        of_model = {"model/" + name: file for name, file in _of_model(entry, files or [])}
        contents = {name: file.read_bytes() for name, file in of_model.items()}
        hashes = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
        by_hash = {hashes[name]: content for name, content in contents.items()}
        modes = {name: file.stat().st_mode & 0o777 for name, file in of_model.items()}
        sent = [{"path": name, "mode": modes[name], "sha256": hashes[name]} for name in contents]
        request = {"folders": ["model"], "entry": "model/" + entry.name, "files": sent}
        for _ in range(_MOST_ROUNDS):
            answer = self._json("POST", "/push/model", request)
            if answer["pushed"]:
                return answer["pushed"]
            for missing in answer["missing"]:
                self._read("POST", "/push/file", by_hash[missing])
        detail = "The service still lacks files of the model after they were sent."
        hint = "If several services share an address, push to the server of one of them."
        raise ForayError({"code": "MODEL_UNREADABLE", "detail": detail, "hint": hint})

    def compare(self, a, b, show=None):
        """Compares two campaigns, given by their ids, point by point: {"rows": […], "notes": […]}."""
        return self._json("GET", "/compare", query={"a": a, "b": b, "show": show})

    def _json(self, method, path, body=None, query=None):
        text = self._read(method, path, body, query)
        return json.loads(text) if text else None

    def _read(self, method, path, body=None, query=None):
        with self._open(method, path, body, query) as answer:
            return answer.read()

    @contextlib.contextmanager
    def _open(self, method, path, body=None, query=None, headers=None, timeout=_TIMEOUT):
        given = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        url = self.url + "/api/v1" + path + ("?" + urllib.parse.urlencode(given, doseq=True) if given else "")
        is_file = isinstance(body, bytes)
        data = body if body is None or is_file else _json_of(body)
        kind = "application/octet-stream" if is_file else "application/json"
        sent = {**self.headers, "Content-Type": kind, **(headers or {})}
        try:
            # the connection can also break while the caller reads the answer
            request = urllib.request.Request(url, data, sent, method=method)
            with _opener(url)(request, timeout=timeout) as answer:
                yield answer
        except urllib.error.HTTPError as error:
            try:
                problem = json.loads(error.read())
            except (ValueError, OSError, http.client.HTTPException):
                problem = {"status": error.code, "detail": "The server answers %s." % error}
            raise ForayError(problem) from None
        except (OSError, http.client.HTTPException) as error:
            detail = "The connection to %s failed: %s." % (self.url, getattr(error, "reason", error))
            hint = "Check the address and that the server runs, and then try again."
            raise ForayError({"code": "SERVER_UNREACHABLE", "detail": detail, "hint": hint}) from None


class Campaign:
    """A campaign of a server."""

    def __init__(self, server, id):
        self.id = id
        self._server = server

    @property
    def status(self):
        """The state of the campaign, as a dict: phase, points, runs, rate, secondsLeft, …"""
        return self._json("GET", "")

    def wait(self, seconds=None, progress=None):
        """Waits until the campaign is closed, and returns it. If the server restarts, this continues to wait. After
        about a minute without a server, ForayError is raised. If the server accepts requests but does not answer, it is
        raised after about eight minutes.

        seconds   the longest wait; if the campaign is not closed then, TimeoutError is raised
        progress  a function that is called with each new status; by default a terminal shows a line
        """
        until = None if seconds is None else time.monotonic() + seconds
        show = progress or (_line if sys.stderr.isatty() else lambda status: None)
        etag = {}
        pause = 1  # the time until the next request to a server that is away; it doubles

        def left(most):
            return most if until is None else max(0, min(most, until - time.monotonic()))

        while True:
            try:
                seconds_held = int(left(30))  # the server answers after this time, also without a change
                query, timeout = {"wait": seconds_held}, seconds_held + 30
                with self._open("GET", "", query=query, headers=etag, timeout=timeout) as answer:
                    status = json.loads(answer.read())
                    etag = {"If-None-Match": answer.headers["ETag"]}
            except ForayError as error:
                if error.status == 304:
                    pause = 1
                elif error.status in _AWAY and pause < 60:
                    time.sleep(left(pause))
                    pause *= 2
                else:
                    raise
            else:
                pause = 1
                show(status)
                if status["phase"] in _CLOSED:
                    return self
            if until is not None and time.monotonic() >= until:
                raise TimeoutError("The campaign %s is not closed after %s s" % (self.id, seconds))

    def results(self, points=False, long=False, all=False, show=None, inputs=None):
        """The results as a pandas DataFrame. It has one row per finished run, with `points` one row per point, or with
        `long` one row per value. `attrs["units"]` has the units of the columns. If pyarrow is installed, columns have
        the types of the model's inputs and outputs.

        inputs  only points with these values of inputs: {"Contact rate": "1.2..1.8", "Strain": ["A", "B"]}
        """
        import pandas

        shape = {"points": points, "long": long, "all": all, "show": show, **_filters(inputs)}
        columns = self._json("GET", "/columns", query=shape)
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            rows = self.rows(points, long, all, show, inputs=inputs)
            frame = pandas.DataFrame.from_records(rows, columns=[one["name"] for one in columns])
        else:
            frame = pandas.read_parquet(io.BytesIO(self._read("/results.parquet", shape)))
        frame.attrs["units"] = {one["name"]: one["units"] for one in columns if one.get("units")}
        return frame

    def rows(self, points=False, long=False, all=False, show=None, follow=False, inputs=None):
        """Yields the results as dicts. With `follow` it yields runs as they finish, until the campaign is closed.
        Hours may pass between two runs, so `follow` waits for the next run without a limit."""
        query = {"points": points, "long": long, "all": all, "show": show, "follow": follow, **_filters(inputs)}
        with self._open("GET", "/results.jsonl", query=query, timeout=None if follow else _TIMEOUT) as answer:
            rest = b""
            # readline would end without an error if the connection breaks between two chunks
            for piece in iter(answer.read1, b""):
                *lines, rest = (rest + piece).split(b"\n")
                yield from map(json.loads, lines)

    def point(self, key):
        """A point with its inputs and its runs, by its key or the beginning of its key."""
        return self._json("GET", "/points/" + _quoted(key))

    def failures(self):
        """The failed runs by cause, the most frequent cause first."""
        return self._json("GET", "/failures")

    def analyze(self, output=None):
        """Which inputs matter, with one analysis per output."""
        return self._json("GET", "/analysis", query={"output": output})

    def report(self, path=None):
        """Returns the report as HTML, and writes it to `path` if given."""
        page = self._read("/report.html").decode()
        if path is not None:
            pathlib.Path(path).write_text(page, encoding="utf-8")
        return page

    def figures(self, show=None):
        """The pictures of the report: a dict from their names to their titles."""
        return {f["name"]: f["title"] for f in self._json("GET", "/figures", query={"show": show})}

    def figure(self, name, show=None):
        """A picture of the report, such as "grid" or "effects". A notebook shows it."""
        return Figure(name, self._read("/figures/" + _quoted(name), {"show": show}).decode())

    def pause(self, reason=None):
        """Pauses the campaign: foray requests no new runs. Requested runs continue."""
        return self._verb("pause", reason=reason)

    def resume(self, reason=None):
        """Continues a paused campaign."""
        return self._verb("resume", reason=reason)

    def stop(self, reason=None):
        """Ends the campaign when its requested runs have finished."""
        return self._verb("stop", reason=reason)

    def cancel(self, reason=None):
        """Ends the campaign and stops its runs. Finished results stay."""
        return self._verb("cancel", reason=reason)

    def retry(self, what="all", version=None, cause=None):
        """Requests runs again. `what`: "all", "failed" or "missing". With `cause`, only failed runs with this cause."""
        return self._verb("retry", what=what if cause is None else {"cause": cause}, version=version)

    def concurrency(self, number):
        """Sets how many runs may be requested at once: a number or "auto"."""
        self._json("PUT", "/concurrency", {"concurrency": number})
        return self

    def apply(self, definition, files=None, dry=False):
        """Changes the campaign to a definition. With `dry`, only returns what would change."""
        return self._json("PUT", "/definition", _body(definition, files), {"dry": dry})

    def delete(self):
        """Deletes a closed campaign with its results."""
        self._json("DELETE", "")

    def __repr__(self):
        return "<campaign %s: %s>" % (self.id, _words(self.status))

    def _repr_html_(self):
        status = self.status
        model = "%s, version %s" % (status["model"], status["modelVersion"])
        facts = {"campaign": self.id, "state": _words(status), "model": model, "note": status["note"]}
        rows = ["<tr><th>%s</th><td>%s</td></tr>" % (k, html.escape(v)) for k, v in facts.items() if v]
        return "<table>%s</table>" % "".join(rows)

    def _verb(self, verb, **given):
        self._json("POST", "/" + verb, {name: value for name, value in given.items() if value is not None})
        return self

    def _json(self, method, path, body=None, query=None):
        return self._server._json(method, "/campaigns/" + _quoted(self.id) + path, body, query)

    def _read(self, path, query=None):
        return self._server._read("GET", "/campaigns/" + _quoted(self.id) + path, None, query)

    def _open(self, method, path, query=None, headers=None, timeout=_TIMEOUT):
        return self._server._open(method, "/campaigns/" + _quoted(self.id) + path, None, query, headers, timeout)


class Figure:
    """A picture of a report as SVG."""

    def __init__(self, name, svg):
        self.name = name
        self.svg = svg

    def save(self, path):
        pathlib.Path(path).write_text(self.svg, encoding="utf-8")

    def _repr_svg_(self):
        return self.svg

    def __repr__(self):
        return "<figure %s>" % self.name


def _body(definition, files):
    found = {}
    text = definition
    if isinstance(definition, os.PathLike) or (isinstance(definition, str) and "\n" not in definition):
        path = pathlib.Path(definition)
        text = path.read_text(encoding="utf-8")
        # sends each file of the same folder whose name has an extension and occurs in the definition
        beside = [one for one in path.parent.iterdir() if one.suffix and one.is_file() and one != path]
        found = {one.name: one for one in beside if one.name in text}
    found.update({pathlib.Path(one).name: pathlib.Path(one) for one in files or []})
    content = {name: base64.b64encode(path.read_bytes()).decode() for name, path in found.items()}
    return {"definition": text, "files": content}


def _of_model(entry, files):
    # the files of a model by their paths below its folder
    folder = pathlib.Path(os.path.abspath(entry)).parent
    for file in [entry, *map(pathlib.Path, files)]:
        try:
            name = pathlib.Path(os.path.abspath(file)).relative_to(folder).as_posix()
        except ValueError:
            detail = "The file %s is not in the folder of the model, %s." % (file, folder)
            hint = "Put all files of a model into its folder."
            raise ForayError({"code": "MODEL_INVALID", "detail": detail, "hint": hint}) from None
        yield name, file


def _json_of(body):
    try:
        return json.dumps(body, allow_nan=False, default=_builtin).encode()
    except (TypeError, ValueError) as error:
        hint = "Values are texts, finite numbers, True, False, None, dates, and lists and dicts of these."
        detail = "A value cannot be sent as JSON: %s." % error
        raise ForayError({"code": "INVALID_VALUE", "detail": detail, "hint": hint}) from None


def _builtin(value):
    if hasattr(value, "tolist"):
        return _dated(value).tolist()  # a number or an array of numpy, or a column of pandas
    if hasattr(value, "isoformat"):
        return _iso(value)
    return list(value)


def _dated(value):
    # numpy makes whole numbers of dates in nanoseconds, and objects of Python of dates in milliseconds
    is_dates = type(value).__module__ == "numpy" and value.dtype.kind == "M"
    return value.astype("datetime64[ms]") if is_dates else value


def _iso(value):
    # a date without a time is its first moment
    return value.isoformat() + ("" if hasattr(value, "hour") else "T00:00")


def _filters(inputs):
    return {"inputs[%s]" % name: _filter(name, value) for name, value in (inputs or {}).items()}


def _filter(name, value):
    if value is not None and (isinstance(value, str) or not hasattr(value, "__iter__")):
        return _text(value)
    items = [] if value is None else [_item(one) for one in value]
    if not items:
        detail = 'The filter for the input "%s" has no values.' % name
        hint = "Give at least one value, or leave this input out."
        raise ForayError({"code": "INVALID_VALUE", "detail": detail, "hint": hint})
    return ",".join(items)


def _item(value):
    if not isinstance(value, str):
        return _text(value)
    plain = value != "" and value == value.strip() and not set(value) & set(',"')
    return value if plain else '"%s"' % value.replace('"', '""')


def _text(value):
    if isinstance(value, (str, list, tuple)):
        return value
    if hasattr(value, "tolist"):
        value = _dated(value).tolist()
    if hasattr(value, "isoformat"):
        return _iso(value)
    # a truth value of numpy is not a bool
    return {"True": "true", "False": "false"}.get(str(value), str(value))


def _quoted(text):
    return urllib.parse.quote(str(text), safe="")


def _words(status):
    runs = status["runs"]
    failed = ", %(failed)d failed" % runs if runs["failed"] else ""
    return status["phase"] + ", %(done)d of %(total)d runs done" % runs + failed


def _line(status):
    end = "\n" if status["phase"] in _CLOSED else ""
    print("\r\033[K%s: %s" % (status["id"], _words(status)), end=end, file=sys.stderr, flush=True)
