"""Stored predictions come back as they were, to 32 bits, or not at all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pubench.errors import DamagedFileError, RunFolderError, StoreError
from pubench.protocol import Predictions
from pubench.results.appending import Appender
from pubench.results.predictions import BINARY, PackedPredictions, StoredPredictions, read_predictions
from pubench.results.record import Record
from pubench.results.store import Store, read_predictions_index, read_records, set_aside
from pubench.status import Status


def predictions(n: int = 11, *, seed: int = 0, probability: bool = True) -> Predictions:
    rng = np.random.default_rng(seed)
    score = rng.normal(size=n)
    decision = rng.integers(0, 2, n).astype(np.uint8)
    return Predictions(score, decision, rng.uniform(size=n) if probability else None)


def packed(found: Predictions) -> PackedPredictions:
    return PackedPredictions.of(found, np.arange(len(found.score)).astype(np.uint8) % 2)


def record(key: str, found: Predictions | None) -> Record:
    return Record(key=key, status=Status.OK, predictions=None if found is None else packed(found))


def store(folder: Path, *records: Record) -> None:
    writing = Store(folder)
    for one in records:
        writing.append(one)
    writing.close()


def read(folder: Path) -> dict[str, Predictions]:
    return {key: read_predictions(folder, line) for key, line in read_predictions_index(folder)[0].items()}


def same(one: Predictions, other: Predictions) -> bool:
    numbers = [
        np.array_equal(a.astype(np.float32), b) for a, b in zip(one.arrays(), other.arrays(), strict=True)
    ]
    return all(numbers)


@given(n=st.integers(1, 40), probability=st.booleans(), seed=st.integers(0, 99))
def test_numbers_come_back_rounded_and_decisions_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, n: int, probability: bool, seed: int
) -> None:
    folder, found = tmp_path_factory.mktemp("run"), predictions(n, seed=seed, probability=probability)
    store(folder, record("a", found))
    assert same(found, read(folder)["a"])
    assert (folder / BINARY).stat().st_size == 4 * n * (1 + probability) + (n + 7) // 8


def test_scores_beyond_32_bits_stay_finite(tmp_path: Path) -> None:
    huge = Predictions(np.array([-1e300, 0.0, 1e300]), np.array([0, 1, 1], np.uint8), None)
    store(tmp_path, record("a", huge))
    score = read(tmp_path)["a"].score
    assert np.isfinite(score).all()
    assert (np.diff(score) > 0).all()


def test_the_record_of_a_cell_does_not_hold_its_predictions(tmp_path: Path) -> None:
    store(tmp_path, record("a", predictions()), record("b", None))
    assert {key: one.predictions for key, one in read_records(tmp_path)[0].items()} == {"a": None, "b": None}
    assert set(read(tmp_path)) == {"a"}


def test_a_run_that_keeps_none_has_no_such_files(tmp_path: Path) -> None:
    store(tmp_path, record("a", None))
    assert not list(tmp_path.glob("predictions*"))


def test_cells_that_share_a_fit_share_its_numbers(tmp_path: Path) -> None:
    found = predictions()
    store(tmp_path, record("a", found), record("b", found), record("c", predictions(seed=1)))
    assert same(read(tmp_path)["a"], read(tmp_path)["b"])
    assert same(predictions(seed=1), read(tmp_path)["c"])
    assert (tmp_path / BINARY).stat().st_size == 2 * len(packed(found).data)


def test_what_a_kill_cut_off_is_written_over(tmp_path: Path) -> None:
    store(tmp_path, record("a", predictions()))
    with (tmp_path / BINARY).open("ab") as file:
        file.write(b"half of somet")
    store(tmp_path, record("b", predictions(seed=1)))
    assert same(predictions(), read(tmp_path)["a"])
    assert same(predictions(seed=1), read(tmp_path)["b"])
    assert (tmp_path / BINARY).stat().st_size == 2 * len(packed(predictions()).data)


def test_numbers_are_on_the_disk_before_the_line_that_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Appender, text: bytes) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(Appender, "append", full)
    with pytest.raises(StoreError):
        store(tmp_path, record("a", predictions()))
    assert (tmp_path / BINARY).stat().st_size
    assert read(tmp_path) == {}
    assert read_records(tmp_path) == ({}, ())


def test_every_altered_byte_is_noticed(tmp_path: Path) -> None:
    store(tmp_path, record("a", predictions(n=9)))
    path, whole = tmp_path / BINARY, (tmp_path / BINARY).read_bytes()
    for place in range(len(whole)):
        data = bytearray(whole)
        data[place] ^= 1 << place % 8
        path.write_bytes(data)
        with pytest.raises(DamagedFileError, match=r"predictions.bin is damaged: .*cell a .*--force"):
            read(tmp_path)


@pytest.mark.parametrize("kept", [0, 5])
def test_a_truncated_file_is_noticed(tmp_path: Path, kept: int) -> None:
    store(tmp_path, record("a", predictions()))
    path = tmp_path / BINARY
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(DamagedFileError, match="damaged"):
        read(tmp_path)
    # Further predictions do not make it look whole.
    store(tmp_path, record("b", predictions(seed=1)))
    index = read_predictions_index(tmp_path)[0]
    assert same(predictions(seed=1), read_predictions(tmp_path, index["b"]))
    with pytest.raises(DamagedFileError, match="damaged"):
        read_predictions(tmp_path, index["a"])


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    line = StoredPredictions.of("a", 0, packed(predictions()))
    with pytest.raises(RunFolderError, match=r"predictions.bin is missing; .*--force"):
        read_predictions(tmp_path, line)


def test_force_sets_predictions_aside(tmp_path: Path) -> None:
    store(tmp_path, record("a", predictions()))
    set_aside(tmp_path)
    assert read(tmp_path) == {}
    assert {path.name for path in tmp_path.glob("predictions*")} == {
        "predictions.bin.old-1",
        "predictions.jsonl.old-1",
    }
