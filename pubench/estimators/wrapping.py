"""A spec for an estimator of another package, which is imported only when the estimator is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pubench.specs import Algorithm, JSONValue, Params

__all__ = ["wrap"]


def wrap(
    classifier: str,
    *,
    name: str,
    params: Params | None = None,
    labels: Sequence[JSONValue] = (0, 1),
    sizes: Mapping[str, str] | None = None,
    **fields: Any,  # edge: passed on to Algorithm as they are
) -> Algorithm:
    """Return an algorithm that is a PU estimator of another package.

    Parameters
    ----------
    classifier : str
        The import string of a class that follows scikit-learn, for example ``"pulearn:BaggingPuClassifier"``.
    name : str
        The name that suites use.
    params : mapping, optional
        Parameters of the class. A string such as ``"sklearn.svm:SVC"`` stands for an estimator of that class, and
        ``estimator__probability`` for a parameter of it.
    labels : pair, default=(0, 1)
        The labels that the class uses for unlabelled and labelled rows.
    sizes : mapping of str to str, optional
        Parameters of the class that are ``"n_labelled"`` or ``"n_unlabelled"``.
    **fields
        Other fields of :class:`pubench.specs.Algorithm`: ``receives=("prior", "random_state")``, ``space``, ...

    Returns
    -------
    Algorithm

    Examples
    --------
    >>> spec = pubench.wrap("sklearn.naive_bayes:GaussianNB", name="naive-nb", receives=())
    >>> spec.name, spec.summary
    ('naive-nb', 'sklearn.naive_bayes:GaussianNB, as it is')
    """
    given: dict[str, JSONValue] = {
        "classifier": classifier,
        "labels": list(labels),
        "sizes": dict(sizes or {}),
        **(params or {}),
    }
    about = {"summary": f"{classifier}, as it is"} | fields
    return Algorithm(name=name, estimator="pubench.estimators.foreign:foreign", params=given, **about)
