"""A small trained model, made in this process: what the comparison in other processes would add is tested elsewhere."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from pubench.advise.ensemble import Candidate, Ensemble
from pubench.advise.explaining import explained, explaining_rows, typical_row
from pubench.advise.prior_of_table import given_prior
from pubench.advise.schema import learn_schema
from pubench.advise.trained import Card, Provenance, Standing, TrainedModel, TrainingRows

SCENARIO = "single-training-set"


def some_table(n=240, seed=0):
    """Return a table with numbers, text and a date, ids, a label column, and its true classes."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.5
    frame = pd.DataFrame({"name": [f"r{number}" for number in range(n)]})
    frame["size"] = rng.normal(size=n) + 1.5 * y
    frame["width"] = rng.normal(size=n) + y
    frame["noise"] = rng.normal(size=n)
    frame["city"] = np.where(y, rng.choice(["Rome", "Oslo"], n), rng.choice(["Oslo", "Bern"], n))
    frame["seen"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), unit="D")
    frame.loc[::9, "width"] = np.nan
    frame["known"] = np.where(y & (rng.random(n) < 0.4), "yes", "")
    return frame, y


def some_model(frame, *, prior=0.5, scenario=SCENARIO):
    """Return a model of two methods, fitted in this process."""
    s = (frame["known"] == "yes").to_numpy().astype(np.uint8)
    schema, remarks = learn_schema(frame, label="known", ids=["name"])
    encoded = schema.encode(frame)
    methods = [
        Candidate("lr", LogisticRegression(class_weight="balanced"), 0.7, True),
        Candidate("nb", GaussianNB(), 0.3, True, takes_codes=True),
    ]
    stated = given_prior(prior, s, scenario)
    groups = schema.groups
    ensemble = Ensemble(
        methods, prior=prior, interval=(0.9 * prior, 1.1 * prior), scenario=scenario, groups=groups
    ).fit(encoded.X, s)
    seen = ~explaining_rows(s, 0)
    other = Ensemble(methods, prior=prior, scenario=scenario, groups=groups).fit(encoded.X[seen], s[seen])
    importance, curves = explained(schema, encoded, s, ensemble, other)
    card = Card(
        goal="ranking",
        method="auto",
        scenario=scenario,
        label="known",
        seed=0,
        prior=stated,
        leaderboard=(Standing("lr", 0.8, 0.01, 0.7), Standing("nb", 0.7, 0.01, 0.3)),
        importance=importance,
        curves=curves,
        remarks=remarks,
        limits=("A limit.",),
        provenance=Provenance("table.csv", "0" * 64, len(s), int(s.sum()), (("pubench", "0.1.0"),)),
    )
    ids = frame["name"].to_numpy(dtype=np.str_)[np.newaxis]
    training = TrainingRows(
        ids, s, ensemble.out_of_fold_, (ensemble.out_of_fold_.vote > 0.5).astype(np.uint8)
    )
    return TrainedModel(card, schema, ensemble, training, typical_row(schema, encoded.X, s))
