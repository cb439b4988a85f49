"""Presence-only records: one U for a region, a problem for each species, and truth in the surveyed sites only."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from pubench_datasets.species import REGIONS, disdat, identity, regions

from pubench.data.checks import checked_data
from pubench.errors import DataError

REAL = Path(__file__).parents[3] / "shared" / "data"
PO = """siteid,spid,x,y,occ,group,rain,ontveg
1,can01,0,0,1,bird,1.5,2
2,can01,0,1,1,bird,2.5,2
3,can02,0,1,1,bird,2.5,2
4,can03,5,5,1,plant,9.0,7
5,can03,5,5,1,plant,9.0,7
"""
BG = """siteid,spid,x,y,occ,group,rain,ontveg
9,pseudo1,1,1,0,,3.5,4
10,pseudo1,2,2,0,,4.5,2
11,pseudo1,3,3,0,,5.5,7
"""
TEST = """group,siteid,x,y,rain,ontveg,can01,can02,can03
bird,20,7,7,1.0,2,1,0,
bird,21,8,8,2.0,9,0,1,
plant,22,9,9,3.0,4,,,1
plant,23,9,8,3.0,4,,,0
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "disdat"
    folder.mkdir()
    for part, text in (("train_po", PO), ("train_bg", BG), ("test", TEST)):
        (folder / f"CAN_{part}.csv.gz").write_bytes(gzip.compress(text.encode()))
    monkeypatch.setenv("PUBENCH_DATA", str(tmp_path))
    return folder


def test_each_species_has_its_records_and_its_own_surveyed_sites(root: Path) -> None:
    data = checked_data("disdat", disdat("CAN", least_records=1))
    assert data.X.shape == (12, 2)
    assert data.feature_names == ("rain", "ontveg")
    assert data.categorical == {1: ("2", "4", "7", "9")}
    assert list(data.given) == ["can01", "can02", "can03"]
    one = data.given["can01"]
    assert one.s.tolist() == [1, 1, -1, -1, -1, 0, 0, 0, -1, -1, -1, -1]
    assert one.y_test.tolist() == [-1] * 8 + [1, 0, -1, -1]
    assert data.given["can03"].y_test.tolist() == [-1] * 8 + [-1, -1, 1, 0]


def test_the_target_group_is_the_distinct_sites_of_all_its_records(root: Path) -> None:
    data = disdat("CAN", unlabelled="target-group", least_records=1)
    # Two sites of birds, of which can01 and can02 share one, and one of plants.
    assert data.X.shape == (5 + 3 + 4, 2)
    assert data.given["can02"].s.tolist() == [-1, -1, 1, -1, -1, 0, 0, -1, -1, -1, -1, -1]
    assert data.given["can03"].s.tolist() == [-1, -1, -1, 1, 1, -1, -1, 0, -1, -1, -1, -1]


def test_places_are_known_and_no_features(root: Path) -> None:
    data = disdat("CAN", least_records=1)
    assert data.coordinates is not None
    assert data.coordinates[[0, 1, 5, 8]].tolist() == [[0, 0], [0, 1], [1, 1], [7, 7]]
    assert not {"x", "y"} & set(data.feature_names)


def test_sites_of_each_group_are_drawn(root: Path) -> None:
    data = disdat("CAN", unlabelled="target-group", points=1, least_records=1)
    assert data.X.shape == (5 + 2 + 4, 2)
    assert (data.given["can01"].s == 0).sum() == (data.given["can03"].s == 0).sum() == 1


def test_species_and_points_can_be_chosen(root: Path) -> None:
    data = disdat("CAN", points=2, least_records=2)
    assert list(data.given) == ["can01", "can03"]
    assert (data.given["can01"].s == 0).sum() == 2
    assert list(disdat("CAN", species=["can03"], least_records=1).given) == ["can03"]


def test_an_entry_without_a_region_stands_for_all() -> None:
    assert list(regions(points=5)) == list(REGIONS)
    assert regions("NZ", points=5) == {"": {"region": "NZ", "points": 5}}


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"region": "CAM"}, "region = 'CAM' is unknown; did you mean 'CAN'"),
        ({"region": "NZ"}, "NZ_train_po.csv.gz is missing; docs/species.md says how to make it"),
        ({"region": "CAN", "unlabelled": "target"}, "unlabelled = 'target' is unknown"),
        ({"region": "CAN", "species": ["can9"]}, "region CAN has no species 'can9'"),
        ({"region": "CAN", "species": "can01"}, "species = 'can01' is no list of names"),
        ({"region": "CAN", "points": -1}, "points must be a whole number from 1"),
        ({"region": "CAN", "points": 2.5}, "points must be a whole number from 1"),
        ({"region": "CAN", "least_records": "many"}, "least_records must be a whole number from 1"),
        ({"region": "CAN", "least_records": 9}, "no surveyed species with least_records = 9"),
    ],
)
def test_what_cannot_be_loaded_is_named(root: Path, params: dict[str, object], words: str) -> None:
    with pytest.raises(DataError, match=words):
        disdat(**params)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("part", "text", "words"),
    [
        ("train_po", PO.replace("spid", "species"), "CAN_train_po.csv.gz has no column 'spid'"),
        ("train_po", PO.replace(",", ";"), "CAN_train_po.csv.gz has no column 'spid'"),
        ("train_po", PO.replace("9.0", "wet"), "CAN_train_po.csv.gz: column 'rain' holds text"),
        ("train_bg", BG.replace("rain", "rein"), "CAN_train_bg.csv.gz has no column 'rain'"),
        ("train_bg", "", "CAN_train_bg.csv.gz cannot be read"),
        ("train_bg", BG[: BG.index("\n")], "CAN_train_bg.csv.gz has no rows"),
        ("test", TEST.replace("can0", "sp"), "region CAN has no surveyed species"),
        (
            "test",
            TEST.replace(",,,0", ",,,0.5"),
            "'can03' of the survey has values other than 1, 0 and blank",
        ),
        ("test", TEST.replace(",,,0", ",,,no"), "'can03' of the survey has values other than 1, 0 and blank"),
    ],
)
def test_files_that_were_made_otherwise_are_named(root: Path, part: str, text: str, words: str) -> None:
    (root / f"CAN_{part}.csv.gz").write_bytes(gzip.compress(text.encode()))
    with pytest.raises(DataError, match=words):
        disdat("CAN", least_records=1)


def test_a_file_that_is_not_compressed_is_named(root: Path) -> None:
    (root / "CAN_test.csv.gz").write_text(TEST, encoding="utf-8")
    with pytest.raises(DataError, match=r"CAN_test.csv.gz cannot be read .*docs/species.md"):
        disdat("CAN", least_records=1)


def test_a_card_needs_a_region() -> None:
    with pytest.raises(DataError, match="no region is named"):
        identity()


@pytest.mark.slow
@pytest.mark.skipif(not (REAL / "disdat").exists(), reason="needs the data of disdat")
def test_the_real_data_hold_225_species(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PUBENCH_DATA", str(REAL))
    found = [disdat(region) for region in REGIONS]
    assert sum(len(data.given) for data in found) == 225
    assert not any(np.isnan(data.X).any() for data in found)
