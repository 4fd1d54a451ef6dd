"""Bayesian optimisation of Ax. It uses the noise of values, and points that it did not propose."""

import logging

from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from foray_search import Optimiser, run

logging.disable(logging.CRITICAL)


class Ax(Optimiser):
    def __init__(self, start):
        super().__init__(start)
        self.client = Client(random_seed=self.seed)
        # names of inputs may contain characters that Ax does not accept
        self.names = {one.name: f"x{at}" for at, one in enumerate(self.inputs)}
        self.client.configure_experiment(parameters=[self.parameter(one) for one in self.inputs])
        self.client.configure_optimization(objective="-loss")

    def parameter(self, one):
        if one.type == "choice":
            kind = type(one.values[0]).__name__
            return ChoiceParameterConfig(
                name=self.names[one.name], parameter_type=kind, values=one.values, is_ordered=one.ordered
            )
        return RangeParameterConfig(
            name=self.names[one.name],
            parameter_type="int" if one.type == "integer" else "float",
            bounds=(one.min, one.max),
            scaling="log" if one.log else "linear",
        )

    def ask(self):
        for index, point in self.client.get_next_trials(max_trials=1).items():
            return index, {one.name: point[self.names[one.name]] for one in self.inputs}
        return None

    def tell(self, index, result):
        if result.failed:
            return self.client.mark_trial_failed(trial_index=index)
        loss = result.loss if result.se is None else (result.loss, result.se)
        self.client.complete_trial(trial_index=index, raw_data={"loss": loss})

    def add(self, result):
        point = {self.names[name]: value for name, value in result.point.items()}
        self.tell(self.client.attach_trial(parameters=point), result)


run(Ax)
