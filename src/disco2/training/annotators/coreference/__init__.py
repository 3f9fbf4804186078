"""Training of the built-in coreference model (``disco2.annotation.english.coreference``)."""

from disco2.training.annotators.coreference.settings import CoreferenceSettings
from disco2.training.annotators.coreference.train import (
    TrainingReport,
    evaluate_coreference,
    train_coreference,
)

__all__ = ["CoreferenceSettings", "TrainingReport", "evaluate_coreference", "train_coreference"]
