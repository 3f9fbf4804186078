"""Surface features of Lin, Kan & Ng (2009) and further ones: relations -> sparse binary rows.

Each family has a file that says what the feature is; ``selection`` picks the informative ones, ``counted``
the frequent ones, and ``extractor`` holds the picked ones and finds them again in other relations.
"""

from disco2.features.extractor import FeatureExtractor
from disco2.features.matrix import FeatureMatrix
from disco2.features.settings import FeatureSettings

__all__ = ["FeatureExtractor", "FeatureMatrix", "FeatureSettings"]
