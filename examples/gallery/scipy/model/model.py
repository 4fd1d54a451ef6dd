"""A pendulum, whose differential equation SciPy solves."""

import math
from typing import Annotated, TypedDict

from foray_model import Curve, Max, Min, Unit, model
from scipy.integrate import solve_ivp


class Result(TypedDict):
    period: Annotated[float, Unit("SECOND")]
    angle: Curve


@model
def pendulum(
    amplitude: Annotated[float, Min(1), Max(175), Unit("DEGREE")] = 90.0,
    length: Annotated[float, Min(0.01), Unit("METER")] = 1.0,
) -> Result:
    """It starts at rest. A quarter of the period later, it passes its lowest point."""

    def change(_, state):
        return state[1], -9.80665 / length * math.sin(state[0])

    def lowest(_, state):
        return state[0]

    lowest.terminal = True
    end = 20 * math.sqrt(length)
    found = solve_ivp(change, (0, end), (math.radians(amplitude), 0), method="DOP853", events=lowest, rtol=1e-12, atol=1e-12)
    return {"period": 4 * found.t_events[0][0], "angle": (found.t, [math.degrees(each) for each in found.y[0]])}
