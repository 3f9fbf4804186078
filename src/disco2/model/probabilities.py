"""Scores -> probabilities: a temperature, and the shares of labels that a user expects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np

from disco2.data.batch import Floats
from disco2.errors import BundleError, SettingsError

UNIFORM = "uniform"
Shares = Mapping[str, float] | str  # by label, or ``UNIFORM``
_ROUNDING = 1e-6  # by which shares may add up to more than 1


@dataclass(frozen=True, slots=True)
class Prior:
    """The shares of labels that a user expects, in place of those that the model was trained on.

    p'(y) = p(y) r(y) / sum over y' in A of p(y') r(y'),  r(y) = expected(y) / trained(y)

    over the allowed labels A (Saerens, Latinne & Decaestecker, 2002). trained(y) is n(y), the training
    relations of y. With the shares s that a user names, and up to a factor that is the same for all of A,

    expected(y) = s(y)                                                      where y is named
    expected(y) = (1 - sum of s) n(y) / sum of n over the others of A       where it is not

    So labels that are not named share the rest as in training. Shares of labels that are not allowed are set
    aside; if all of A are named, only the proportions of their shares count.
    """

    labels: tuple[str, ...]
    counts: tuple[float, ...]  # training relations of each label
    shares: tuple[float | None, ...]  # of each label; None if it is not named
    given: Shares  # as the user has it

    @classmethod
    def of(cls, shares: Shares, *, labels: Sequence[str], counts: Mapping[str, float]) -> Prior:
        """The prior of a model with these labels. SettingsError for shares that make no sense."""
        if not all(counts.get(label, 0) > 0 for label in labels):
            raise BundleError(
                "The model does not record how often it was trained on each label, which a prior needs.",
                hint="Train it again with this version of disco2, or leave the prior out.",
            )
        named = _checked(shares, labels)
        given = shares if isinstance(shares, str) else named
        columns = tuple(named.get(label) for label in labels)
        return cls(tuple(labels), tuple(float(counts[label]) for label in labels), columns, given)

    def log_ratios(self, allowed: Sequence[int] | None = None) -> Floats:
        """log r(y) [Y]; minus infinity for labels that are not allowed, or expected never."""
        columns = list(range(len(self.labels)) if allowed is None else allowed)
        named = {column: share for column in columns if (share := self.shares[column]) is not None}
        rest = max(1 - sum(share or 0.0 for share in self.shares), 0.0)
        others = sum(self.counts[column] for column in columns if column not in named)
        ratios = np.zeros(len(self.labels))
        for column in columns:
            # Without the sum of the counts over A and the share of A, which are the same for all labels.
            ratios[column] = named[column] / self.counts[column] if column in named else rest / others
        if not ratios.any():
            raise SettingsError(
                "The prior leaves no share to the labels that can be the answer here.",
                hint=f"Give some of: {', '.join(self.labels[column] for column in columns)}.",
            )
        with np.errstate(divide="ignore"):
            found: Floats = np.log(ratios)
        return found


def _checked(shares: Shares, labels: Sequence[str]) -> dict[str, float]:
    example = f"'{UNIFORM}', or shares by label: {{'{labels[0]}': 0.4}}"
    if shares == UNIFORM:
        return dict.fromkeys(labels, 1 / len(labels))
    if not isinstance(shares, Mapping):
        raise SettingsError(f"Unknown prior {shares!r}.", hint=f"Give {example}.")
    for label, share in shares.items():
        if label not in labels:
            nearest = get_close_matches(str(label), labels, n=1)
            meant = f"Did you mean '{nearest[0]}'? " if nearest else ""
            raise SettingsError(
                f"Unknown label '{label}' in the prior.", hint=f"{meant}Choose among: {', '.join(labels)}."
            )
        is_number = isinstance(share, int | float) and not isinstance(share, bool)
        if not is_number or not 0 <= share <= 1 + _ROUNDING:
            raise SettingsError(
                f"The share of '{label}' in the prior is {share!r}.", hint="Give a number from 0 to 1."
            )
    total = sum(shares.values())
    if total > 1 + _ROUNDING:
        raise SettingsError(
            f"The shares of the prior add up to {total:.6g}, which is more than 1.",
            hint="Labels that are not named share the rest.",
        )
    return {label: float(share) for label, share in shares.items()}


@dataclass(frozen=True, slots=True)
class Calibration:
    """p(y) = exp(psi(y) / T) / sum over allowed y' of exp(psi(y') / T).

    ``temperature`` is T where only some labels are allowed, the senses; ``running_text`` is T where all are,
    the same unless another one was fitted. A ``prior`` replaces the shares of labels that the model was
    trained on.
    """

    temperature: float = 1.0
    running_text: float | None = None
    prior: Prior | None = None

    @property
    def of_running_text(self) -> float:
        return self.temperature if self.running_text is None else self.running_text

    def probabilities(self, scores: Floats, allowed: Sequence[int] | None = None) -> Floats:
        """[n, Y] -> [n, Y]; the labels that are not ``allowed`` get 0."""
        hot = scores.astype(np.float64) / (self.of_running_text if allowed is None else self.temperature)
        if allowed is not None:
            masked = np.full_like(hot, -np.inf)
            masked[:, allowed] = hot[:, allowed]
            hot = masked
        if self.prior is not None:
            hot += self.prior.log_ratios(allowed)
        hot -= hot.max(axis=1, keepdims=True)
        found: Floats = np.exp(hot)
        found /= found.sum(axis=1, keepdims=True)
        return found
