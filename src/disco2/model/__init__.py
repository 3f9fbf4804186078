"""Relations -> scores: the paper's composition and bilinear forms with their gradients, or an encoder."""

from disco2.model.encoder_model import EncoderModel
from disco2.model.parameters import GROUPS, Parameters, initial_parameters
from disco2.model.relation_model import RelationModel
from disco2.model.settings import ModelSettings

AnyModel = RelationModel | EncoderModel

__all__ = [
    "GROUPS",
    "AnyModel",
    "EncoderModel",
    "ModelSettings",
    "Parameters",
    "RelationModel",
    "initial_parameters",
]
