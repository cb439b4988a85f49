"""Workers that start before there is a task make imports which would keep the first task waiting."""

from __future__ import annotations

import importlib
import queue

import pytest

from pubench.run.backends import Execution, Workers


@pytest.mark.parametrize(("tuning", "imported"), [(True, ["optuna"]), (False, [])])
def test_the_search_engine_is_imported_only_where_something_is_tuned(
    tuning: bool, imported: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: queue.Queue[str] = queue.Queue()
    with Workers(Execution(), print) as workers:
        workers.start()
        monkeypatch.setattr(importlib, "import_module", asked.put)
        workers.start_early(tuning=tuning)
        assert [asked.get(timeout=60) for _ in imported] == imported
    assert asked.empty()
