"""How a model is trained."""

from __future__ import annotations

from dataclasses import dataclass

from disco2.model.parameters import GROUPS
from disco2.settings import Settings, setting


@dataclass(frozen=True)
class TrainingSettings(Settings):
    """Optimisation. Rates and regularisers are separate for the groups of parameters."""

    seed: int = setting(
        1, "fixes initial parameters, order of examples and the random development part", minimum=0
    )
    epochs: int = setting(30, "passes over the training relations at most", minimum=1)
    patience: int = setting(
        6, "stop after this number of passes without improvement in development", minimum=1
    )
    stop_by: str = setting(
        "auto",
        "the better pass in development has the lower loss, or the higher score (accuracy or F1); "
        "auto: F1 for one class against the rest, else loss",
        choices=("auto", "loss", "score"),
    )
    batch_size: int = setting(64, "relations in a step", minimum=1)
    development_share: float = setting(
        0.2, "of the training relations, where the corpus has no dev part", above=0, below=1
    )
    loss: str = setting(
        "large-margin", "large-margin: the paper's; logistic: softmax", choices=("large-margin", "logistic")
    )
    averaging: float = setting(
        0.98,
        "decay of the running mean of the parameters that is kept; 0: no mean",
        minimum=0,
        below=1,
    )
    clip: float = setting(5.0, "largest norm of a gradient", above=0)
    warm_start: int = setting(0, "passes that train the feature weights alone before all else", minimum=0)
    dropout: float = setting(
        0.0,
        "share of the components of the argument vectors u_m, u_n that is set to zero at random in each "
        "training step (inverted dropout: the rest is divided by 1 - share); 0: none",
        minimum=0,
        below=1,
    )
    rate_upward: float = setting(0.02, "learning rate of U", minimum=0)
    rate_downward: float = setting(0.003, "learning rate of V", minimum=0)
    rate_features: float = setting(0.01, "learning rate of beta", minimum=0)
    rate_surface: float = setting(
        0.01, "learning rate of beta in members that read the surface features alone", minimum=0
    )
    rate_classification: float = setting(0.02, "learning rate of A and b", minimum=0)
    rate_entities: float = setting(0.003, "learning rate of B; the paper: that of A", minimum=0)
    lambda_upward: float = setting(0.02, "regulariser of U", minimum=0)
    lambda_downward: float = setting(0.002, "regulariser of V", minimum=0)
    lambda_features: float = setting(0.0005, "regulariser of beta", minimum=0)
    lambda_classification: float = setting(0.001, "regulariser of A", minimum=0)
    lambda_entities: float = setting(0.002, "regulariser of B; the paper: that of A", minimum=0)

    def rates(self) -> dict[str, float]:
        """Learning rate by group of parameters."""
        return {group: getattr(self, f"rate_{group}") for group in GROUPS}

    def regularisers(self) -> dict[str, float]:
        """Lambda by group of parameters."""
        return {group: getattr(self, f"lambda_{group}") for group in GROUPS}
