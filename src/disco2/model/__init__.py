"""Arrays -> scores and gradients: composition, bilinear scores, baselines, word vectors."""

from disco2.model.parameters import GROUPS, Parameters, initial_parameters
from disco2.model.relation_model import RelationModel
from disco2.model.settings import ModelSettings

__all__ = ["GROUPS", "ModelSettings", "Parameters", "RelationModel", "initial_parameters"]
