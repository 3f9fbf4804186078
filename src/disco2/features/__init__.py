"""Surface features of Lin, Kan & Ng (2009) and further ones: relations -> sparse binary rows.

``pairs_and_rules`` and ``clauses`` say what the features are, family by family; ``selection`` picks the
informative and the frequent ones, and ``extractor`` holds these and finds them again in other relations.
"""

from disco2.features.extractor import FeatureExtractor, FeatureSettings

__all__ = ["FeatureExtractor", "FeatureSettings"]
