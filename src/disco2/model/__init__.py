"""Relations -> scores: the paper's composition and bilinear forms with their gradients, or an encoder."""

from disco2.model.encoder_model import EncoderModel
from disco2.model.parameters import ModelSettings, Parameters, initial_parameters
from disco2.model.relation_model import RelationModel

AnyModel = RelationModel | EncoderModel

__all__ = ["AnyModel", "EncoderModel", "ModelSettings", "Parameters", "RelationModel", "initial_parameters"]
