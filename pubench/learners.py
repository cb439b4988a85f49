"""PU classifiers built on a scikit-learn classifier, the learner: how they name it, seed it and read its scores.

A subclass of :class:`LearnerClassifier` has the parameters ``estimator``, the learner, and ``random_state``. Suites
name the learner by an import string; a plugin's factory turns it into an estimator with :func:`classifier_named`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import has_fit_parameter

from pubench.base import Estimator, Labels, PUClassifier, RowRules, Rows
from pubench.errors import PubenchError, did_you_mean
from pubench.estimators.copies import few_distinct, units_of_copies
from pubench.estimators.rows import narrow_indices

__all__ = [
    "LearnerClassifier",
    "ScoreMethod",
    "boundary",
    "check_learner",
    "classifier_named",
    "few_distinct",
    "if_learner_has",
    "narrow_indices",
    "positive_scores",
    "score_method",
    "seeded_clone",
    "units_of_copies",
    "weight_name",
    "with_learner",
]

ScoreMethod = Literal["predict_proba", "decision_function"]
Method = TypeVar("Method", bound=Callable[..., object])
Model = TypeVar("Model", bound="LearnerClassifier")


class LearnerClassifier(MetaEstimatorMixin, PUClassifier):
    """Base class of PU classifiers that use a scikit-learn classifier, the learner.

    The learner is the parameter ``estimator``; None stands for what :meth:`default_learner` returns. Rows may be
    sparse or contain missing values if the learner takes them.

    Examples
    --------
    >>> from pubench.learners import LearnerClassifier
    >>> LearnerClassifier.default_learner()
    LogisticRegression()
    """

    @staticmethod
    def default_learner() -> Estimator:
        """Return the learner that None stands for."""
        return LogisticRegression()

    @property
    def row_rules(self) -> RowRules:
        """The learner's own rules, as its tags state them."""
        tags = get_tags(self._learner()).input_tags
        return RowRules(sparse="csr" if tags.sparse else None, missing=tags.allow_nan, narrow=True)

    def __sklearn_tags__(self) -> Estimator:
        tags = super().__sklearn_tags__()
        learner = get_tags(self._learner())
        tags.input_tags = learner.input_tags
        tags.non_deterministic = learner.non_deterministic
        return tags

    def _learner(self) -> Estimator:
        return self.default_learner() if self.estimator is None else self.estimator

    def _validate(self, X: Rows, y: ArrayLike) -> tuple[Rows, Labels]:
        check_learner(self._learner(), type(self).__name__)
        return super()._validate(X, y)


def check_learner(learner: Estimator, owner: str) -> None:
    """Raise ValueError unless the learner can be a classifier: an estimator, but no outlier detector or regressor.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from pubench.learners import check_learner
    >>> check_learner(LogisticRegression(), "Mine")
    """
    if isinstance(learner, type) or not hasattr(learner, "get_params"):
        raise ValueError(
            f"estimator of {owner} must be a scikit-learn classifier, such as LogisticRegression(); got {learner!r}"
        )
    # An estimator without a type may be a classifier.
    kind = get_tags(learner).estimator_type
    if kind not in (None, "classifier"):
        raise ValueError(
            f"estimator of {owner} must be a classifier, which learns from two classes; {type(learner).__name__} is "
            f"of the kind '{kind.replace('_', ' ')}'"
        )


def if_learner_has(*methods: str) -> Callable[[Method], Method]:
    """Make a method of a classifier with ``_learner()`` available only if its learner has one of these methods.

    Examples
    --------
    >>> from pubench.learners import LearnerClassifier, if_learner_has
    >>> class Mine(LearnerClassifier):
    ...     estimator = None
    ...     predict_proba = if_learner_has("predict_proba")(lambda self, X: self.estimator_.predict_proba(X))
    ...
    >>> hasattr(Mine(), "predict_proba")  # logistic regression has it
    True
    """

    def check(model: Estimator) -> bool:
        learner = getattr(model, "estimator_", model._learner())
        return any(hasattr(learner, method) for method in methods)

    decorate: Callable[[Method], Method] = available_if(check)
    return decorate


def seeded_clone(learner: Estimator, random_state: int | np.random.RandomState | None) -> Estimator:
    """Return an unfitted copy; the state, unless None, replaces every ``random_state`` in it.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from pubench.learners import seeded_clone
    >>> seeded_clone(LogisticRegression(), 7).random_state
    7
    """
    copy = clone(learner)
    if random_state is not None:
        names = copy.get_params(deep=True)
        seeded = [name for name in names if name == "random_state" or name.endswith("__random_state")]
        copy.set_params(**dict.fromkeys(seeded, random_state))
    return copy


def score_method(learner: Estimator) -> ScoreMethod:
    """Return the method that gives a learner's scores: ``predict_proba`` if it has it, else ``decision_function``.

    Raises
    ------
    ValueError
        If it has neither.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from pubench.learners import score_method
    >>> score_method(LogisticRegression())
    'predict_proba'
    """
    if hasattr(learner, "predict_proba"):
        return "predict_proba"
    if hasattr(learner, "decision_function"):
        return "decision_function"
    raise ValueError(
        f"{type(learner).__name__} has neither predict_proba nor decision_function, so its scores cannot be "
        "averaged or compared; choose a classifier that has one of them"
    )


def positive_scores(fitted: Estimator, X: Rows, method: ScoreMethod) -> NDArray[np.float64]:
    """Return Pr(s = 1 | x), or the decision function, of a learner fitted on the codes 0 and 1; shape (n,).

    Raises
    ------
    ValueError
        If the learner returns NaN or infinity.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from pubench.learners import positive_scores
    >>> fitted = LogisticRegression().fit([[0.0], [2.0]], [0, 1])
    >>> positive_scores(fitted, [[1.0]], "predict_proba").round(2)
    array([0.5])
    """
    answer = getattr(fitted, method)(X)
    scores = np.asarray(answer[:, 1] if method == "predict_proba" else answer, dtype=np.float64)
    if not np.isfinite(scores).all():
        raise ValueError(
            f"{method} of {type(fitted).__name__} returned NaN or infinity; scale the features, or regularise it more"
        )
    return scores


def boundary(method: ScoreMethod) -> float:
    """Return the least score that means "positive": one half for probabilities, 0 for decision functions.

    Examples
    --------
    >>> from pubench.learners import boundary
    >>> boundary("predict_proba")
    0.5
    """
    return 0.5 if method == "predict_proba" else 0.0


def weight_name(learner: Estimator) -> str | None:
    """Return the argument of ``fit`` for sample weights (for a pipeline, that of its last step), or None.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from pubench.learners import weight_name
    >>> weight_name(LogisticRegression())
    'sample_weight'
    """
    if has_fit_parameter(learner, "sample_weight"):
        return "sample_weight"
    steps = getattr(learner, "steps", None)
    if steps and has_fit_parameter(steps[-1][1], "sample_weight"):
        return f"{steps[-1][0]}__sample_weight"
    return None


def with_learner(model: type[Model], classifier: str | None, params: Mapping[str, object]) -> Model:
    """Return a :class:`LearnerClassifier` over a classifier chosen by name.

    Parameters
    ----------
    model : type
        The subclass to create.
    classifier : str or None
        ``"package.module:Class"``, as in :func:`classifier_named`; None is the default of the subclass.
    params : mapping
        Parameters by name; ``estimator__x`` is the parameter x of the classifier.

    Returns
    -------
    LearnerClassifier

    Examples
    --------
    >>> from pubench.learners import LearnerClassifier, with_learner
    >>> class Mine(LearnerClassifier):
    ...     def __init__(self, estimator=None):
    ...         self.estimator = estimator
    ...
    >>> with_learner(Mine, "sklearn.svm:SVC", {"estimator__C": 2.0}).estimator
    SVC(C=2.0)
    """
    learner = model.default_learner() if classifier is None else classifier_named(classifier)()
    created = model(learner)
    known = created.get_params()
    for name in params:
        if name not in known:
            inner = f"estimator__{name}"
            hint = f"; did you mean '{inner}'?" if inner in known else did_you_mean(name, known)
            raise PubenchError(
                f"{model.__name__} over {type(learner).__name__} has no parameter '{name}'{hint}"
            )
    created.set_params(**params)
    return created


def classifier_named(reference: str) -> type[ClassifierMixin]:
    """Return the scikit-learn classifier class that ``"package.module:Class"`` names.

    The name comes from a suite, so only such a class is accepted, and nothing is called to check it.

    Raises
    ------
    PubenchError
        If the name cannot be imported or is not such a class.

    Examples
    --------
    >>> from pubench.learners import classifier_named
    >>> classifier_named("sklearn.svm:SVC").__name__
    'SVC'
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
        raise PubenchError(f"classifier '{reference}' is not a scikit-learn classifier class; name one")
    return found
