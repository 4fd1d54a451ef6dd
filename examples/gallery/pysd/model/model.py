"""A Vensim model with PySD. The file teacup.mdl is translated once, into a temporary folder."""

import atexit
import os
import shutil
import tempfile
from typing import Annotated, TypedDict

import pysd
from foray_model import Curve, Min, Unit, model


class Result(TypedDict):
    temperature: Annotated[float, Unit("°C")]
    over_time: Annotated[Curve, Unit("°C")]


folder = tempfile.mkdtemp()
atexit.register(shutil.rmtree, folder, ignore_errors=True)
own = os.path.dirname(os.path.abspath(__file__))
teacup = pysd.read_vensim(shutil.copy(os.path.join(own, "teacup.mdl"), folder))


@model(name="Teacup")
def run(
    starting_temperature: Annotated[float, Unit("°C")] = 80.0,
    room_temperature: Annotated[float, Unit("°C")] = 20.0,
    characteristic_time: Annotated[float, Min(0.5), Unit("MINUTE")] = 10.0,
) -> Result:
    """Tea cools for half an hour."""
    given = {
        "Starting Temperature": starting_temperature,
        "Room Temperature": room_temperature,
        "Characteristic Time": characteristic_time,
    }
    table = teacup.run(params=given, return_columns=["Teacup Temperature"])
    return {"temperature": table["Teacup Temperature"].iloc[-1], "over_time": table["Teacup Temperature"]}
