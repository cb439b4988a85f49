"""The section of the price of tuning: what each PU criterion loses against choosing by true labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from pubench.reporting.choices import Choice, find_choices
from pubench.reporting.draw.curves import Drawing
from pubench.reporting.draw.figures import draw_boxes
from pubench.reporting.pricing import Loss, Price, find_prices
from pubench.reporting.report import Report
from pubench.reporting.sections.blocks import (
    BulletList,
    Entry,
    FigureBlock,
    Fold,
    Paragraph,
    Section,
    SectionBlock,
    TableBlock,
    Tone,
)
from pubench.reporting.sentences import REPLICATE_TESTS
from pubench.reporting.wording import number, p_value

__all__ = ["price_section"]

LINES, FEWEST = 60, 3
"""At most so many lines of a table are shown, and a box plot needs at least so many losses."""
_LEAD = (
    "What a model chosen by a criterion loses against one chosen by true labels on the same validation rows: the "
    "oracle's score minus the criterion's, replicate by replicate, positive where the oracle is better. Mean (standard "
    "deviation). The oracle does not see the test rows either, so a criterion may do better there by chance. Coloured: "
    "p below {alpha:g}, after Holm's correction over the criteria{one}."
)
_MATRIX = (
    "Criterion by algorithm: the score of what a criterion chooses minus that of what true classes choose on the same "
    "validation rows (the column with a dagger), on average over data sets; below 0 is what it costs not to know the "
    "classes. Gain: over the default setting, an untuned algorithm whose label ends with “, default”. Harm: how many "
    "searches end below it."
)
_TESTS = (
    "Within a line the test is {within} over replicates; in the last lines it is {over} over data sets. k/n: only k "
    "of n pairs ended with a score."
)


def price_section(report: Report) -> Section | None:
    """Return a table and a figure for each metric; Markdown has none."""
    prices, rules = find_prices(report), report.rules
    if not prices:
        return None
    over = "the paired t-test" if rules.test == "t" else "Wilcoxon's signed-rank test"
    one = " (there is one)" if len(prices[0].criteria) == 1 else ""
    tests = Paragraph(_TESTS.format(within=REPLICATE_TESTS[rules.replicate_test], over=over))
    lead = Paragraph(_LEAD.format(alpha=rules.alpha, one=one))
    blocks: list[SectionBlock] = []
    for price in prices:
        choices = find_choices(report, price)
        blocks += [_summary(price, choices[""]), _matrix(price, choices), *_figure(price)]
        title = f"{price.name}: each algorithm on each data set, with tests"
        blocks.append(Fold(title, (lead, _table(price, rules.alpha), tests), price.metric))
    blocks.append(Paragraph(_MATRIX))
    heading = "The price of tuning without true labels"
    return Section("price", "Price of tuning", heading, tuple(blocks), ())


def _summary(price: Price, found: Sequence[Choice]) -> BulletList:
    """Say which criteria cost least and most, over all algorithms."""
    order = sorted(zip(price.criteria, found, strict=False), key=lambda pair: pair[1].loss)
    sentences = [_cost(price, "costs least" if len(order) > 1 else "costs", *order[0])]
    sentences += [_cost(price, "costs most", *order[-1])] if len(order) > 1 else []
    return BulletList(tuple(sentences), metric=price.metric)


def _cost(price: Price, costs: str, name: str, one: Choice) -> str:
    gain = "" if np.isnan(one.gain) else f", and {one.gain:+.3f} against the default settings"
    return (
        f"Choosing by {name} {costs}: {-one.loss:+.3f} {price.name} against choosing by true classes{gain}."
    )


def _matrix(price: Price, found: Mapping[str, tuple[Choice, ...]]) -> TableBlock:
    """Return criterion by algorithm: what it loses, gains, and how often it ends in a collapse."""
    lines = [
        [
            Entry(name or "all", method=name),
            *(_choice(one, k < len(price.criteria)) for k, one in enumerate(each)),
        ]
        for name, each in found.items()
    ]
    body, foot = lines[1:] or lines, lines[:1] if len(lines) > 1 else []
    heads = ("algorithm", *price.criteria, f"{price.oracle} †")
    return TableBlock(f"{price.name}: criterion by algorithm", heads, body, foot, metric=price.metric)


def _choice(one: Choice, costs: bool) -> Entry:
    gain = "" if np.isnan(one.gain) else f"gain {one.gain:+.3f}, harm {100 * one.harmed:.0f} %"
    share = f"{one.collapsed} of {one.models} collapsed" if one.collapsed else ""
    return Entry(f"{-one.loss:+.3f}" if costs and not np.isnan(one.loss) else "–", below=gain, remark=share)


def _figure(price: Price) -> Iterator[SectionBlock]:
    """Draw the losses of each criterion; nothing where a criterion has too few."""
    means = {
        name: np.array([line.losses[k].mean for line in price.lines], dtype=np.float64)
        for k, name in enumerate(price.criteria)
    }
    known = {name: values[np.isfinite(values)] for name, values in means.items()}
    if min(values.size for values in known.values()) >= FEWEST:
        label = f"Box plots of the losses of each criterion in {price.name}."
        caption = (
            f"Losses in {price.name} against {price.oracle}, one for each algorithm on each data set and labelling; "
            "right of 0 the oracle is better."
        )
        drawing = draw_boxes(known, f"loss in {price.name}", label, f"p{price.metric}-")
        yield FigureBlock(Drawing((drawing,)), caption, metric=price.metric)


def _table(price: Price, alpha: float) -> TableBlock:
    lines: list[Sequence[str | Entry]] = []
    for line in price.lines[:LINES]:
        oracle = Entry(number(line.oracle), aside=_deviation(line.oracle_sd))
        losses = [_entry(loss, alpha) for loss in line.losses]
        lines.append([line.dataset, line.labelling, line.algorithm, oracle, *losses])
    if len(price.lines) > LINES:
        lines.append([f"and {len(price.lines) - LINES} more", *[""] * (3 + len(price.criteria))])
    foot: list[Sequence[str | Entry]] = [
        [f"{name or 'all'}: mean over data sets", "", "", "", *(_entry(loss, alpha) for loss in losses)]
        for name, losses in price.overall.items()
    ]
    heads = ("data set", "labelling", "algorithm", price.oracle, *price.criteria)
    title = f"{price.name}: loss against {price.oracle}"
    return TableBlock(title, heads, lines, foot, texts=(0, 1, 2), metric=price.metric)


def _entry(loss: Loss, alpha: float) -> Entry:
    if not loss.n:
        return Entry("–")
    tone: Tone = "" if not loss.p < alpha else "bad" if loss.mean > 0 else "good"
    return Entry(
        number(loss.mean),
        aside=_deviation(loss.sd),
        below="" if np.isnan(loss.p) else f"p {p_value(loss.p)}",
        remark=f"{loss.n}/{loss.planned}" if loss.n < loss.planned else "",
        tone=tone,
    )


def _deviation(sd: float) -> str:
    return "" if np.isnan(sd) else f"({number(sd)})"
