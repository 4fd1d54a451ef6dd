from typing import TypedDict

from foray_model import model


class Result(TypedDict):
    y: float


@model(name="Python no-op")
def noop(*, seed: int = 1) -> Result:
    return {"y": float(seed % 1000)}
