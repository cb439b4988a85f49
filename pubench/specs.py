"""What plugins return: frozen descriptions that carry import strings.

Nothing here imports scikit-learn, so that listing a hundred plugins stays instant. An import string is
``"package.module:attribute"``; it is resolved only in the process that needs the object.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

if TYPE_CHECKING:
    from numpy.typing import NDArray

    ChoiceValue = str | int | float | bool | None
    Params = Mapping[str, "JSONValue"]
else:
    # Lists are choices too, for example sizes of layers.
    ChoiceValue = Any
    # edge: msgspec cannot read recursive aliases; it takes any JSON here.
    Params = Mapping[str, Any]

__all__ = [
    "RECEIVABLE",
    "ROW_WISE",
    "SCENARIOS",
    "Algorithm",
    "Array",
    "Choice",
    "Criterion",
    "Dataset",
    "Float",
    "Int",
    "JSONValue",
    "Metric",
    "Param",
    "Params",
    "PriorEstimator",
    "Scenario",
    "Spec",
    "TuningRule",
]

JSONValue: TypeAlias = "bool | int | float | str | list[JSONValue] | dict[str, JSONValue] | None"
"""What JSON can hold, where nothing more is known."""
Array: TypeAlias = "NDArray[Any]"
"""An array of numbers or texts of any type."""
Scenario = Literal["case-control", "single-training-set"]
TuningRule = Literal["best", "one-se", "corrected-se"]
SCENARIOS: tuple[Scenario, ...] = ("case-control", "single-training-set")
RECEIVABLE = (
    "prior",
    "scenario",
    "random_state",
    "categorical_features",
    "n_labelled",
    "image_shape",
    "propensity",
)
ROW_WISE = ("propensity",)
"""What an algorithm receives as an argument of ``fit``, one value for each row, instead of its constructor."""


class Float(msgspec.Struct, frozen=True, tag_field="kind", tag="float"):
    """A real parameter in [low, high]; ``points`` is how many values a grid takes."""

    low: float
    high: float
    log: bool = False
    points: int = 5

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            msgspec.structs.force_setattr(self, name, _plain(getattr(self, name)))


class Int(msgspec.Struct, frozen=True, tag_field="kind", tag="int"):
    """An integer parameter in low..high, both included; ``points`` is how many values a grid takes at most."""

    low: int
    high: int
    log: bool = False
    points: int = 5

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            value = _plain(getattr(self, name))
            whole = isinstance(value, float) and value.is_integer()
            msgspec.structs.force_setattr(self, name, int(value) if whole else value)


class Choice(msgspec.Struct, frozen=True, tag_field="kind", tag="choice"):
    """A parameter that takes one of the listed values (text, numbers, booleans or None)."""

    values: tuple[ChoiceValue, ...]

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "values", tuple(_plain(value) for value in self.values))


def _plain(value: Any) -> Any:  # edge: NumPy's numbers and texts come from grids that are arrays
    """Turn a scalar of NumPy into the value that it stands for."""
    return value.item() if hasattr(value, "item") and not hasattr(value, "__len__") else value


Param: TypeAlias = Float | Int | Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class Algorithm:
    """A scikit-learn classifier that learns from ``X`` and ``s``.

    Attributes
    ----------
    name : str
        The name suites use, lower case with dashes. ``supervised-*`` and ``pn-*`` are reserved for references
        that learn from true labels (``labels="true"``), ``oracle-*`` for those that receive true propensities.
    estimator : str
        Import string of the estimator class (or of a function returning an estimator).
    version : str
        Stored cells of another version are run again. Empty means the version of the distribution. Under development
        a hash of the source follows, see :mod:`pubench.plugins.development`.
    params : mapping
        Parameters that this entry fixes before the user's own.
    space : mapping of str to Float, Int or Choice
        The search space used when a suite says ``tune = true``.
    receives : tuple of str
        Constructor parameters that pubench fills in, any of :data:`RECEIVABLE`: the class prior, the scenario, a
        seed, the columns that hold codes, and the number of labelled rows (in tuning, of those fitted), which a
        reference cannot count itself, and the (height, width) or (height, width, channels) of rows that are images,
        else nothing. ``"propensity"`` is not a constructor parameter: ``fit(X, s, propensity=e)``
        is given the true Pr(s = 1 | y = 1, x) of each row, shape (n,). Tables mark such an algorithm as a reference.
    needs : tuple of str
        What it cannot do without: ``"prior"``, or ``"image_shape"``: data that are not images are skipped.
    accepts : tuple of str
        What the training matrix may be or hold besides dense finite numbers: ``"sparse"``, ``"missing"``,
        ``"categorical"`` (codes, not one-hot).
    dtype : str
        The type in which it is handed rows: ``"float64"``, ``"float32"``, or ``"uint8"``: data of bytes, such as
        images, as they are stored, neither filled nor scaled, and other data as float32.
    scaling : str
        How the time of ``fit`` grows with the number of rows, where the author promises it: ``"linear"`` (n log n
        counts as such), ``"quadratic"`` or ``"cubic"``. Empty promises nothing.
    threshold : str
        Where its decisions come from in suites that do not say: ``"own"``, the estimator itself, or ``"prior"``, the
        cut of its scores at the class prior (:class:`pubench.PriorCut`), for one that ranks better than it decides.
        ``"built-in"`` is as ``"own"``, and says that the estimator itself cuts at the prior.
    paper, bibtex : str
        Whom to cite, in words and as BibTeX entries; reports list both.
    """

    name: str
    estimator: str
    summary: str = ""
    version: str = ""
    params: Params = field(default_factory=dict)
    space: Mapping[str, Param] = field(default_factory=dict)
    scenarios: tuple[Scenario, ...] = SCENARIOS
    receives: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    accepts: tuple[str, ...] = ()
    dtype: Literal["float64", "float32", "uint8"] = "float64"
    scaling: Literal["", "linear", "quadratic", "cubic"] = ""
    threshold: Literal["own", "prior", "built-in"] = "own"
    labels: Literal["pu", "true"] = "pu"
    paper: str = ""
    bibtex: str = ""
    licence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A source of rows with true classes, or of real PU data.

    Import strings name functions that take ``params`` as keyword arguments.

    Attributes
    ----------
    loader : str
        Returns a :class:`pubench.data.Data`.
    identity : str
        Cheap; its JSON-able result changes whenever the data may have changed (a file's size and time stamp, say).
        Without it a data set is taken to change only with its ``version``.
    expand : str
        Where an entry may stand for many data sets: returns the parameters of each by label, or the entry's own
        under an empty label.
    card : str
        Returns what else is known of the data (licence, citation, ...): texts and whole numbers by name. It is asked
        once, when they have been loaded.
    downloads : str
        Takes no arguments; returns what the plugin keeps in the cache, as :class:`pubench.data.Download`.
    paths : tuple of str
        The parameters that are files; suites give them relative to themselves.
    preprocess : mapping
        The keys of a suite's ``[preprocess]`` that suit these data by default.
    differs : str
        In what the rows differ from the set that a paper used.
    """

    name: str
    loader: str
    summary: str = ""
    version: str = ""
    identity: str = ""
    expand: str = ""
    card: str = ""
    downloads: str = ""
    params: Params = field(default_factory=dict)
    paths: tuple[str, ...] = ()
    positive: tuple[str, ...] = ()
    preprocess: Params = field(default_factory=dict)
    source: str = ""
    licence: str = ""
    citation: str = ""
    bibtex: str = ""
    differs: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """A PU-only score for choosing hyper-parameters: ``function(validation, **params) -> float``.

    The function sees a :class:`pubench.criteria.Validation`, with ``s``, ``score``, ``decision``, ``prior`` and
    ``scenario``; never y. ``uses`` says what its value depends on: decisions, or the order of scores alone, which
    cannot tell where positives begin.
    """

    name: str
    function: str
    summary: str = ""
    version: str = ""
    params: Params = field(default_factory=dict)
    greater_is_better: bool = True
    scenarios: tuple[Scenario, ...] = SCENARIOS
    needs: tuple[str, ...] = ()
    uses: Literal["decision", "score"] = "decision"
    paper: str = ""
    bibtex: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """An evaluation with true labels: ``function(y, values) -> float``.

    ``uses`` says what ``values`` are: 0/1 decisions, real scores, or probabilities of the positive class.
    """

    name: str
    function: str
    summary: str = ""
    version: str = ""
    uses: Literal["decision", "score", "probability"] = "decision"
    greater_is_better: bool | None = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorEstimator:
    """An estimator of Pr(y = 1): ``function(X, s, *, scenario, random_state, **params)``.

    The function sees the training rows and s, and returns a :class:`pubench.priors.PriorEstimate` or a plain number.

    Attributes
    ----------
    assumes : str
        What must be true of the data, in words.
    accepts : tuple of str
        What the rows may be or hold besides dense finite numbers: ``"sparse"``, ``"missing"``.
    """

    name: str
    function: str
    summary: str = ""
    version: str = ""
    params: Params = field(default_factory=dict)
    scenarios: tuple[Scenario, ...] = SCENARIOS
    assumes: str = ""
    accepts: tuple[str, ...] = ()
    paper: str = ""
    bibtex: str = ""


Spec = Algorithm | Dataset | Criterion | Metric | PriorEstimator
