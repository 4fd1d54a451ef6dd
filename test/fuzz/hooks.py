"""Puts the ids of existing models, versions and files, and the names of inputs and outputs, into generated requests.

The schemas cannot list existing ids and names. Without these hooks, the service would refuse nearly every request
because of an unknown id or name, and no test would reach the code behind this check. The hooks replace about half of
the ids and names. They do not change other values, so an invalid request stays invalid.
"""

import json
import os
import re

import schemathesis

# the existing ids, by the name of the parameter
KNOWN = json.loads(os.environ["FORAY_FUZZ_KNOWN"])
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)

INPUTS = ["Text", "Number", "Whole", "Long", "Time", "Flag", "File", "{RANDOM_SEED}"]
OUTPUTS = ["Echo", "Sum", "Table"]


def _chosen(name, names):
    # the result depends only on the generated name, so that a repeated example stays the same
    value = sum(map(ord, name))
    return names[value // 2 % len(names)] if value % 2 else name


def _renamed(items, names):
    if not isinstance(items, list):
        return items
    return [
        {**item, "name": _chosen(item["name"], names)}
        if isinstance(item, dict) and isinstance(item.get("name"), str)
        else item
        for item in items
    ]


@schemathesis.hook
def map_body(context, body):
    if isinstance(body, dict) and "inputs" in body:
        body = {**body, "inputs": _renamed(body["inputs"], INPUTS)}
        text = body.get("outputs")
        if isinstance(text, str) and len(text) % 2:
            names = [OUTPUTS[len(text) % len(OUTPUTS)]]
            body["outputs"] = json.dumps([{"outputs": [{"name": name} for name in names]}])
    elif isinstance(body, list):
        body = [
            {**element, "outputs": _renamed(element.get("outputs"), OUTPUTS)}
            if isinstance(element, dict)
            else element
            for element in body
        ]
    return body


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    return {
        name: _chosen(value, [KNOWN[name]])
        if name in KNOWN and isinstance(value, str) and UUID.fullmatch(value)
        else value
        for name, value in (path_parameters or {}).items()
    }


@schemathesis.hook
def map_query(context, query):
    if not isinstance(query, dict) or not isinstance(query.get("hash"), str):
        return query
    return {**query, "hash": _chosen(query["hash"], [KNOWN["hash"]])}
