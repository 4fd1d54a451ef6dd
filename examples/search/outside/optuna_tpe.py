import optuna
from foray_search import Optimiser, run


class Tpe(Optimiser):
    def __init__(self, start):
        super().__init__(start)
        self.study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=self.seed))

    def ask(self):
        trial = self.study.ask()
        return trial, {one.name: trial.suggest_float(one.name, one.min, one.max, log=one.log) for one in self.inputs}

    def tell(self, trial, result):
        self.study.tell(trial, result.loss, state=optuna.trial.TrialState.FAIL if result.failed else None)


run(Tpe)
