#!/usr/bin/env bash
# From nothing to published, for every kind of plugin: make it, install it, test it, check it, use it in a suite, and
# find it in the report. Run in an empty folder, with the programs of an environment that has pubench and pytest.
set -euo pipefail

one() {
    local name=$1
    shift
    pubench plugin new "$name" "$@"
    python -m pip install --quiet "./$name"
    (cd "$name" && python -m pytest -q)
    pubench plugin check "$name"
    pubench suite run "$name/example.toml" --out "runs/$name" --quiet
    grep -q "$name" "runs/$name/report.html"
    grep -q "$name" "runs/$name/report.md"
    echo "$name: made, installed, tested, checked, run and reported"
}

for kind in algorithm dataset criterion metric prior; do
    one "kit-$kind" --kind "$kind"
done
for kind in algorithm criterion metric prior; do
    one "kit-$kind-compiled" --kind "$kind" --cython
done
