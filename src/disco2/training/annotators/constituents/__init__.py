"""Training of the constituency parser; needs PyTorch."""

from disco2.training.annotators.constituents.settings import ParserSettings
from disco2.training.annotators.constituents.train import train_constituents

__all__ = ["ParserSettings", "train_constituents"]
