"""What GUM's training part looks like to the model: constants that the generated trees are held to.

Measured on the 3,337 training examples that ``Configuration()`` gives on GUM v11 (implicit relations, types
at level 2, two senses as two examples, default ``FeatureSettings``), encoded by the product's own
``Encoder``: means over examples; the levels are means over 60 random batches of 64.
``benchmarks.speed.describe`` computes the same figures of any examples, ``benchmarks.speed.from_gum`` reads
GUM's, so they can be measured anew.
"""

from __future__ import annotations

LABELS = 12
# Shares of the labels, the most common first.
LABEL_SHARES = (0.248, 0.185, 0.163, 0.161, 0.105, 0.033, 0.029, 0.025, 0.023, 0.017, 0.007, 0.004)
FEATURES = 706  # columns that the default settings select
FIRED = 46.5  # features that fire in an example
VOCABULARY = 50_001  # rows of the table of word vectors

WORDS = 17.7  # in an argument
WORDS_DEVIATION = 12.05
WORDS_CORRELATION = 0.39  # between the two arguments of an example
NODES = 68.9  # in the two trees of an example
INNER = 33.4
INNER_CHILDREN = 0.470  # share of inner nodes among the children of inner nodes
DOWN = 8.8  # nodes on the way to a mention, roots left out
LINKS = 0.705  # entities that both arguments mention
LINK_SHARES = (0.457, 0.407, 0.113, 0.019, 0.004)  # of examples with 0, 1, 2, ... of them
MENTIONS = 1.37  # of a linked entity in one argument
LEAF_MENTIONS = 0.74  # share of mentions that are a single word
PAIRS = 1.40  # aligned pairs of mentions
DISTINCT_WORDS = 13.7  # for each example, in a batch of 64
UP_LEVELS = 27.8  # of a batch of 64
DOWN_LEVELS = 21.1  # of a batch of 64

# Labels y' with psi(y*) - psi(y') < 1, for each example: mean over the first twelve passes of a training with
# the default settings and K = 50. The first pass has 4.4, the twelfth 2.4.
VIOLATED = 2.9
