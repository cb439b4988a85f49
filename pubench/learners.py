"""What PU classifiers built on any scikit-learn classifier share: naming it, seeding it, asking it for scores.

A subclass of :class:`LearnerClassifier` has the parameters ``estimator``, the learner, and ``random_state``. Suites
name the learner by an import string; a plugin's factory turns it into an estimator with :func:`classifier_named`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import has_fit_parameter

from pubench.base import PUClassifier, validate_pu, validate_rows
from pubench.errors import PubenchError, did_you_mean

__all__ = [
    "LearnerClassifier",
    "ScoreMethod",
    "boundary",
    "check_learner",
    "classifier_named",
    "if_learner_has",
    "narrow_indices",
    "positive_scores",
    "score_method",
    "seeded_clone",
    "weight_name",
    "with_learner",
]

ScoreMethod = Literal["predict_proba", "decision_function"]


class LearnerClassifier(MetaEstimatorMixin, PUClassifier):
    """Base of PU classifiers that put a scikit-learn classifier, the learner, to use.

    The learner is the parameter ``estimator``; None is what :meth:`default_learner` returns. Rows may be sparse or
    hold missing values if the learner takes them.
    """

    @staticmethod
    def default_learner() -> Any:
        """Return the learner that None stands for."""
        return LogisticRegression()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        learner = get_tags(self._learner())
        tags.input_tags = learner.input_tags
        tags.non_deterministic = learner.non_deterministic
        return tags

    def _learner(self) -> Any:
        return self.default_learner() if self.estimator is None else self.estimator

    def _validate(self, X: Any, y: Any) -> tuple[Any, NDArray[np.uint8]]:
        """Check what ``fit`` is given; return the rows as an array or CSR matrix, and s in {0, 1}."""
        check_learner(self._learner(), type(self).__name__)
        X, s = validate_pu(self, X, y, **self._row_rules())
        return narrow_indices(X), s

    def _validate_rows(self, X: Any) -> Any:
        return narrow_indices(validate_rows(self, X, **self._row_rules()))

    def _row_rules(self) -> dict[str, Any]:
        tags = get_tags(self._learner()).input_tags
        return {
            "accept_sparse": "csr" if tags.sparse else False,
            "ensure_all_finite": "allow-nan" if tags.allow_nan else True,
        }


def check_learner(learner: Any, owner: str) -> None:
    """Raise ValueError unless the learner can be a classifier: an estimator, and no outlier detector or regressor."""
    if isinstance(learner, type) or not hasattr(learner, "get_params"):
        raise ValueError(
            f"estimator of {owner} must be a scikit-learn classifier, such as LogisticRegression(); got {learner!r}"
        )
    # Classifiers that do not say what they are may be.
    kind = get_tags(learner).estimator_type
    if kind not in (None, "classifier"):
        told = kind.replace("_", " ")
        raise ValueError(
            f"estimator of {owner} must be a classifier, which learns from two classes; {type(learner).__name__} is "
            f"of the kind '{told}'"
        )


def narrow_indices(X: Any) -> Any:
    """Return rows as they are, but CSR rows with 32-bit indices if these suffice: many learners refuse others."""
    if (
        not hasattr(X, "indptr")
        or X.indices.dtype == np.int32
        or max(*X.shape, X.nnz) > np.iinfo(np.int32).max
    ):
        return X
    indices, starts = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return type(X)((X.data, indices, starts), shape=X.shape)


def if_learner_has(*methods: str) -> Callable[[Any], Any]:
    """Make a method of a :class:`LearnerClassifier` there only if its learner has one of these."""

    def check(model: Any) -> bool:
        learner = getattr(model, "estimator_", model._learner())
        return any(hasattr(learner, method) for method in methods)

    decorate: Callable[[Any], Any] = available_if(check)
    return decorate


def seeded_clone(learner: Any, random_state: Any) -> Any:
    """Return an unfitted copy; the state, unless None, takes the place of every ``random_state`` in it."""
    copy = clone(learner)
    if random_state is not None:
        names = copy.get_params(deep=True)
        seeded = [name for name in names if name == "random_state" or name.endswith("__random_state")]
        copy.set_params(**dict.fromkeys(seeded, random_state))
    return copy


def score_method(learner: Any) -> ScoreMethod:
    """Return how a learner tells its scores: probabilities if it has them, else its decision function.

    Raises
    ------
    ValueError
        If it has neither.
    """
    if hasattr(learner, "predict_proba"):
        return "predict_proba"
    if hasattr(learner, "decision_function"):
        return "decision_function"
    raise ValueError(
        f"{type(learner).__name__} has neither predict_proba nor decision_function, so its scores cannot be "
        "averaged or compared; take a classifier that has one of them"
    )


def positive_scores(fitted: Any, X: Any, method: ScoreMethod) -> NDArray[np.float64]:
    """Return Pr(s = 1 | x), or the decision, of a learner fitted on the codes 0 and 1; shape (n,).

    Raises
    ------
    ValueError
        If the learner answers with NaN or infinity.
    """
    answer = getattr(fitted, method)(X)
    scores = np.asarray(answer[:, 1] if method == "predict_proba" else answer, dtype=np.float64)
    if not np.isfinite(scores).all():
        raise ValueError(
            f"{method} of {type(fitted).__name__} returned NaN or infinity; scale the features, or regularise it more"
        )
    return scores


def boundary(method: ScoreMethod) -> float:
    """Return the score at and above which a learner means "positive": one half, or 0."""
    return 0.5 if method == "predict_proba" else 0.0


def weight_name(learner: Any) -> str | None:
    """Return the argument of ``fit`` that takes the rows' weights (of a pipeline, its last step's), or None."""
    if has_fit_parameter(learner, "sample_weight"):
        return "sample_weight"
    steps = getattr(learner, "steps", None)
    if steps and has_fit_parameter(steps[-1][1], "sample_weight"):
        return f"{steps[-1][0]}__sample_weight"
    return None


def with_learner(model: type[LearnerClassifier], classifier: str | None, params: dict[str, Any]) -> Any:
    """Return a :class:`LearnerClassifier` over a classifier chosen by name.

    Parameters
    ----------
    model : type
        The subclass to make.
    classifier : str or None
        ``"package.module:Class"``, as in :func:`classifier_named`; None is the subclass's default.
    params : dict
        Parameters by name; ``estimator__x`` is the parameter x of the classifier.

    Returns
    -------
    LearnerClassifier
    """
    learner = model.default_learner() if classifier is None else classifier_named(classifier)()
    made = model(learner)
    known = made.get_params()
    for name in params:
        if name not in known:
            inner = f"estimator__{name}"
            hint = f"; did you mean '{inner}'?" if inner in known else did_you_mean(name, known)
            raise PubenchError(
                f"{model.__name__} over {type(learner).__name__} has no parameter '{name}'{hint}"
            )
    return made.set_params(**params)


def classifier_named(reference: str) -> Any:
    """Return the class of scikit-learn classifiers named by ``"package.module:Class"``.

    Suites name it, so nothing but such a class is accepted, and nothing is called to find out.
    """
    module, colon, name = reference.partition(":") if isinstance(reference, str) else ("", "", "")
    if not (module and colon and name):
        raise PubenchError(
            f"classifier {reference!r} must look like 'package.module:Class', for example 'sklearn.svm:SVC'"
        )
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise PubenchError(
            f"classifier '{reference}' cannot be imported: {error}; check its spelling and that it is installed"
        ) from None
    if not (
        isinstance(found, type) and issubclass(found, BaseEstimator) and issubclass(found, ClassifierMixin)
    ):
        raise PubenchError(f"classifier '{reference}' is no class of scikit-learn classifiers; name one")
    return found
