"""scikit-learn's own checks of estimators.

Most feed numbers, which are no texts. So each runs twice. On the estimator as it is, those that look at no
relation must pass, and all others must fail because they feed numbers. On one that reads every row of numbers
as words, all must pass but those in ``EXPECTED``, which must fail.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn", minversion="1.6")

from sklearn.exceptions import SkipTestWarning
from sklearn.utils.estimator_checks import check_estimator, estimator_checks_generator
from sklearn.utils.validation import check_is_fitted, validate_data

from disco2.interfaces.estimator import Disco2Classifier, UnusableInputError
from tests.interfaces.made_up_pairs import SMALL, SteadyRules

SOME_WORDS = """
apple bread water house horse table river stone cloud paper music green light small young early happy quiet
north money train story heart night glass field plant chair smoke metal sugar winter summer garden window
"""
WORDS = SOME_WORDS.split()

# What does not pass even with words for numbers, and why.
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": "Rows are held out for development, and the others are "
    "taken in random steps: a row that weighs two is in one step, and a row that is there twice is in two, "
    "or in one and held out."
}
# What looks at no relation, and so holds for the estimator as it is.
WITHOUT_RELATIONS = {
    "check_all_zero_sample_weights_error",
    "check_classifiers_one_label",
    "check_classifiers_one_label_sample_weights",
    "check_classifiers_regression_target",
    "check_complex_data",
    "check_do_not_raise_errors_in_init_or_set_params",
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_estimator_sparse_tag",
    "check_estimator_tags_renamed",
    "check_estimators_empty_data_messages",
    "check_estimators_partial_fit_n_features",
    "check_estimators_unfitted",
    "check_fit1d",
    "check_fit2d_1feature",
    "check_fit2d_1sample",
    "check_get_params_invariance",
    "check_mixin_order",
    "check_no_attributes_set_in_init",
    "check_non_transformer_estimators_n_iter",
    "check_parameters_default_constructible",
    "check_requires_y_none",
    "check_set_params",
    "check_supervised_y_no_nan",
    "check_valid_tag_types",
}


class TakesArrays(Disco2Classifier):
    """The estimator as it is, but for a tag without which scikit-learn skips nearly all checks."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        tags.input_tags.one_d_array = False
        return tags


class ReadsNumbers(TakesArrays):
    """Every row of numbers becomes two texts, a word for each number.

    Scores are computed in double precision: the checks compare seven digits, and in single precision the
    last of them depends on how many rows are scored at a time.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        super().fit(X if y is None else in_words(validate_data(self, X)), y, sample_weight)
        model = self.pipeline_.model
        parameters = {name: value.astype(np.float64) for name, value in model.parameters.items()}
        self.pipeline_.model = replace(model, parameters=parameters)
        return self

    def _scores(self, X: Any) -> Any:
        check_is_fitted(self)
        return super()._scores(in_words(validate_data(self, X, reset=False)))


def in_words(X: Any) -> list[tuple[str, str]]:
    def word(column: int, number: float) -> str:
        return WORDS[(7 * column + int(np.floor(2 * number))) % len(WORDS)]

    texts = [" ".join(word(*cell) for cell in enumerate(row)) for row in X.tolist()]
    return [(text, text) for text in texts]


def estimators() -> Iterator[Disco2Classifier]:
    small = SMALL | {"annotators": SteadyRules(), "epochs": 12, "batch_size": 8}
    yield TakesArrays(**small)
    yield ReadsNumbers(**small)


def name_of(check: Callable[..., Any]) -> str:
    return str((check.func if isinstance(check, partial) else check).__name__)


CHECKS = [
    pytest.param(estimator, check, id=f"{type(estimator).__name__}-{name_of(check)}")
    for one in estimators()
    for estimator, check in estimator_checks_generator(one)
]


@pytest.mark.parametrize(("estimator", "check"), CHECKS)
def test_checks_of_scikit_learn(estimator: Disco2Classifier, check: Callable[..., Any]) -> None:
    name = name_of(check)
    if isinstance(estimator, ReadsNumbers):
        if name in EXPECTED:
            with pytest.raises(AssertionError):
                check(estimator)
        else:
            check(estimator)
    elif name in WITHOUT_RELATIONS:
        check(estimator)
    else:
        with pytest.raises((ValueError, AssertionError)) as caught:
            check(estimator)
        assert any("is the number" in error.what for error in behind(caught.value))


def behind(error: BaseException | None) -> Iterator[UnusableInputError]:
    while error is not None:
        if isinstance(error, UnusableInputError):
            yield error
        error = error.__cause__ or error.__context__


def test_all_listed_checks_are_there() -> None:
    known = {name_of(check) for _, check in estimator_checks_generator(next(estimators()))}
    assert known >= EXPECTED.keys()
    assert len(known & WITHOUT_RELATIONS) > 20  # older and newer releases lack some


def test_as_a_user_would_check_it() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkipTestWarning)  # as for scikit-learn's own text vectorisers
        check_estimator(Disco2Classifier())
