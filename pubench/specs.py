"""What plugins return: frozen descriptions that carry import strings.

Nothing here imports scikit-learn, so that listing a hundred plugins stays instant. An import string is
``"package.module:attribute"``; it is resolved only in the process that needs the object.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pubench.references import ImportString, LazyReference, Referring, required
from pubench.spaces import Choice, Float, Int, Param

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Params = Mapping[str, "JSONValue"]
else:
    # edge: msgspec cannot read recursive aliases; it takes any JSON here.
    Params = Mapping[str, Any]

__all__ = [
    "INFERRED",
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
    "LazyReference",
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
    "deadline",
    "propensity",
)
INFERRED = ("inferred",)
"""Stands for what the constructor of an algorithm names of :data:`RECEIVABLE`."""
ROW_WISE = ("propensity",)
"""What an algorithm receives as an argument of ``fit``, one value for each row, instead of its constructor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Algorithm(Referring):
    """A scikit-learn classifier that learns from ``X`` and ``s``.

    Attributes
    ----------
    name : str
        The name suites use, lower case with dashes. ``supervised-*`` and ``pn-*`` are reserved for references
        that learn from true labels (``labels="true"``), ``oracle-*`` for those that receive true propensities.
    estimator : str, class or LazyReference
        The estimator class (or a function returning an estimator), best as an import string: a class has to be
        imported for every listing.
    version : str
        Stored cells of another version are run again. Empty means the version of the distribution. Under development
        a hash of the source follows, see :mod:`pubench.plugins.development`.
    params : mapping
        Parameters that this entry fixes before the user's own.
    space : mapping of str to Float, Int or Choice
        The search space used when a suite says ``tune = true``.
    receives : tuple of str
        Constructor parameters that pubench fills in, any of :data:`RECEIVABLE`, by default those that the constructor
        names: the class prior, the scenario, a seed, the columns that hold codes, the number of labelled rows (in
        tuning, of those fitted), and the (height, width) or (height, width, channels) of rows that are images.
        ``"deadline"`` is the moment of :func:`time.monotonic` at which the fit should have ended, None where there is
        no limit: a method that stops in time has a result, which then depends on the machine. ``"propensity"`` is an
        argument of ``fit`` instead: the true Pr(s = 1 | y = 1, x) of each row. Tables mark it as a reference.
    requires : tuple of str
        Packages it cannot be used without, such as ``"torch>=2.4"``; without one its cells are skipped.
    needs : tuple of str
        What it cannot do without: ``"prior"``, ``"image_shape"`` (data that are not images are skipped), or ``"gpu"``:
        each of its tasks has a GPU of its own, unless ``PUBENCH_GPU_SLOTS`` says how many share one.
    accepts : tuple of str
        What the training matrix may be or hold besides dense finite numbers: ``"sparse"``, ``"missing"``,
        ``"categorical"`` (codes, not one-hot).
    dtype : str
        The type in which it is handed rows: ``"float64"``, ``"float32"``, or ``"uint8"``: data of bytes, such as
        images, as they are stored, neither filled nor scaled, and other data as float32.
    preprocess : mapping
        The keys of a suite's ``[preprocess]`` that it needs otherwise, such as ``{"categorical": "codes"}``.
    scaling : str
        How the time of ``fit`` grows with the number of rows, where the author promises it: ``"linear"`` (n log n
        counts as such), ``"quadratic"`` or ``"cubic"``. Empty promises nothing.
    threshold : str
        Where its decisions come from in suites that do not say: ``"own"``, the estimator itself, or ``"prior"``, the
        cut of its scores at the class prior (:class:`pubench.PriorCut`), for one that ranks better than it decides.
        ``"built-in"`` is as ``"own"``, and says that the estimator itself cuts at the prior.
    probability : str
        Where its probabilities come from in suites that show a metric of them and do not say: ``"own"``, the estimator
        itself, or ``"calibrated"`` (:func:`pubench.calibrate`), for one that has no ``predict_proba``.
    paper, bibtex : str
        Whom to cite, in words and as BibTeX entries (also by :func:`pubench.citations.cite`); words follow from them.
    test_params : mapping
        Parameters for the checks of the plugin contract, for example fewer epochs.
    excused : mapping of str to str
        Checks of the contract (``test_*``) or of scikit-learn (``check_*``) that do not apply, with the reason.

    Examples
    --------
    >>> pubench.Algorithm(name="mine", estimator="my_method:Mine", space={"c": pubench.Float(0.1, 10)}).scenarios
    ('case-control', 'single-training-set')
    """

    name: str
    estimator: ImportString = required()
    summary: str = ""
    version: str = ""
    params: Params = field(default_factory=dict)
    space: Mapping[str, Param] = field(default_factory=dict)
    scenarios: tuple[Scenario, ...] = SCENARIOS
    receives: tuple[str, ...] = INFERRED
    requires: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    accepts: tuple[str, ...] = ()
    dtype: Literal["float64", "float32", "uint8"] = "float64"
    preprocess: Params = field(default_factory=dict)
    scaling: Literal["", "linear", "quadratic", "cubic"] = ""
    threshold: Literal["own", "prior", "built-in"] = "own"
    probability: Literal["own", "calibrated"] = "own"
    labels: Literal["pu", "true"] = "pu"
    paper: str = ""
    bibtex: str = ""
    licence: str = ""
    test_params: Params = field(default_factory=dict)
    excused: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset(Referring):
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

    Examples
    --------
    >>> pubench.Dataset(name="mine", loader="my_data:load", positive=("good",)).loader
    'my_data:load'
    """

    name: str
    loader: ImportString = required()
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
    excused: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion(Referring):
    """A PU-only score for choosing hyper-parameters: ``function(validation, **params) -> float``.

    The function sees a :class:`pubench.criteria.Validation`, with ``s``, ``score``, ``decision``, ``prior`` and
    ``scenario``; never y. ``uses`` says what its value depends on: decisions, or the order of scores alone, which
    cannot tell where positives begin.

    Examples
    --------
    >>> pubench.Criterion(name="mine", function="my_method:score", needs=("prior",)).greater_is_better
    True
    """

    name: str
    function: ImportString = required()
    summary: str = ""
    version: str = ""
    params: Params = field(default_factory=dict)
    greater_is_better: bool = True
    scenarios: tuple[Scenario, ...] = SCENARIOS
    needs: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    uses: Literal["decision", "score"] = "decision"
    paper: str = ""
    bibtex: str = ""
    excused: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric(Referring):
    """An evaluation with true labels: ``function(y, values) -> float``.

    ``uses`` says what ``values`` are: 0/1 decisions, real scores, or probabilities of the positive class.

    Examples
    --------
    >>> pubench.Metric(name="mcc", function="sklearn.metrics:matthews_corrcoef").uses
    'decision'
    """

    name: str
    function: ImportString = required()
    summary: str = ""
    version: str = ""
    uses: Literal["decision", "score", "probability"] = "decision"
    greater_is_better: bool | None = True
    excused: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorEstimator(Referring):
    """An estimator of Pr(y = 1): ``function(X, s, *, scenario, random_state, **params)``.

    The function sees the training rows and s, and returns a :class:`pubench.priors.PriorEstimate` or a plain number.

    Attributes
    ----------
    assumes : str
        What must be true of the data, in words.
    accepts : tuple of str
        What the rows may be or hold besides dense finite numbers: ``"sparse"``, ``"missing"``.

    Examples
    --------
    >>> pubench.PriorEstimator(name="half", function="my_method:half", assumes="Nothing").accepts
    ()
    """

    name: str
    function: ImportString = required()
    summary: str = ""
    version: str = ""
    params: Params = field(default_factory=dict)
    scenarios: tuple[Scenario, ...] = SCENARIOS
    assumes: str = ""
    accepts: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    paper: str = ""
    bibtex: str = ""
    excused: Mapping[str, str] = field(default_factory=dict)


Spec = Algorithm | Dataset | Criterion | Metric | PriorEstimator
