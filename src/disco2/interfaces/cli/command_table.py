"""Every command of the program: its name, the function behind it, and its line in the listing.

The order is that of the listing: what users need first comes first.
"""

from __future__ import annotations

from disco2.interfaces.cli.lazy_commands import Declared, DeclaredGroup, Table

_HERE = "disco2.interfaces.cli"

_CORPUS = {
    "stats": Declared(
        f"{_HERE}.corpus_stats",
        "corpus_stats",
        "Relations by kind, sense and part; shared entities; what was dropped and why.",
    ),
    "role-pairs": Declared(
        f"{_HERE}.corpus_role_pairs",
        "role_pairs",
        "Pairs like Bob's and Tina's, where only the pronoun's referent decides the relation.",
    ),
    "mine": Declared(
        f"{_HERE}.corpus_mine",
        "corpus_mine",
        "Find pairs that a connective joins in any English text, and write them without it, to train on.",
    ),
    "convert": Declared(
        f"{_HERE}.corpus_convert",
        "corpus_convert",
        "Write a corpus in another form. Both forms leave coreference out.",
    ),
}

_EXPERIMENT = {
    "multiclass": Declared(
        f"{_HERE}.experiment",
        "multiclass",
        "Accuracy of every model of the paper's table, with tests of the differences.",
    ),
    "crossvalidation": Declared(
        f"{_HERE}.experiment",
        "crossvalidation",
        "With and without entities, with and without features, on all documents in five folds.",
    ),
    "dimension": Declared(
        f"{_HERE}.experiment", "dimension", "Accuracy of the full model over the number of dimensions K."
    ),
    "coreference": Declared(
        f"{_HERE}.experiment",
        "coreference",
        "Relations with shared entities under the corpus's own and under automatic coreference.",
    ),
    "binary": Declared(
        f"{_HERE}.experiment",
        "binary",
        "One class of level 1 against all others: F1 and accuracy of four classifiers.",
    ),
    "embeddings": Declared(
        f"{_HERE}.experiment",
        "embeddings",
        "A map of the word vectors (t-SNE) with pronouns and other words of interest marked.",
    ),
    "initialisation": Declared(
        f"{_HERE}.experiment",
        "initialisation",
        "What happens when the low-rank factors start at zero, as the paper has it.",
    ),
    "beyond": Declared(
        f"{_HERE}.experiment",
        "beyond",
        "What is not in the paper: the steps from its model to the best one we know.",
    ),
    "all": Declared(
        f"{_HERE}.experiment_all",
        "everything",
        "All experiments; called again after an interruption, it goes on where it was.",
    ),
    "layers": Declared(
        f"{_HERE}.experiment_layers",
        "experiment_layers",
        "The same model trained and tested on the corpus's own layers, and with those of --automatic made "
        "anew.",
    ),
}

_ANNOTATOR = {
    "train": Declared(
        f"{_HERE}.annotator_train",
        "annotator_train",
        "Train tokens, tags, dependencies, constituents and coreference on GUM's training part.",
    ),
    "evaluate": Declared(
        f"{_HERE}.annotator_evaluate",
        "annotator_evaluate",
        "Tokens, sentences, tags, dependencies, trees and chains: how well each layer is made.",
    ),
}

_CACHE = {
    "info": Declared(
        f"{_HERE}.cache",
        "cache_info",
        "Where the cache is and how much it holds: texts that were annotated for training, with their "
        "layers.",
    ),
    "clear": Declared(
        f"{_HERE}.cache",
        "cache_clear",
        "Remove the cache; the next command that needs layers makes them again.",
    ),
}

COMMANDS: Table = {
    "predict": Declared(
        f"{_HERE}.predict",
        "predict",
        "All relations of a text: stated by connectives, inside sentences, between them; or those of pairs.",
    ),
    "serve": Declared(
        f"{_HERE}.serve",
        "serve",
        "Relations over HTTP, and a page to look at them. Ctrl+C or SIGTERM ends it when all is answered.",
    ),
    "annotate": Declared(
        f"{_HERE}.annotate",
        "annotate",
        "Tokens, tags, trees, dependencies, mentions and chains of a text, as JSON.",
    ),
    "train": Declared(
        f"{_HERE}.train",
        "train",
        "Train a model; the dev part says when to stop, the test part is not looked at.",
    ),
    "tune": Declared(
        f"{_HERE}.tune",
        "tune_settings",
        "Find settings that do well on the development relations; the test part is not touched.",
    ),
    "evaluate": Declared(
        f"{_HERE}.evaluate",
        "evaluate",
        "Accuracy with its interval, F1 by sense, confusion, and pairs with and without shared entities.",
    ),
    "models": Declared(
        f"{_HERE}.models",
        "models",
        "The models that ship: size, speed, accuracy, data and licence of each.",
    ),
    "corpus": DeclaredGroup("Look at corpora, make and convert them.", _CORPUS),
    "experiment": DeclaredGroup("The paper's tables and figures.", _EXPERIMENT),
    "annotator": DeclaredGroup("The built-in English annotator.", _ANNOTATOR),
    "cache": DeclaredGroup("Layers that are kept of texts annotated for training.", _CACHE),
    "doctor": Declared(
        f"{_HERE}.doctor",
        "doctor",
        "What is installed, which model is used, and whether everything works; for reports of faults.",
    ),
}
