"""What can be checked of a run folder without running anything, and the file that says what was verified."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from pubench.errors import DamagedFileError, PubenchError, RunFolderError, StoreError
from pubench.plan.jobs import Plan
from pubench.results.checked import checksum, read_checked, write_checked
from pubench.results.predictions import BINARY, read_packed
from pubench.results.run_folder import VERIFIED, cards_of, read_provenance, read_suite
from pubench.results.store import detail_problems, read_predictions_index, read_records, read_rescored
from pubench.specs import JSONValue
from pubench.status import Status

__all__ = [
    "Verified",
    "VerifiedState",
    "check_files",
    "check_provenance",
    "file_digests",
    "read_verified",
    "remove_verified",
    "write_verified",
]

_RECORDS = ("cells", "trials", "evaluated", "inside", "predictions", "rescored", "maps")
_FILES = ("plan.json", "suite.toml", "provenance.json", *(f"{name}.jsonl" for name in _RECORDS), BINARY)
"""All files that results follow from."""
_STATED = ("python", "platform", "arithmetic", "packages", "plugins")
_SHOWN = 5


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    """What was verified of a run, without a date: the same check of the same folder gives the same file.

    ``files`` has a digest of each file, so that a later change is noticed. ``cells`` counts the finished cells,
    ``rerun`` has the keys of those that were run again, ``exact`` says whether their rows were equal to the bit or to
    six digits. ``limited`` counts the cells that ended at a limit or crashed, ``limited_rerun`` those of them that were
    run again.
    """

    pubench: str
    arithmetic: str
    files: dict[str, str]
    cells: int
    rerun: tuple[str, ...] = ()
    exact: bool = False
    seed: int | None = None
    limited: int = 0
    limited_rerun: int = 0


@dataclass(frozen=True, slots=True)
class VerifiedState:
    """What a folder's file of verification says; ``current`` is false if a file has changed since."""

    verified: Verified
    current: bool


def file_digests(folder: Path) -> dict[str, str]:
    """Return a digest of each file of a run that results follow from."""
    try:
        return {
            name: checksum((folder / name).read_bytes()).decode()
            for name in _FILES
            if (folder / name).exists()
        }
    except OSError as error:
        raise RunFolderError(f"cannot read {error.filename}: {error.strerror}") from None


def check_files(folder: Path) -> tuple[str, ...]:
    """Return one sentence for each file, or record, that is not as it was written."""
    found: list[str] = []
    try:
        read_suite(folder)
    except PubenchError as error:
        found.append(str(error))
    try:
        read_provenance(folder)
    except DamagedFileError as error:
        found.append(str(error))
    found += [*read_records(folder)[1], *detail_problems(folder), *read_rescored(folder)[1]]
    index, problems = read_predictions_index(folder)
    found += problems
    for line in index.values():
        try:
            read_packed(folder, line)
        except RunFolderError as error:
            found.append(str(error))
    return tuple(found)


def check_provenance(folder: Path, plan: Plan) -> Iterator[str]:
    """Yield one sentence for each thing that a run does not state: versions, machine, plugins, data sets."""
    try:
        entries = read_provenance(folder)
    except DamagedFileError:
        # `check_files` says so.
        return
    if not entries:
        yield f"{folder} has no provenance.json: it states neither versions nor data; run its suite with pubench"
        return
    for number, entry in enumerate(entries, start=1):
        missing = [name for name in _STATED if not (isinstance(entry, dict) and entry.get(name))]
        if missing:
            yield f"{folder / 'provenance.json'}, run {number}, does not state: {', '.join(missing)}"
    cards, records = cards_of(entries), read_records(folder)[0]
    ended = {key for key, record in records.items() if record.status is Status.OK}
    labels = dict.fromkeys(cell.dataset for cell in plan.own_cells if cell.key in ended)
    unknown = [label for label in labels if not cards.get(label, {}).get("fingerprint")]
    if unknown:
        yield f"{folder / 'provenance.json'} has no fingerprint of these data sets: {_some(unknown)}"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def write_verified(folder: Path, found: Verified) -> Path:
    """Write what was verified next to the run."""
    value: JSONValue = msgspec.to_builtins(found)
    try:
        write_checked(folder / VERIFIED, value, indent=1)
    except OSError as error:
        raise StoreError(f"cannot write {folder / VERIFIED}: {error.strerror}") from None
    return folder / VERIFIED


def remove_verified(folder: Path) -> bool:
    """Remove the file of an earlier verification, which no longer holds; return whether there was one."""
    try:
        (folder / VERIFIED).unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise StoreError(f"cannot remove {folder / VERIFIED}: {error.strerror}") from None
    return True


def read_verified(folder: Path) -> VerifiedState | None:
    """Return what was verified of a run, and whether the run is unchanged; None if nothing was, or it is damaged."""
    try:
        value = read_checked(folder / VERIFIED, remedy="verify the run again")
        found = msgspec.convert(value, Verified)
    except (FileNotFoundError, RunFolderError, msgspec.ValidationError):
        return None
    return VerifiedState(found, found.files == file_digests(folder))
