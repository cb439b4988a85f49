"use strict";
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const one = (id) => document.getElementById(id);
  const root = document.documentElement;
  const escaped = (text) => String(text).replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

  // Theme: the system's until the button is pressed; a page on disk may be denied storage.
  const stored = { get: () => { try { return localStorage.getItem("pubench-theme"); } catch { return null; } },
                   set: (value) => { try { localStorage.setItem("pubench-theme", value); } catch { /* not kept */ } } };
  const dark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const named = () => { one("theme").textContent = dark() ? "Light" : "Dark"; };
  if (stored.get()) root.dataset.theme = stored.get();
  named();
  one("theme").addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; stored.set(root.dataset.theme); named(); });

  const unpacked = async (id) => {
    const text = atob(one(id).textContent), bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  };

  // ---- Numbers as the other formats write them: halves are rounded to even digits, as Python does.
  const fixed = (x, digits) => {
    let text = Math.abs(x).toFixed(digits);
    const halves = Math.abs(x) * 2 ** (digits + 1);
    if (Number.isInteger(halves) && halves % 2 === 1 && +text.at(-1) % 2) text = (Math.floor(Math.abs(x) * 10 ** digits) / 10 ** digits).toFixed(digits);
    return x < 0 && Number(text) ? `-${text}` : text;
  };
  const number = (x) => {
    if (Number.isNaN(x)) return "–";
    if (!Number.isFinite(x)) return x > 0 ? "inf" : "-inf";
    if (Math.abs(x) < 1e-12) return "0.000";
    if (Math.abs(x) >= 0.001 && Math.abs(x) < 1000) return fixed(x, 3);
    const [digits, power] = x.toExponential(2).split("e");
    const plain = String(Number(digits));
    return +power < 3 && +power >= -4 ? String(Number(x.toPrecision(3))) : `${plain}e${power[0]}${power.slice(1).padStart(2, "0")}`;
  };

  // ---- Statistics: the computations of pubench/stats/{competition,leaderboard,bootstrap,elo}.py, sum by sum in their order.
  let data, width;
  const sum = (values) => { let total = 0; for (const value of values) total += value; return total; };
  const median = (values) => {
    const sorted = Float64Array.from(values).sort(), middle = sorted.length >> 1;
    return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  };
  const nearest = (x) => { const up = Math.round(x); return Math.abs(x % 1) === 0.5 && up % 2 ? up - 1 : up; };
  const differences = (first, second) => {
    let largest = 0;
    first.forEach((x, i) => { const size = Math.max(Math.abs(x), Math.abs(second[i])); if (Number.isFinite(size) && size > largest) largest = size; });
    const scale = 10 ** Math.ceil(Math.log10(largest || 1));
    return first.map((x, i) => (x === second[i] ? 0 : nearest((x - second[i]) / scale * 1e12) / 1e12 * scale));
  };
  const ranksOf = (scores) => {
    const order = [...scores.keys()].sort((a, b) => scores[b] - scores[a] || 0), ranks = new Float64Array(scores.length);
    for (let start = 0, end; start < order.length; start = end) {
      for (end = start + 1; end < order.length && scores[order[end]] === scores[order[start]];) end += 1;
      for (let i = start; i < end; i += 1) ranks[order[i]] = (start + 1 + end) / 2;
    }
    return ranks;
  };
  // mulberry32, with which the intervals of all formats are drawn.
  const generator = (seed) => {
    let state = seed;
    return () => {
      state = (state + 0x6D2B79F5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return (mixed ^ (mixed >>> 14)) >>> 0;
    };
  };
  const rankIntervals = (ranks, alpha, resamples = 2000) => {
    const n = ranks.length, k = ranks[0].length, draw = generator(0), outside = (1 - (1 - alpha)) / 2;
    const means = Array.from({ length: k }, () => new Float64Array(resamples)), totals = new Float64Array(k), times = new Uint32Array(n);
    for (let r = 0; r < resamples; r += 1) {
      times.fill(0); totals.fill(0);
      for (let i = 0; i < n; i += 1) times[Math.floor(draw() * n / 2 ** 32)] += 1;
      for (let i = 0; i < n; i += 1) if (times[i]) for (let j = 0; j < k; j += 1) totals[j] += times[i] * ranks[i][j];
      for (let j = 0; j < k; j += 1) means[j][r] = totals[j] / n;
    }
    const between = (sorted, level) => {
      const place = level * (resamples - 1), first = Math.floor(place), low = sorted[first], high = sorted[Math.min(first + 1, resamples - 1)];
      return low + (high - low) * (place - first);
    };
    return means.map((column) => { column.sort(); return [between(column, outside), between(column, 1 - outside)]; });
  };
  const eloRatings = (points, anchor) => {
    const k = points.length, reach = points.map((line, i) => line.map((won, j) => won > 0 || i === j));
    for (let m = 0; m < k; m += 1) for (let i = 0; i < k; i += 1) if (reach[i][m]) for (let j = 0; j < k; j += 1) if (reach[m][j]) reach[i][j] = true;
    const mutual = reach.map((line, i) => line.map((to, j) => to && reach[j][i]));
    const sizes = mutual.map((line) => line.filter(Boolean).length);
    const centre = anchor ?? sizes.indexOf(Math.max(...sizes));
    const rated = [...points.keys()].filter((j) => mutual[centre][j]), first = Math.max(rated.indexOf(anchor), 0);
    const won = rated.map((i) => sum(rated.map((j) => points[i][j])));
    let strength = rated.map(() => 1);
    for (let step = 0; step < (rated.length > 1 ? data.elo.iterations : 0); step += 1) {
      const next = rated.map((i, a) => {
        let total = 0;
        for (let b = 0; b < rated.length; b += 1) total += (points[i][rated[b]] + points[rated[b]][i]) / (strength[a] + strength[b]);
        return won[a] / total;
      });
      strength = next.map((value) => value / next[first]);
    }
    const ratings = strength.map((value) => 400 * Math.log10(value)), found = points.map(() => NaN);
    const shift = anchor === undefined ? sum(ratings) / ratings.length : 0;
    rated.forEach((j, a) => { found[j] = 1000 + ratings[a] - shift; });
    return found;
  };

  const COMPLETE = 1, PLANNED = 2, WAITING = 4;
  const isReference = (k, j) => data.reference[k * width + j] === "1";
  const isOracle = (k) => (data.lines[k][2] || "").startsWith("oracle-");
  const place = (k) => JSON.stringify(data.lines[k].slice(0, 2));
  const ownLines = (lines) => {
    const plain = new Set(lines.filter((k) => !isOracle(k)).map(place));
    return lines.filter((k) => !(isOracle(k) && plain.has(place(k))));
  };
  const compete = (metric, lines, columns) => {
    const table = data.metrics[metric], sign = table.greater ? 1 : -1;
    const has = (k, j, bit) => ((table.state.charCodeAt(k * width + j) - 48) & bit) > 0;
    const competes = columns.filter((j) => lines.some((k) => has(k, j, PLANNED) && !isReference(k, j)));
    const references = columns.filter((j) => !competes.includes(j) && lines.some((k) => has(k, j, PLANNED)));
    const score = new Map(columns.map((j) => [j, Float64Array.from(lines, (k) => {
      if (has(k, j, COMPLETE) && (references.includes(j) || !isReference(k, j))) return sign * table.mean[k * width + j];
      const lost = data.rules.missing === "worst-rank" && has(k, j, PLANNED) && !isReference(k, j) && !has(k, j, WAITING);
      return lost ? -Infinity : NaN;
    })]));
    const names = [...new Set(lines.map((k) => data.lines[k][3]))], ids = new Map(names.map((name, u) => [name, u]));
    const unit = lines.map((k) => ids.get(data.lines[k][3]));
    const used = (columns) => {
      const scores = columns.map((j) => score.get(j));
      return lines.map((_, i) => scores.every((one) => !Number.isNaN(one[i])) && scores.some((one) => one[i] > -Infinity));
    };
    const means = (columns) => {
      const sums = names.map(() => new Float64Array(columns.length)), counts = new Int32Array(names.length);
      const scores = columns.map((j) => score.get(j));
      used(columns).forEach((counts_, i) => {
        if (!counts_) return;
        counts[unit[i]] += 1;
        for (let c = 0; c < columns.length; c += 1) sums[unit[i]][c] += scores[c][i];
      });
      return sums.map((line, u) => line.map((value) => value / counts[u])).filter((line, u) => counts[u] && !line.some(Number.isNaN));
    };
    const able = table.greater === null ? [] : competes;
    const pick = () => {
      if (able.length < 2 || means(able).length) return able.length > 1 ? able : [];
      const counts = able.map((j) => means([j]).length), most = Math.max(...counts);
      const found = able.filter((_, i) => counts[i] === most);
      return found.length > 1 && means(found).length ? found : [];
    };
    const ranked = pick(), scores = ranked.length ? means(ranked) : [], ranks = scores.map(ranksOf);
    const average = (lines, c) => sum(lines.map((line) => line[c])) / lines.length;
    const rank = new Map(ranked.map((j, c) => [j, average(ranks, c)]));
    // One that competes alone is not ranked, and has means.
    const base = ranked.length ? ranked : able.length === 1 ? able : [], own = ranked.length ? scores : base.length ? means(base) : [];
    const mean = new Map(own.length ? base.map((j, c) => [j, average(own, c)]) : []);
    if (own.length) {
      const before = used(base);
      for (const j of references) {
        if (used([...base, j]).every((each, i) => each === before[i])) mean.set(j, average(means([...base, j]), base.length));
      }
    }
    mean.forEach((value, j) => mean.set(j, Number.isFinite(value) ? sign * value : NaN));
    return { sign, table, ranked, references, scores, ranks, rank, mean, means, averaged: own.length, units: names.length };
  };

  const shareOfError = ({ scores, sign, ranked }) => {
    const errors = scores.map((line) => line.map((score) => (sign > 0 ? 1 - score : -score)));
    if (!errors.length || errors.some((line) => line.some((error) => error < 0))) return ranked.map(() => NaN);
    const shares = errors.map((line) => { const least = Math.min(...line); return line.map((error) => (error === Infinity ? 1 : error > 0 ? (error - least) / error : 0)); });
    return ranked.map((_, c) => sum(shares.map((line) => line[c])) / shares.length);
  };
  const pointsOf = ({ scores, ranked }) => {
    const columns = ranked.map((_, c) => scores.map((line) => line[c])), points = ranked.map(() => new Array(ranked.length).fill(0));
    for (let a = 0; a < columns.length; a += 1) for (let b = 0; b < a; b += 1) {
      for (const gap of differences(columns[a], columns[b])) {
        points[a][b] += gap > 0 ? 1 : gap < 0 ? 0 : 0.5;
        points[b][a] += gap > 0 ? 0 : gap < 0 ? 1 : 0.5;
      }
    }
    return points;
  };
  const smallestSeen = ({ scores, ranked, table }, from) => {
    const n = scores.length, factor = table.factors[n];
    if (from === undefined || n < 2 || !Number.isFinite(factor)) return Infinity;
    const lead = scores.map((line) => line[ranked.indexOf(from)]);
    const spreads = ranked.flatMap((j, c) => {
      if (j === from) return [];
      const gaps = differences(lead, scores.map((line) => line[c])), mean = sum(gaps) / n;
      return [Math.sqrt(sum(gaps.map((gap) => (gap - mean) * (gap - mean))) / (n - 1))].filter(Number.isFinite);
    });
    return spreads.length ? median(spreads) * factor : Infinity;
  };
  const counted = (lines, j) => {
    const seen = new Set();
    return lines.filter((k) => {
      const key = data.shared[k * width + j] === "1" ? place(k) : JSON.stringify(data.lines[k].slice(0, 3));
      return !seen.has(key) && seen.add(key);
    });
  };
  const leaderboard = (metric, chosen, columns) => {
    const lines = ownLines(chosen), fields = data.metrics.map((_, m) => compete(m, lines, columns)), field = fields[metric];
    const { ranked, sign, mean } = field, n = field.scores.length;
    const order = [...ranked].sort((a, b) => field.rank.get(a) - field.rank.get(b) || ranked.indexOf(a) - ranked.indexOf(b)), best = order[0];
    const strongest = (found) => found.filter((j) => !Number.isNaN(mean.get(j) ?? NaN)).reduce((first, j) => (first === undefined || sign * mean.get(j) > sign * mean.get(first) ? j : first), undefined);
    const called = (pattern, found) => found.filter((j) => new RegExp(`^(${pattern})`).test(data.algorithms[j]));
    const baseline = strongest(called(data.baseline, ranked)), supervised = strongest(called("supervised-", field.references));
    const bounds = n > 1 && 2 ** (1 - n) < data.rules.alpha ? rankIntervals(field.ranks, data.rules.alpha) : null;
    const improvability = shareOfError(field), control = data.algorithms.indexOf(data.rules.control);
    const anchor = ranked.indexOf(control >= 0 ? control : baseline);
    const elo = n >= data.elo.units ? eloRatings(pointsOf(field), anchor >= 0 ? anchor : undefined) : ranked.map(() => NaN);
    const scale = baseline === undefined || supervised === undefined ? NaN : sign * (mean.get(supervised) - mean.get(baseline));
    const standing = (j) => {
      const c = ranked.indexOf(j), times = lines.map((k) => data.seconds[k * width + j]).filter((time) => !Number.isNaN(time));
      const total = (name) => sum(counted(lines, j).map((k) => data[name][k * width + j]));
      const against = best === undefined || j === best || field.references.includes(j) ? [] : field.means([j, best]);
      const gaps = differences(against.map((line) => line[0]), against.map((line) => line[1]));
      return {
        method: j, name: data.algorithms[j], reference: field.references.includes(j), rank: field.rank.get(j) ?? NaN,
        low: c >= 0 && bounds ? bounds[c][0] : NaN, high: c >= 0 && bounds ? bounds[c][1] : NaN,
        means: fields.map((each) => each.mean.get(j) ?? NaN),
        wins: gaps.filter((gap) => gap > 0).length, ties: gaps.filter((gap) => gap === 0).length, losses: gaps.filter((gap) => gap < 0).length,
        normalised: scale > 0 ? sign * ((mean.get(j) ?? NaN) - mean.get(baseline)) / scale : NaN,
        improvability: c >= 0 ? improvability[c] : NaN, elo: c >= 0 ? elo[c] : NaN, seconds: times.length ? median(times) : NaN,
        planned: total("planned"), failed: total("failed"), collapsed: total("collapsed"),
      };
    };
    const rest = columns.filter((j) => !ranked.includes(j));
    rest.sort((a, b) => field.references.includes(a) - field.references.includes(b));
    const comparedWith = ranked.includes(control) ? control : best;
    return { standings: [...order, ...rest].map(standing), units: field.averaged, allUnits: field.units, lines, best, baseline, supervised, field, comparedWith, detectable: smallestSeen(field, comparedWith) };
  };

  // ---- State: all that a reader can choose. The address keeps it, after the section: #scores?metric=f1&hide=wlr
  const FACETS = [["scenario", "Scenario", 4], ["labelling", "Labelling", 1], ["group", "Group of data sets", 6], ["prior", "Prior", 5], ["criterion", "Criterion", 2]];
  const FLAGS = ["sd", "heat"], CHOICES = ["metric", "find", "by", "order", ...FLAGS];
  const ORDERS = { by: ["columns", "rows"], order: ["rank", "run"] };
  const NOT_TUNED = "not tuned";
  const state = { hide: new Set(), sort: "", sorts: "", lit: "", whole: "" };
  let usual = {}, current;
  const facetValues = (k, field) => [data.lines[k][field] ?? NOT_TUNED].flat();
  const chosenLines = () => {
    const words = state.find.toLowerCase().split(/\s+/).filter(Boolean);
    return [...data.lines.keys()].filter((k) => FACETS.every(([key, , field]) => !state[key] || facetValues(k, field).includes(state[key]))
      && words.every((word) => data.lines[k].slice(0, 3).join(" ").toLowerCase().includes(word)));
  };
  const shownMethods = () => [...data.algorithms.keys()].filter((j) => !state.hide.has(data.algorithms[j]));
  const isFiltered = () => state.hide.size > 0 || chosenLines().length < data.lines.length;
  // Ignore a hash that cannot be decoded.
  const section = () => { try { return decodeURIComponent(location.hash.slice(1).split("?")[0]); } catch { return ""; } };
  const writeState = () => {
    const query = new URLSearchParams();
    for (const key of [...CHOICES, ...FACETS.map(([name]) => name), "sort", "sorts", "lit", "whole"]) {
      if (state[key] !== usual[key]) query.set(key, key === "metric" ? data.metrics[state.metric].name : state[key]);
    }
    const kept = shownMethods();
    if (kept.length && kept.length < state.hide.size) kept.forEach((j) => query.append("only", data.algorithms[j]));
    else state.hide.forEach((name) => query.append("hide", name));
    const text = query.toString(), at = section();
    try { history.replaceState(history.state, "", text || at ? `#${at}${text ? `?${text}` : ""}` : location.pathname + location.search); } catch { /* some browsers refuse files */ }
  };
  const readState = () => {
    const query = new URLSearchParams(location.hash.split("?").slice(1).join("?"));
    for (const key of Object.keys(usual)) state[key] = query.get(key) ?? usual[key];
    const metric = data.metrics.findIndex((each) => each.name === query.get("metric"));
    state.metric = String(Math.max(metric, 0));
    FLAGS.forEach((key) => { state[key] = String(state[key]) !== "false"; });
    // What this run does not have, and what is no value at all, is ignored: an address may come from anywhere.
    ["sort", "sorts"].forEach((key) => { if (!/:(ascending|descending)$/.test(state[key])) state[key] = ""; });
    ["by", "order"].forEach((key) => { if (!ORDERS[key].includes(state[key])) state[key] = usual[key]; });
    if (!data.algorithms.includes(state.lit)) state.lit = "";
    state.whole = state.whole === "yes" ? "yes" : "";
    const only = query.getAll("only").filter((name) => data.algorithms.includes(name));
    state.hide = new Set(data.algorithms.filter((name) => (only.length ? !only.includes(name) : query.getAll("hide").includes(name))));
    for (const key of CHOICES) if (one(key)) one(key)[FLAGS.includes(key) ? "checked" : "value"] = state[key];
    FACETS.forEach(([key]) => { if (one(key)) { one(key).value = state[key]; if (one(key).selectedIndex < 0) one(key).value = ""; } state[key] = one(key) ? one(key).value : ""; });
    all("#columns input").forEach((box) => { box.checked = !state.hide.has(box.value); });
  };

  // ---- Tables
  const many = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
  const UNIT = () => (data.rules.unit === "block" ? "block" : "data set");
  const dagger = (name, reference) => `${name}${reference ? " †" : ""}`;
  const shade = (value, low, high) => (Number.isFinite(value) && Number.isFinite(low) ? ` style="--h:${high > low ? +Math.max(0, (value - low) / (high - low)).toFixed(2) : 1}"` : "");
  // Shades begin at the lower quartile: one method that fails would make all others look alike.
  const shadedFrom = (values) => { const found = values.filter(Number.isFinite).sort((a, b) => a - b); return found.length > 1 ? [quantile(found, 0.25), found.at(-1)] : [NaN, NaN]; };
  const known = (text) => text !== "–" && text !== "";
  const boardColumns = (board) => {
    const best = board.best === undefined ? "" : data.algorithms[board.best];
    const share = (count, planned) => (count ? `${count} of ${planned}` : "0");
    const metrics = data.metrics.map((metric, m) => ({ key: `mean${m}`, head: metric.name, text: (s) => number(s.means[m]), value: (s) => s.means[m], greater: metric.greater !== false, compared: metric.greater !== null }));
    metrics.unshift(...metrics.splice(+state.metric, 1));
    return [
      { key: "rank", head: "rank", text: (s) => (Number.isNaN(s.rank) ? "–" : fixed(s.rank, 2)), aside: (s) => (Number.isNaN(s.low) ? "" : `(${fixed(s.low, 2)} to ${fixed(s.high, 2)})`), value: (s) => s.rank, greater: false },
      ...metrics,
      { key: "wins", head: `won / tied / lost against ${best}`, below: `against ${best}`, text: (s) => (s.method === board.best ? "" : s.wins + s.ties + s.losses ? `${s.wins} / ${s.ties} / ${s.losses}` : "–"), value: (s) => (s.method === board.best ? Infinity : s.wins + s.ties + s.losses ? s.wins + s.ties / 2 : NaN), greater: true },
      { key: "normalised", head: "normalised", text: (s) => number(s.normalised), value: (s) => s.normalised, greater: true },
      { key: "improvability", head: "improvability", text: (s) => (Number.isNaN(s.improvability) ? "–" : `${fixed(100 * s.improvability, 1)} %`), value: (s) => s.improvability, greater: false },
      { key: "elo", head: "Elo", text: (s) => (Number.isNaN(s.elo) ? "–" : fixed(s.elo, 0)), value: (s) => s.elo, greater: true },
      { key: "seconds", head: "seconds", text: (s) => number(s.seconds), value: (s) => s.seconds, greater: false },
      { key: "collapsed", head: "collapsed", text: (s) => share(s.collapsed, s.planned), value: (s) => s.collapsed, greater: false },
      { key: "failed", head: "failed", text: (s) => share(s.failed, s.planned), value: (s) => s.failed, greater: false },
    ].filter((column) => ["rank", "collapsed", "failed"].includes(column.key) || board.standings.some((s) => known(column.text(s))));
  };
  const sorted = (items, value, order) => {
    const sign = order === "ascending" ? 1 : -1;
    return [...items].sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (typeof x === "string") return sign * x.localeCompare(y, "en", { numeric: true });
      return Number.isNaN(x) || Number.isNaN(y) ? Number.isNaN(x) - Number.isNaN(y) : sign * (x - y) || 0;
    });
  };
  const sortHead = (text, key, chosen, rest = "") => {
    const order = chosen.startsWith(`${key}:`) ? chosen.slice(key.length + 1) : "";
    return `<th scope="col"${order ? ` aria-sort="${order}"` : ""}${rest}><button type="button" data-sort="${escaped(key)}">${text}</button></th>`;
  };
  const long = (name) => (name.length > 24 ? `<span class="long"${name.length > 60 ? ` title="${escaped(name)}"` : ""}>${escaped(name)}</span>` : escaped(name));
  const interval = (s, most) => {
    if (Number.isNaN(s.low)) return "";
    const x = (rank) => (most > 1 ? 4 + 82 * (rank - 1) / (most - 1) : 45).toFixed(1);
    return ` <svg class="mini" viewBox="0 0 90 12" width="68" height="9" aria-hidden="true"><line x1="${x(s.low)}" x2="${x(s.high)}" y1="6" y2="6"/><circle cx="${x(s.rank)}" cy="6" r="3"/></svg>`;
  };
  const boardGrid = (board) => {
    const columns = boardColumns(board), competitors = board.standings.filter((s) => !s.reference);
    const extremes = columns.map((column) => { const found = competitors.map(column.value).filter(Number.isFinite); return found.length > 1 ? [Math.min(...found), Math.max(...found)] : [NaN, NaN]; });
    const [key, order] = state.sort.split(":");
    const by = columns.find((column) => column.key === key), lines = key === "method" ? sorted(board.standings, (s) => s.name, order) : by ? sorted(board.standings, by.value, order) : board.standings;
    const isBest = (s, c) => columns[c].compared !== false && !s.reference && columns[c].value(s) === extremes[c][columns[c].greater ? 1 : 0] && (columns[c].key === "rank" || columns[c].key.startsWith("mean"));
    return { columns, lines, isBest };
  };
  const drawBoard = (board) => {
    const { columns, lines, isBest } = boardGrid(board), most = board.field.ranked.length;
    const ends = columns.map((column) => shadedFrom(board.standings.filter((s) => !s.reference).map((s) => (column.greater ? 1 : -1) * column.value(s))));
    const cell = (s, column, c) => {
      const value = column.value(s), shaded = column.key.startsWith("mean") && !s.reference && column.compared !== false;
      const [low, high] = ends[c];
      const aside = column.aside ? column.aside(s) : "";
      return `<td data-key="${column.key}" data-method="${escaped(s.name)}"${Number.isFinite(value) ? ` data-value="${value}"` : ""}${column.key === "rank" && aside ? ` data-low="${s.low}" data-high="${s.high}"` : ""}${shaded ? shade(column.greater ? value : -value, low, high) : ""}${isBest(s, c) ? " class=\"best\"" : ""}>${column.text(s)}${isBest(s, c) ? "<span class=\"mark\" title=\"best of its column\">*</span>" : ""}${aside ? ` <span class="sd">${aside}</span>` : ""}${column.key === "rank" ? interval(s, most) : ""}</td>`;
    };
    all("table", one("board"))[0].innerHTML = `<caption>Methods by ${escaped(data.metrics[state.metric].name)}, over ${board.units} of ${many(board.allUnits, UNIT())} (${many(board.lines.length, "line")})</caption>
      <thead><tr>${sortHead("method", "method", state.sort, " class=\"text\"")}${columns.map((column) => sortHead(column.below ? `won / tied / lost<span class="below">${escaped(column.below)}</span>` : long(column.head), column.key, state.sort)).join("")}</tr></thead>
      <tbody>${lines.map((s) => `<tr><th scope="row" class="text" data-method="${escaped(s.name)}"><button type="button" class="method" aria-pressed="${state.lit === s.name}">${long(dagger(s.name, s.reference))}</button></th>${columns.map((column, c) => cell(s, column, c)).join("")}</tr>`).join("")}</tbody>`;
    one("board-notes").innerHTML = notes(board).map((note) => `<p>${escaped(note)}</p>`).join("");
  };
  const notes = (board) => {
    const name = (j) => data.algorithms[j], units = `${UNIT()}s`, none = (key) => board.standings.every((s) => Number.isNaN(s[key]));
    if (board.best === undefined) return [`There are no ranks, normalised scores, improvability and Elo ratings: they need a metric with a direction, and two methods with scores on the same ${units}.`];
    let needed = 2;
    while (!(2 ** (1 - needed) < data.rules.alpha)) needed += 1;
    const lacks = board.supervised === undefined ? "supervised reference" : "simple baseline (naive-*-prior)";
    return [
      `Rank: average over ${units} in which all ranked methods have a score, 1 is best.`,
      none("low") ? `There are no intervals of ranks: they need at least ${needed} ${units}.` : "In parentheses: a bootstrap interval of the rank.",
      none("improvability") ? "There is no improvability: the metric has values beyond its best, so shares of an error are undefined."
        : "Improvability: the share of a method's error that the best method of each data set avoids, on average.",
      board.baseline === undefined || board.supervised === undefined ? `There is no normalised score: the run has no ${lacks} with a score on the same ${units}.`
        : none("normalised") ? `There is no normalised score: ${name(board.supervised)} is not better than ${name(board.baseline)}, the strongest simple baseline.`
          : `Normalised: 0 is ${name(board.baseline)}, the strongest simple baseline; 1 is ${name(board.supervised)}.`,
      ...(board.units < data.elo.units ? [`There are no Elo ratings: they need at least ${data.elo.units} ${units}.`]
        : board.standings.some((s) => !Number.isNaN(s.rank) && Number.isNaN(s.elo)) ? ["A method without an Elo rating is not connected with the others by wins and losses in both directions."] : []),
    ];
  };
  const headline = (board) => {
    const metric = data.metrics[state.metric];
    if (!isFiltered()) return metric.headline;
    if (board.best === undefined) return "Nothing can be ranked in this selection.";
    const unit = many(board.units, UNIT());
    const enough = metric.factors.findIndex(Number.isFinite), share = metric.mean.every((value) => Number.isNaN(value) || Math.abs(value) <= 1);
    const from = data.algorithms[board.comparedWith] === data.rules.control ? `from ${data.rules.control} ` : "";
    const strength = board.detectable === Infinity ? `${unit} cannot show which method is better; at least ${enough > 0 ? enough : metric.needed} are needed.`
      : share && fixed(100 * board.detectable, 1) === "0.0" ? `Even differences ${from}in ${metric.name} of less than 0.1 points can be seen with ${unit}.`
        : `Differences ${from}in ${metric.name} below ${share ? `${fixed(100 * board.detectable, 1)} points` : number(board.detectable)} cannot be seen with ${unit}.`;
    const first = board.standings[0].rank, names = board.standings.filter((s) => s.rank === first).map((s) => data.algorithms[s.method]);
    const who = names.length === 1 ? `${names[0]} has` : names.length > 3 ? `${names.length} methods share` : `${names.slice(0, -1).join(", ")} and ${names.at(-1)} share`;
    return `${strength} ${who} the best average rank (${fixed(first, 2)}) in this selection, which was not tested.`;
  };

  // What is drawn at first: a browser takes a second to lay out 6,000 cells.
  const MOST_LINES = 100, MOST_CELLS = 2000, LEAST_LINES = 20;
  const scoreParts = () => {
    const lines = chosenLines(), board = current, table = data.metrics[state.metric], sign = table.greater === false ? -1 : 1;
    const methods = state.order === "rank" ? board.standings.map((s) => s.method) : shownMethods();
    const eligible = (k, j) => table.greater !== null && (table.state.charCodeAt(k * width + j) - 48) & COMPLETE && !isReference(k, j) && !Number.isNaN(table.mean[k * width + j]);
    // Where shades begin in each line, and its best, among the methods that are shown; one alone is not the best of anything.
    const ends = new Map(lines.map((k) => {
      const found = methods.filter((j) => eligible(k, j)).map((j) => sign * table.mean[k * width + j]);
      return [k, found.length > 1 ? [shadedFrom(found)[0], Math.max(...found)] : [NaN, NaN]];
    }));
    // A tie with the best of a line was tested against the best of all methods: it counts only while that one is shown.
    const tested = new Map(lines.map((k) => {
      const found = [...data.algorithms.keys()].filter((j) => eligible(k, j)).map((j) => sign * table.mean[k * width + j]);
      return [k, Math.max(...found) === ends.get(k)[1]];
    }));
    const cell = (k, j) => {
      const at = k * width + j, value = table.mean[at], [low, high] = ends.get(k), fair = eligible(k, j);
      return { value, text: number(value), sd: Number.isNaN(table.sd[at]) ? "" : Math.abs(value) < 1000 && table.sd[at] < 0.001 ? fixed(table.sd[at], 3) : number(table.sd[at]), best: Boolean(fair) && sign * value === high,
        tied: table.tied[at] === "1" && tested.get(k) && sign * value !== high, reference: isReference(k, j), remark: table.remarks[at] || "", shade: fair ? shade(sign * value, low, high) : "" };
    };
    const colon = state.sorts.lastIndexOf(":"), [key, order] = [state.sorts.slice(0, Math.max(colon, 0)), state.sorts.slice(colon + 1)];
    const label = (k) => data.lines[k].slice(0, 3).map((part) => part ?? "").join("\n");
    const method = methods.find((j) => data.algorithms[j] === key), line = lines.find((k) => label(k) === key);
    const value = (k, j) => table.mean[k * width + j];
    return {
      lines: key === "\n" ? sorted(lines, label, order) : method === undefined ? lines : sorted(lines, (k) => value(k, method), order),
      methods: line === undefined ? methods : sorted(methods, (j) => value(line, j), order), cell, label, table,
    };
  };
  const drawScores = () => {
    if (!one("score-table")) return;
    const { lines, methods, cell, label, table } = scoreParts(), rank = new Map(current.standings.map((s) => [s.method, s]));
    const shared = [1, 2].filter((field) => new Set(lines.map((k) => data.lines[k][field])).size < 2);
    const most = Math.max(LEAST_LINES, Math.min(MOST_LINES, Math.floor(MOST_CELLS / Math.max(methods.length, 1))));
    const shown = state.whole || lines.length <= most * 1.2 ? lines : lines.slice(0, most);
    const said = (k) => [1, 2].filter((field) => !shared.includes(field) && data.lines[k][field]).map((field) => data.lines[k][field]).join(" · ");
    const lineName = (k) => `<span class="name">${long(data.lines[k][0])}</span>${said(k) ? `<span class="below">${escaped(said(k))}</span>` : ""}`;
    const content = (k, j) => {
      const one = cell(k, j), name = escaped(data.algorithms[j]);
      return `<td data-line="${k}" data-column="${j}" data-method="${name}"${Number.isNaN(one.value) ? "" : ` data-value="${one.value}"`}${one.shade}${one.best ? " class=\"best\"" : ""}><button type="button">${one.text}</button>${one.best ? "<span class=\"mark\" title=\"best of its line\">*</span>" : one.tied ? "<span class=\"mark\" title=\"not significantly different from the best\">≈</span>" : ""}${one.sd ? ` <span class="sd">(${one.sd})</span>` : ""}${one.reference ? "<span class=\"mark\" title=\"used true labels\">†</span>" : ""}${one.remark ? `<span class="remark">${escaped(one.remark)}</span>` : ""}</td>`;
    };
    const rankText = (j) => (rank.get(j) && !Number.isNaN(rank.get(j).rank) ? fixed(rank.get(j).rank, 2) : "–");
    const common = shared.map((field) => lines.length && data.lines[lines[0]][field]).filter(Boolean).map((text, i) => (shared[i] === 2 ? `tuned by ${text}` : text));
    const caption = `${table.name}${table.greater === null ? "" : ` (${table.greater ? "higher" : "lower"} is better)`}${common.map((text) => `; ${text}`).join("")}`;
    const asRows = state.by === "rows";
    const head = asRows ? `<tr>${sortHead("method", "", "", " class=\"text\"")}<th scope="col">rank</th>${shown.map((k) => sortHead(lineName(k), label(k), state.sorts)).join("")}</tr>`
      : `<tr>${sortHead("data set", "\n", state.sorts, " class=\"text\"")}${methods.map((j) => sortHead(long(data.algorithms[j]), data.algorithms[j], state.sorts, ` data-method="${escaped(data.algorithms[j])}" data-column="${j}"`)).join("")}</tr>`;
    const body = asRows ? methods.map((j) => `<tr><th scope="row" class="text" data-method="${escaped(data.algorithms[j])}"><span class="name">${long(data.algorithms[j])}</span></th><td data-method="${escaped(data.algorithms[j])}">${rankText(j)}</td>${shown.map((k) => content(k, j)).join("")}</tr>`)
      : shown.map((k) => `<tr><th scope="row" class="text">${lineName(k)}</th>${methods.map((j) => content(k, j)).join("")}</tr>`);
    const foot = asRows || methods.every((j) => rankText(j) === "–") ? "" : `<tfoot><tr><th scope="row" class="text">average rank</th>${methods.map((j) => `<td data-method="${escaped(data.algorithms[j])}">${rankText(j)}</td>`).join("")}</tr></tfoot>`;
    one("score-table").innerHTML = lines.length && methods.length ? `<table class="scores"><caption>${escaped(caption)}</caption><thead>${head}</thead><tbody>${body.join("")}</tbody>${foot}</table>` : "<p class=\"note inside\">No line or no method is chosen.</p>";
    one("more").hidden = shown.length === lines.length;
    one("more").textContent = `Show all of ${many(lines.length, "line")}`;
    one("scores").classList.toggle("nosd", !state.sd);
    one("scores").classList.toggle("flat", !state.heat);
  };

  // ---- Figures
  const group = (name, tip, inside) => `<g data-method="${escaped(name)}" data-tip="${escaped(tip)}">${inside}</g>`;
  const words = (text, x, y, side, size = 12) => `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${side}" font-size="${size}">${escaped(text)}</text>`;
  const cut = (name) => (name.length > 28 ? `${name.slice(0, 27)}…` : name);
  const ticksBetween = (low, high) => {
    const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].find((each) => each * power >= rough) * power, found = [];
    for (let value = Math.ceil(low / step) * step; value <= high + step / 1e6; value += step) found.push(Math.abs(value) < step / 1e6 ? 0 : +value.toPrecision(12));
    return found;
  };
  const drawTime = (board) => {
    const figure = one("against-time"), metric = data.metrics[state.metric], sign = metric.greater ? 1 : -1;
    const points = board.standings.filter((s) => !Number.isNaN(s.rank) && Number.isFinite(s.means[state.metric]) && !Number.isNaN(s.seconds)).map((s) => ({ name: s.name, y: s.means[state.metric], x: Math.max(s.seconds, 1e-4) }));
    figure.hidden = points.length < 2;
    if (points.length < 2) return;
    const [W, H, left, bottom] = [640, 400, 56, 44];
    let [x0, x1] = [Math.min(...points.map((p) => p.x)), Math.max(...points.map((p) => p.x))].map(Math.log10), [y0, y1] = [Math.min(...points.map((p) => p.y)), Math.max(...points.map((p) => p.y))];
    [x0, x1] = [x0 - 0.08 * (x1 - x0) - 0.05, x1 + 0.22 * (x1 - x0) + 0.05];
    [y0, y1] = y1 > y0 ? [y0 - 0.06 * (y1 - y0), y1 + 0.06 * (y1 - y0)] : [y0 - 0.5, y1 + 0.5];
    const px = (x) => left + (Math.log10(x) - x0) / (x1 - x0) * (W - left - 8), py = (y) => H - bottom - (y - y0) / (y1 - y0) * (H - bottom - 10);
    const unbeaten = [];
    for (const point of [...points].sort((a, b) => a.x - b.x || sign * (b.y - a.y))) if (!unbeaten.length || sign * point.y > sign * unbeaten.at(-1).y) unbeaten.push(point);
    const taken = points.map((p) => [px(p.x) - 6, py(p.y) - 6, px(p.x) + 6, py(p.y) + 6]);
    // Labels go where there is room; a point without one has its name under the pointer.
    const label = (p) => {
      const text = cut(p.name), length = 6.6 * text.length, [x, y] = [px(p.x), py(p.y)];
      for (const [dx, dy, side] of [[9, 4, "start"], [-9, 4, "end"], [0, -9, "middle"], [0, 18, "middle"], [8, -8, "start"], [8, 16, "start"]]) {
        const from = x + dx - (side === "end" ? length : side === "middle" ? length / 2 : 0), box = [from, y + dy - 10, from + length, y + dy + 2];
        if (box[0] < left || box[2] > W || box[1] < 0 || box[3] > H - bottom) continue;
        if (taken.some((other, i) => points[i] !== p && box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) continue;
        taken.push(box);
        return words(text, x + dx, y + dy, side);
      }
      return "";
    };
    const xTicks = [];
    for (let power = Math.floor(x0); power <= x1; power += 1) for (const step of [1, 2, 5]) { const value = step * 10 ** power; if (Math.log10(value) >= x0 && Math.log10(value) <= x1) xTicks.push(+value.toPrecision(3)); }
    const xShown = xTicks.length > 8 ? xTicks.filter((value) => Math.abs(Math.log10(value) % 1) < 1e-9) : xTicks;
    const grid = [...ticksBetween(y0, y1).filter((y) => y >= y0).map((y) => `<path class="grid" d="M${left} ${py(y).toFixed(1)}H${W - 8}"/>${words(String(y), left - 7, py(y) + 4, "end", 11)}`), ...xShown.map((x) => `<path class="grid" d="M${px(x).toFixed(1)} 10V${H - bottom}"/>${words(String(x), px(x), H - bottom + 16, "middle", 11)}`)];
    const drawn = [...unbeaten, ...points.filter((p) => !unbeaten.includes(p))].map((p) => group(p.name, `${p.name}: ${metric.name} ${number(p.y)}, ${number(p.x)} s`, `<circle class="${unbeaten.includes(p) ? "lead" : "dot"}" cx="${px(p.x).toFixed(1)}" cy="${py(p.y).toFixed(1)}" r="4.5"/>${label(p)}`));
    all(".plot", figure)[0].innerHTML = `<svg role="img" viewBox="0 0 ${W} ${H}" aria-label="${escaped(metric.name)} against the seconds of a fit, for each method; the leaderboard has the numbers.">${grid.join("")}<path class="front" d="M${unbeaten.map((p) => `${px(p.x).toFixed(1)} ${py(p.y).toFixed(1)}`).join("L")}"/>${drawn.join("")}${words("seconds to fit (median)", (W + left) / 2, H - 6, "middle")}<text transform="translate(13 ${(H - bottom) / 2}) rotate(-90)" text-anchor="middle" font-size="12">${escaped(metric.name)}</text></svg>`;
    all("figcaption", figure)[0].textContent = "Mean score against the median time of a fit. The line joins the methods that no other beats in both.";
  };
  const quantile = (values, level) => { const place = level * (values.length - 1), first = Math.floor(place), next = values[Math.min(first + 1, values.length - 1)]; return values[first] + (next - values[first]) * (place - first); };
  const drawDifferences = (board) => {
    const figure = one("differences"), { ranked, scores } = board.field, best = board.best;
    const lead = best === undefined ? [] : scores.map((line) => line[ranked.indexOf(best)]);
    const boxes = board.standings.filter((s) => !Number.isNaN(s.rank) && s.method !== best).map((s) => ({ name: s.name, values: differences(lead, scores.map((line) => line[ranked.indexOf(s.method)])).filter(Number.isFinite).sort((a, b) => a - b) })).filter((box) => box.values.length);
    figure.hidden = scores.length < 5 || !boxes.length;
    if (figure.hidden) return;
    const name = data.algorithms[best], metric = data.metrics[state.metric].name, W = 640, left = 190, row = boxes.length > 24 ? 16 : 24, H = boxes.length * row + 46;
    let [x0, x1] = [Math.min(0, ...boxes.map((box) => box.values[0])), Math.max(0, ...boxes.map((box) => box.values.at(-1)))];
    [x0, x1] = x1 > x0 ? [x0 - 0.03 * (x1 - x0), x1 + 0.03 * (x1 - x0)] : [-0.5, 0.5];
    const px = (x) => left + (x - x0) / (x1 - x0) * (W - left - 10), f = (x) => px(x).toFixed(1);
    const drawn = boxes.map((box, i) => {
      const [q1, q2, q3] = [0.25, 0.5, 0.75].map((level) => quantile(box.values, level)), reach = 1.5 * (q3 - q1), y = i * row + row / 2 + 4, half = row * 0.32;
      const low = Math.min(q1, box.values.find((value) => value >= q1 - reach)), high = Math.max(q3, box.values.findLast((value) => value <= q3 + reach));
      const out = box.values.filter((value) => value < low || value > high).map((value) => `<circle class="dot" cx="${f(value)}" cy="${y}" r="2"/>`).join("");
      return group(box.name, `${box.name}: ${name} ahead by ${number(q2)} (median; middle half ${number(q1)} to ${number(q3)})`, `<rect class="hit" x="0" y="${y - row / 2}" width="${W}" height="${row}"/>${words(cut(box.name), left - 8, y + 4, "end", row < 20 ? 11 : 12)}<path class="box" d="M${f(low)} ${y}H${f(q1)}M${f(q3)} ${y}H${f(high)}M${f(q1)} ${(y - half).toFixed(1)}H${f(q3)}V${(y + half).toFixed(1)}H${f(q1)}Z"/><path class="middle" d="M${f(q2)} ${(y - half).toFixed(1)}V${(y + half).toFixed(1)}"/>${out}`);
    });
    const bottom = H - 38, axis = ticksBetween(x0, x1).map((x) => `<path class="${x ? "grid" : "zero"}" d="M${f(x)} 2V${bottom}"/>${words(String(x), px(x), bottom + 15, "middle", 11)}`);
    all(".plot", figure)[0].innerHTML = `<svg role="img" viewBox="0 0 ${W} ${H}" aria-label="Box plots: ${escaped(name)} against each other method.">${axis.join("")}${drawn.join("")}${words(`${cut(name)} ahead by`, (W + left) / 2, H - 6, "middle")}</svg>`;
    all("figcaption", figure)[0].textContent = `Differences in ${metric} between ${name}, which has the best average rank, and each other method, ${data.rules.unit === "block" ? "block by block" : "data set by data set"}; right of 0 ${name} is better. Boxes hold the middle half, the bar is the median.`;
  };

  // ---- Everything that depends on the state
  const draw = () => {
    const shown = shownMethods(), filtered = isFiltered();
    current = leaderboard(+state.metric, chosenLines(), shown);
    one("headline").textContent = headline(current);
    one("chosen").textContent = `${shown.length} of ${data.algorithms.length} shown`;
    one("reset").hidden = !filtered;
    root.classList.toggle("filtered", filtered);
    drawBoard(current);
    drawScores();
    if (one("figures")) { drawTime(current); drawDifferences(current); }
    all("[data-metric]").forEach((part) => { part.hidden = part.dataset.metric !== state.metric; });
    // What is wider than a small screen can be scrolled by keys, too.
    all("figure").forEach((part) => { if (part.scrollWidth > part.clientWidth) part.tabIndex = 0; });
    light(state.lit);
    writeState();
  };
  const set = (key, value) => { state[key] = value; draw(); };

  // ---- A method under the pointer, or with the focus, stands out everywhere; a click on its name keeps it so.
  const rule = document.head.appendChild(document.createElement("style"));
  let lit = "";
  const light = (name) => {
    if (name === lit) return;
    lit = name;
    const quoted = CSS.escape(name);
    rule.textContent = name ? `th[data-method="${quoted}"], td[data-method="${quoted}"], li[data-method="${quoted}"] { box-shadow: inset 0 0 0 99rem color-mix(in srgb, var(--link) 16%, transparent); } svg:has([data-method="${quoted}"]) [data-method]:not([data-method="${quoted}"]) { opacity: .2; }` : "";
  };
  const pointed = (event) => {
    const target = event.target.closest ? event.target.closest("[data-method]") : null;
    light(target ? target.dataset.method : state.lit);
    const tip = event.target.closest && event.target.closest("[data-tip]"), box = one("tip");
    box.hidden = !tip;
    if (!tip || event.clientX === undefined) { box.hidden = true; return; }
    box.textContent = tip.dataset.tip;
    box.style.left = `${Math.min(event.clientX + 14, innerWidth - box.offsetWidth - 8)}px`;
    box.style.top = `${Math.max(event.clientY - box.offsetHeight - 10, 4)}px`;
  };
  const markMethods = () => {
    all("main > section:not(#summary, #leaderboard, #scores, #figures)").forEach((part) => {
      const note = part.id === "tests" ? "Tests are made for the whole run: remove the filters to see them." : "This section shows the whole run: filters do not apply to it.";
      all("h2", part)[0].insertAdjacentHTML("afterend", `<p class="note unfiltered">${note}</p>`);
    });
    const names = new Set(data.algorithms);
    all("main section:not(#leaderboard, #scores) th, .key li").forEach((part) => {
      const name = part.textContent.trim().replace(/ †$/, "");
      if (names.has(name)) part.dataset.method = name;
    });
  };

  // ---- Copies
  const gridOf = (which) => {
    if (which === "board") {
      const { columns, lines, isBest } = boardGrid(current);
      return { heads: ["method", ...columns.flatMap((column) => (column.aside ? [column.head, "low", "high"] : [column.head]))], texts: 1,
        lines: lines.map((s) => [{ text: dagger(s.name, s.reference), value: s.name }, ...columns.flatMap((column, c) => {
          const plain = { text: column.text(s), value: ["wins"].includes(column.key) ? column.text(s) : column.value(s), best: isBest(s, c) };
          return column.aside ? [plain, { text: Number.isNaN(s.low) ? "–" : fixed(s.low, 2), value: s.low }, { text: Number.isNaN(s.high) ? "–" : fixed(s.high, 2), value: s.high }] : [plain];
        })]) };
    }
    const { lines, methods, cell } = scoreParts(), title = (k) => data.lines[k].slice(0, 3).map((part) => ({ text: part ?? "", value: part ?? "" }));
    const content = (k, j) => { const one = cell(k, j); return { text: one.text + (state.sd && one.sd ? ` (${one.sd})` : "") + (one.tied ? " ≈" : "") + (one.reference ? " †" : ""), value: one.value, best: one.best }; };
    if (state.by === "rows") return { heads: ["method", ...lines.map((k) => title(k).map((part) => part.text).filter(Boolean).join(" / "))], texts: 1, lines: methods.map((j) => [{ text: data.algorithms[j], value: data.algorithms[j] }, ...lines.map((k) => content(k, j))]) };
    return { heads: ["data set", "labelling", "criterion", ...methods.map((j) => data.algorithms[j])], texts: 3, lines: lines.map((k) => [...title(k), ...methods.map((j) => content(k, j))]) };
  };
  // As pubench/reporting/render/tex.py does it, with its tables.
  const setChar = (letter) => {
    const sign = data.tex.signs[letter] ?? (/[ -~]/.test(letter) ? letter : undefined), [base, ...marks] = letter.normalize("NFD");
    if (sign !== undefined) return sign;
    if (/^[A-Za-z]$/.test(base) && marks.length === 1 && marks[0] in data.tex.accents) return `\\${data.tex.accents[marks[0]]}{${base}}`;
    const code = letter.codePointAt(0);
    return data.tex.unicode.replaceAll("NUMBER", code).replaceAll("POINT", code.toString(16).toUpperCase().padStart(4, "0"));
  };
  const tex = (text) => [...String(text).normalize("NFC").replace(/([-–])(?=[-–—])/g, "$1\0")].map((letter) => (letter === "\0" ? "{}" : setChar(letter))).join("");
  const FORMS = {
    csv: ({ heads, lines }) => {
      const quoted = (value) => { const plain = Number.isNaN(value) ? "" : String(value), text = typeof value === "string" && /^[=+\-@\t\r]/.test(plain) ? `'${plain}` : plain; return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text; };
      return [heads, ...lines.map((line) => line.map((cell) => cell.value))].map((line) => line.map(quoted).join(",")).join("\n") + "\n";
    },
    markdown: ({ heads, lines, texts }) => {
      const plain = (text) => String(text).replace(/([\\|`*[<])/g, "\\$1");
      const rows = lines.map((line) => line.map((cell) => (cell.best ? `**${plain(cell.text)}**` : plain(cell.text))));
      return [heads.map(plain), heads.map((_, i) => (i < texts ? "---" : "---:")), ...rows].map((line) => `| ${line.join(" | ")} |`).join("\n") + "\n";
    },
    latex: ({ heads, lines, texts }) => {
      const rows = lines.map((line) => line.map((cell) => (cell.best ? `\\textbf{${tex(cell.text)}}` : tex(cell.text))).join(" & "));
      return `% Needs \\usepackage{booktabs}\n\\begin{tabular}{${"l".repeat(texts)}${"r".repeat(heads.length - texts)}}\n\\toprule\n${heads.map(tex).join(" & ")} \\\\\n\\midrule\n${rows.map((row) => `${row} \\\\\n`).join("")}\\bottomrule\n\\end{tabular}\n`;
    },
  };
  const copy = async (text, button, said) => {
    try { await navigator.clipboard.writeText(text); } catch {
      const area = Object.assign(document.createElement("textarea"), { value: text });
      document.body.append(area); area.select(); document.execCommand("copy"); area.remove(); button.focus({ preventScroll: true });
    }
    button.dataset.text = text;
    one("said").textContent = said;
  };

  // ---- A mean opens the replicates behind it. The rows are unpacked when the first is asked for.
  let rows;
  const openCell = async (k, j) => {
    rows = rows || await unpacked("rows");
    const { columns, values, texts } = rows, [dataset, labelling, criterion] = data.lines[k], algorithm = data.algorithms[j];
    const plain = (value) => (typeof value === "string" && value[0] === "#" ? texts[+value.slice(1)] : value);
    const is = (name, i, wanted) => plain(values[name][i]) === wanted;
    const found = [...values.dataset.keys()].filter((i) => is("dataset", i, dataset) && is("labelling", i, labelling) && is("algorithm", i, algorithm) && [criterion, null].includes(plain(values.criterion[i])));
    const shown = columns.filter((name) => !["dataset", "labelling", "criterion", "algorithm"].includes(name));
    const line = (tag, cells) => `<tr>${cells.map((text) => `<${tag} class="text">${escaped(text ?? "")}</${tag}>`).join("")}</tr>`;
    one("cell-title").textContent = [algorithm, dataset, labelling, criterion].filter(Boolean).join(" · ");
    all("thead", one("cell"))[0].innerHTML = line("th", shown);
    all("tbody", one("cell"))[0].innerHTML = found.map((i) => line("td", shown.map((name) => plain(values[name][i])))).join("");
    one("cell").showModal();
  };

  // ---- On a phone all but the first sections are folded.
  const fold = () => {
    all("main > section").forEach((part) => {
      const head = all("h2", part)[0];
      if (["paper", "summary", "leaderboard", "scores"].includes(part.id) || !head) return;
      const button = document.createElement("button");
      Object.assign(button, { type: "button", className: "opener", textContent: head.textContent });
      button.setAttribute("aria-expanded", "false");
      head.replaceChildren(button);
      part.classList.add("folded");
      button.addEventListener("click", () => unfold(part, part.classList.contains("folded")));
    });
  };
  const unfold = (part, open = true) => {
    const button = part && all("h2 .opener", part)[0];
    if (!button) return;
    part.classList.toggle("folded", !open);
    button.setAttribute("aria-expanded", String(open));
    all("figure", part).forEach((each) => { if (each.scrollWidth > each.clientWidth) each.tabIndex = 0; });
  };
  const goTo = (name) => { const part = name && one(name); if (part) { unfold(part.closest("section")); part.scrollIntoView(); } };

  // ---- While a run goes on the page reloads; the address keeps the state, the history entry the rest.
  const stops = () => all("a[href], button, input, select, summary, [tabindex]");
  const live = () => {
    const pause = one("pause");
    history.scrollRestoration = "manual";
    if (history.state) {
      all("details").forEach((part, at) => { part.open = history.state.open[at] ?? part.open; });
      all(".scroll").forEach((part, at) => { part.scrollLeft = history.state.across[at] || 0; });
      const focused = stops()[history.state.focus];
      if (focused) focused.focus({ preventScroll: true });
      scrollTo(history.state.x, history.state.y);
    }
    pause.addEventListener("click", () => pause.setAttribute("aria-pressed", pause.getAttribute("aria-pressed") === "false"));
    setInterval(() => {
      // An open dialog is being read: do not reload then.
      if (pause.getAttribute("aria-pressed") === "true" || document.querySelector("dialog[open]")) return;
      history.replaceState({ open: all("details").map((part) => part.open), across: all(".scroll").map((part) => part.scrollLeft), focus: stops().indexOf(document.activeElement), x: scrollX, y: scrollY }, "");
      location.reload();
    }, 1000 * pause.dataset.seconds);
  };

  const choices = () => {
    const options = (key, field) => [...new Set([...data.lines.keys()].flatMap((k) => facetValues(k, field)))].filter((value) => [...data.lines.keys()].some((k) => !facetValues(k, field).includes(value)));
    one("facets").innerHTML = FACETS.map(([key, title, field]) => [key, title, options(key, field)]).filter(([, , found]) => found.length)
      .map(([key, title, found]) => `<label>${title} <select id="${key}"><option value="">all</option>${found.map((value) => `<option value="${escaped(value)}">${escaped(value)}</option>`).join("")}</select></label>`).join("");
    one("columns").insertAdjacentHTML("beforeend", data.algorithms.map((name) => `<label class="chip" data-method="${escaped(name)}"><input type="checkbox" checked value="${escaped(name)}"> ${long(name)}</label>`).join(" "));
    ["tools", "methods", "copies", "score-tools"].forEach((id) => { if (one(id)) one(id).hidden = false; });
  };
  const listen = () => {
    for (const key of [...CHOICES, ...FACETS.map(([name]) => name)]) {
      if (!one(key)) continue;
      const read = () => (FLAGS.includes(key) ? one(key).checked : one(key).value);
      one(key).addEventListener(key === "find" ? "input" : "change", () => set(key, read()));
    }
    const choose = (hidden) => { state.hide = new Set(hidden); all("#columns input").forEach((box) => { box.checked = !state.hide.has(box.value); }); draw(); };
    one("columns").addEventListener("change", () => choose(all("#columns input").filter((box) => !box.checked).map((box) => box.value)));
    one("all").addEventListener("click", () => choose([]));
    one("none").addEventListener("click", () => choose(data.algorithms));
    one("findmethods").addEventListener("input", () => all("#columns .chip").forEach((chip) => { chip.hidden = !chip.textContent.toLowerCase().includes(one("findmethods").value.toLowerCase()); }));
    one("reset").addEventListener("click", () => { [...FACETS.map(([key]) => key), "find"].forEach((key) => { state[key] = ""; if (one(key)) one(key).value = ""; }); choose([]); one("metric").focus(); });
    if (one("more")) one("more").addEventListener("click", () => set("whole", "yes"));
    const sorter = (within, key) => one(within) && one(within).addEventListener("click", (event) => {
      const button = event.target.closest("[data-sort]");
      if (!button) return;
      const name = button.dataset.sort, before = state[key].startsWith(`${name}:`) ? state[key].slice(name.length + 1) : "";
      const next = before === "descending" ? "ascending" : before === "ascending" ? "" : "descending";
      set(key, name && next ? `${name}:${next}` : "");
      const again = all("[data-sort]", one(within)).find((each) => each.dataset.sort === name);
      if (again) again.focus({ preventScroll: true });
    });
    sorter("board", "sort");
    sorter("score-table", "sorts");
    document.addEventListener("click", (event) => {
      const method = event.target.closest(".method"), cell = event.target.closest("td[data-line] button"), copied = event.target.closest("[data-copy]"), link = event.target.closest("nav a, .skip, .chips a");
      if (method) {
        const name = method.closest("th").dataset.method;
        state.lit = state.lit === name ? "" : name;
        all(".method").forEach((each) => each.setAttribute("aria-pressed", String(each.closest("th").dataset.method === state.lit)));
        light(state.lit);
        writeState();
      }
      if (cell) openCell(+cell.parentElement.dataset.line, +cell.parentElement.dataset.column);
      if (copied) { const grid = gridOf(copied.dataset.copy); copy(FORMS[copied.dataset.form](grid), copied, `${many(grid.lines.length, "row")} copied`); }
      if (link) unfold(one(link.hash.slice(1)));
    });
    one("link").addEventListener("click", () => { writeState(); copy(location.href, one("link"), "link copied"); });
    ["pointerover", "focusin"].forEach((name) => document.addEventListener(name, pointed));
    addEventListener("hashchange", () => { if (location.hash.includes("?")) { readState(); draw(); } else writeState(); goTo(section()); });
  };

  const start = async () => {
    data = await unpacked("board-data");
    width = data.algorithms.length;
    const numbers = (values) => Float64Array.from(values, (value) => (value === null ? NaN : Number(value)));
    data.seconds = numbers(data.seconds);
    data.metrics.forEach((metric) => { metric.mean = numbers(metric.mean); metric.sd = numbers(metric.sd); metric.factors = [...numbers(metric.factors)]; });
    usual = { metric: "0", find: "", by: width > 10 && width >= data.lines.length ? "rows" : "columns", order: "rank", sd: true, heat: true, sort: "", sorts: "", lit: "", whole: "", ...Object.fromEntries(FACETS.map(([key]) => [key, ""])) };
    choices();
    readState();
    listen();
    markMethods();
    if (matchMedia("(max-width: 40rem)").matches) fold();
    draw();
    goTo(section());
    if (one("pause")) live();
    root.dataset.ready = "yes";
    performance.mark("pubench-ready");
  };
  if (one("metric")) start();
  else if (one("pause")) live();
})();
