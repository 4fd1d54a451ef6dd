"""A pipe from a reservoir to a village with EPANET, which computes the loss of head by the formula of Hazen and Williams."""

import os
import tempfile
from typing import Annotated, TypedDict

from epanet import toolkit
from foray_model import Max, Min, Unit, model


class Result(TypedDict):
    pressure: Annotated[float, Unit("m")]


network = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pipe.inp")


@model(name="EPANET pipe")
def pipe(
    demand: Annotated[float, Min(0), Unit("m³/h")] = 36.0,
    diameter: Annotated[float, Min(50), Max(1000), Unit("mm")] = 150.0,
    roughness: Annotated[float, Min(60), Max(150)] = 100.0,
) -> Result:
    """The pipe is 1 km long, and the reservoir is 100 m above the village."""
    report = os.path.join(tempfile.gettempdir(), "epanet.rpt")
    project = toolkit.createproject()
    toolkit.open(project, network, report, "")
    try:
        node, link = toolkit.getnodeindex(project, "J1"), toolkit.getlinkindex(project, "P1")
        toolkit.setnodevalue(project, node, toolkit.BASEDEMAND, demand)
        toolkit.setlinkvalue(project, link, toolkit.DIAMETER, diameter)
        toolkit.setlinkvalue(project, link, toolkit.ROUGHNESS, roughness)
        toolkit.solveH(project)
        return {"pressure": toolkit.getnodevalue(project, node, toolkit.PRESSURE)}
    finally:
        toolkit.close(project)
        toolkit.deleteproject(project)
