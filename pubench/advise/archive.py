"""One file for a model: a line with a digest, then a zip archive of JSON, arrays and estimators, without pickle."""

from __future__ import annotations

import hashlib
import io
import json
import warnings
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from pubench.advise.ensemble import Blend, Calibration, Ensemble, Member
from pubench.advise.schema import Schema
from pubench.advise.structure import check_structure
from pubench.advise.trained import Card, TrainedModel, TrainingRows
from pubench.data.cache import write_atomically
from pubench.errors import PubenchError
from pubench.estimators.stored_models import NO_DATE, load_estimator, save_estimator
from pubench.protocol.encoding import to_json
from pubench.specs import Array

__all__ = ["FORMAT", "ModelFileError", "load", "save"]

FORMAT = 3
_MAGIC = b"pubench-model"
_MOST_BYTES = 16 * 2**30
_PARTS = {
    *("card.json", "schema.json", "ensemble.json", "typical.npy", "ids.npy"),
    *("s.npy", "score.npy", "vote.npy", "decided.npy"),
}
Entries = dict[str, bytes]


class ModelFileError(PubenchError):
    """A file that is not a model of pubench, was altered, or holds what a model may not hold."""


@dataclass(frozen=True, slots=True)
class _MemberEntry:
    """What the archive says of a member, without its arrays."""

    name: str
    weight: float
    cut: float
    takes_codes: bool = False


@dataclass(frozen=True, slots=True)
class _EnsembleEntry:
    """What the archive says of an ensemble, without its members' arrays and estimators."""

    members: tuple[_MemberEntry, ...]
    calibration: Calibration
    cut: float | None
    n_features: int


def save(model: TrainedModel, path: Path) -> None:
    """Write a model to one file: whole, or not at all.

    Raises
    ------
    ModelFileError
        If a member is of a type that :func:`load` would refuse.
    """
    body = _zipped(_entries(model))
    kind = b"%s %d" % (_MAGIC, FORMAT)
    write_atomically(path, b"%s %s\n%s" % (kind, _digest(kind, body), body))


def load(path: Path) -> TrainedModel:
    """Read a model. Nothing in the file is executed: estimators are of known classes, all else is JSON and arrays.

    Raises
    ------
    ModelFileError
        If the file is not a model, was altered by so much as one byte, is of a newer format, or holds a type that no
        installed method has.
    """
    entries = _unzipped(_checked_body(path), path)
    try:
        return _model(entries, path)
    except ModelFileError:
        raise
    except (msgspec.MsgspecError, KeyError, ValueError, TypeError, EOFError, RecursionError) as error:
        raise ModelFileError(
            f"{path}: its parts do not fit together ({error}); fit the model again"
        ) from None


def _checked_body(path: Path) -> bytes:
    """Return the archive behind the first line, if its digest is the one that the line gives."""
    content = path.read_bytes()
    head, _, body = content[:200].partition(b"\n")
    words = head.split(b" ")
    if words[0] != _MAGIC or len(words) != 3 or not words[1].isdigit():
        raise ModelFileError(f"{path} is not a pubench model file; make one with `pubench fit`")
    if int(words[1]) > FORMAT:
        raise ModelFileError(
            f"{path} was written by a newer pubench (format {int(words[1])}); upgrade pubench"
        )
    body = content[len(head) + 1 :]
    if _digest(b" ".join(words[:2]), body) != words[2]:
        raise ModelFileError(
            f"{path} was altered or cut off after it was written; copy it again, or fit again"
        )
    return body


def _digest(kind: bytes, body: bytes) -> bytes:
    """Return the digest of the format and of all that follows the first line."""
    return hashlib.sha256(kind + b"\n" + body).hexdigest().encode()


def _entries(model: TrainedModel) -> Entries:
    ensemble, training = model.ensemble, model.training
    members = tuple(_MemberEntry(one.name, one.weight, one.cut, one.takes_codes) for one in ensemble.members_)
    entry = _EnsembleEntry(members, ensemble.calibration_, ensemble.cut_, ensemble.n_features_in_)
    entries = {
        "card.json": to_json(model.card),
        "schema.json": json.dumps(model.schema.to_json(), allow_nan=False).encode(),
        "ensemble.json": to_json(entry),
        "typical.npy": _array_bytes(model.typical),
        "ids.npy": _array_bytes(training.ids),
        "s.npy": _array_bytes(training.s),
        "score.npy": _array_bytes(training.unseen.score),
        "vote.npy": _array_bytes(training.unseen.vote),
        "decided.npy": _array_bytes(training.decided),
    }
    for number, member in enumerate(ensemble.members_):
        entries[f"members/{number}.npy"] = _array_bytes(member.reference)
        entries[f"members/{number}.skops"] = save_estimator(member.model, member.name)
    return entries


def _model(entries: Mapping[str, bytes], path: Path) -> TrainedModel:
    card = msgspec.json.decode(entries["card.json"], type=Card)
    entry = msgspec.json.decode(entries["ensemble.json"], type=_EnsembleEntry)
    unseen = Blend(_floats(entries["score.npy"]), _floats(entries["vote.npy"]))
    members = tuple(
        Member(
            one.name,
            one.weight,
            one.cut,
            _floats(entries[f"members/{number}.npy"]),
            load_estimator(entries[f"members/{number}.skops"], f"{path}: method '{one.name}'"),
            one.takes_codes,
        )
        for number, one in enumerate(entry.members)
    )
    prior, schema = card.prior, Schema.from_json(json.loads(entries["schema.json"]))
    ensemble = Ensemble(
        prior=prior.value,
        interval=(prior.low, prior.high),
        scenario=card.scenario,
        groups=schema.groups,
        random_state=card.seed,
    ).restore(members, entry.calibration, unseen, cut=entry.cut, n_features=entry.n_features)
    training = TrainingRows(
        _array(entries["ids.npy"]).astype(np.str_),
        _array(entries["s.npy"]).astype(np.uint8),
        unseen,
        _array(entries["decided.npy"]).astype(np.uint8),
    )
    found = TrainedModel(card, schema, ensemble, training, _floats(entries["typical.npy"]))
    check_structure(found, entries.keys() - _expected(len(members)))
    return found


def _expected(members: int) -> set[str]:
    """Return the names of the parts of a model with so many members."""
    parts = {f"members/{number}.{ending}" for number in range(members) for ending in ("npy", "skops")}
    return parts | _PARTS


def _zipped(entries: Entries) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in entries.items():
            info = zipfile.ZipInfo(name, NO_DATE)
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def _unzipped(body: bytes, path: Path) -> Entries:
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            # A few bytes can stand for many: nobody's model is that large.
            if sum(info.file_size for info in archive.infolist()) > _MOST_BYTES:
                raise ModelFileError(f"{path} would need more than 16 GB; it is not a model of pubench")
            return {info.filename: archive.read(info) for info in archive.infolist()}
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, zipfile.LargeZipFile):
        raise ModelFileError(f"{path} is not a pubench model file; make one with `pubench fit`") from None


def _array_bytes(array: Array) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return file.getvalue()


def _array(content: bytes) -> Array:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found: Array = np.load(io.BytesIO(content), allow_pickle=False)
    return found


def _floats(content: bytes) -> NDArray[np.float64]:
    return _array(content).astype(np.float64)
