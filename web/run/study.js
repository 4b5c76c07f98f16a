// SPDX-License-Identifier: BSD-3-Clause
// Several runs: cases with their repeats, boxes of node power, energy against time, network power, differences.
import { logarithmic } from "../lib/axes.js";
import { element, svg } from "../lib/element.js";
import { digits, duration } from "../lib/digits.js";
import { fitted } from "../lib/fitted.js";
import { seriesColour, seriesDash } from "../lib/palette.js";
import { qualityBadge, qualityWord } from "../lib/quality.js";
import { sortableTable } from "../lib/sortable.js";
import { swatch } from "../lib/swatch.js";
import { columns as columnsOf, stretchAt } from "../lib/stretches.js";
import { isPrinting } from "../lib/theme.js";
import { TimePlot } from "../lib/time_plot.js";
import { BOX_NOTE, boxPlot } from "./boxes.js";
import { series } from "./power_time.js";
import { joules, known, mean, percent, power, powerAxis } from "./values.js";

const unitOf = { time_s: "s", energy_j: "J", node_w: "W", network_w: "W" };
const nameOf = { time_s: "time", energy_j: "energy", node_w: "node power", network_w: "network power" };

// The appearance of a case: colour by its first label, to show what belongs together.
function looks(study) {
    const first = [...new Set(study.cases.map((one) => one.values[0] ?? ""))];
    return (one) => first.indexOf(one.values[0] ?? "");
}

export function casesSection({ study, runs }) {
    const label = (key, k) => ({ name: key, key: (one) => one.values[k], cell: (one) => one.values[k] || "\u2013" });
    const value = (field) => ({ name: `${nameOf[field]} [${unitOf[field]}]`, number: true, key: (one) => one[field].mean, cell: (one) => (known(one[field].mean) ? mean(one[field], { "data-what": field, "data-case": one.name }) : "\u2013") });
    const qualities = [...new Set(runs.map((run) => qualityWord(run.parts[0])))];
    const repeated = study.cases.some((one) => one.runs.length > 2);
    const columns = [...study.keys.map(label), { name: "measured nodes", number: true, key: (one) => one.nodes, cell: (one) => String(one.nodes) },
        { name: "runs", number: true, key: (one) => one.runs.length, cell: (one) => String(one.runs.length) }, value("time_s"), value("energy_j"), value("node_w")];
    return element("section", { id: "cases", "aria-labelledby": "cases-head" }, element("h2", { id: "cases-head" }, "Time, energy and power"),
        element("p", {}, qualities.map((word) => [qualityBadge(word), " "])), sortableTable("Cases", columns, study.cases),
        element("p", { class: "note" }, repeated ? "Means over the repeats of a case, \u00b1 half of their 95 % interval over runs where there are three or more. " : "Single runs, or two: how much runs of a case differ is not known. ",
            "Node power: energy of a node by its time, mean over nodes."));
}

export function boxesSection({ study, reference_w }) {
    const look = looks(study);
    return element("section", { id: "case-boxes", "aria-labelledby": "case-boxes-head" }, element("h2", { id: "case-boxes-head" }, "Node power"),
        boxPlot(study.cases.map((one) => ({ name: one.name, box: one.moments, index: look(one) })), reference_w, "Node power by case"),
        element("p", { class: "note" }, `${BOX_NOTE} Of all nodes and moments of a run; of several runs, the means of these numbers.`,
            reference_w === null ? "" : ` Dashed: ${power(reference_w)} W.`));
}

// Ticks of a logarithmic axis: 1, 2, 5 of each decade.
function logTicks([low, high]) {
    const out = [];
    for (let decade = 10 ** Math.floor(Math.log10(low)); decade <= high; decade *= 10) {
        out.push(...[1, 2, 5].map((k) => k * decade).filter((x) => x >= low && x <= high));
    }
    return out;
}

const MARKS = ["M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0", "M-4,-4h8v8h-8z", "M0,-5l5,9h-10z", "M0,-5l5,5l-5,5l-5,-5z"];

function scatter(study, look) {
    const points = study.cases.filter((one) => one.time_s.mean > 0 && one.energy_j.mean > 0);
    if (points.length < 2) {
        return null;
    }
    const names = [...new Set(points.map((one) => one.values[0]))];
    const key = names.map((name, i) => {
        const mark = svg("svg", { width: 14, height: 14, viewBox: "-7 -7 14 14", "aria-hidden": "true" }, svg("path", { d: MARKS[i % MARKS.length] }));
        mark.style.fill = `var(--series-${i % 8})`;
        return element("li", {}, mark, ` ${name || "no label"}`);
    });
    return element("figure", {}, element("figcaption", {}, "Energy against time of each case, both axes logarithmic. Total power is the same along a grey line."),
        fitted((width) => drawScatter(points, look, width), 860, { role: "region", "aria-label": "Energy against time" }), element("ul", { class: "share-names" }, key));
}

function drawScatter(points, look, width) {
    const [left, right, top, bottom, height] = [72, 20, 24, 44, Math.max(260, Math.min(420, width * 0.6))];
    const room = (values) => [Math.min(...values) / 1.25, Math.max(...values) * 1.25];
    const x = logarithmic(room(points.map((one) => one.time_s.mean)), [left, width - right]);
    const y = logarithmic(room(points.map((one) => one.energy_j.mean)), [height - bottom, top]);
    const axes = svg("g", { class: "axes", "aria-hidden": "true" },
        logTicks(x.domain).map((t) => [svg("line", { class: "grid", x1: x(t), x2: x(t), y1: top, y2: height - bottom }), svg("text", { x: x(t), y: height - bottom + 17, "text-anchor": "middle" }, duration(t))]),
        logTicks(y.domain).map((e) => [svg("line", { class: "grid", x1: left, x2: width - right, y1: y(e), y2: y(e) }), svg("text", { x: left - 7, y: y(e) + 4, "text-anchor": "end" }, `${joules(e)}J`)]),
        svg("text", { class: "axis-title", x: width - right, y: height - 4, "text-anchor": "end" }, "Time [s]"), svg("text", { class: "axis-title", x: 2, y: 12 }, "Energy [J]"));
    // Lines of equal total power, one for each decade.
    const powers = points.map((one) => one.energy_j.mean / one.time_s.mean);
    const equal = logTicks([Math.min(...powers) / 2, Math.max(...powers) * 2]).map((w) => {
        const ends = x.domain.map((t) => [x(t), y(t * w)]);
        return svg("line", { class: "equal-power", x1: ends[0][0], y1: ends[0][1], x2: ends[1][0], y2: ends[1][1] });
    });
    const clip = svg("clipPath", { id: "scatter-clip" }, svg("rect", { x: left, y: top, width: width - left - right, height: height - top - bottom }));
    const dots = points.map((one) => {
        const node = svg("g", { class: "dot", transform: `translate(${x(one.time_s.mean).toFixed(1)},${y(one.energy_j.mean).toFixed(1)})` }, svg("title", {}, `${one.name}: ${duration(one.time_s.mean)}, ${joules(one.energy_j.mean)}J`),
            svg("path", { d: MARKS[look(one) % MARKS.length] }));
        node.style.fill = `var(--series-${look(one) % 8})`;
        return node;
    });
    return svg("svg", { class: "scatter", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": points.map((one) => `${one.name}: ${duration(one.time_s.mean)}, ${joules(one.energy_j.mean)}J`).join("; ") },
        clip, axes, svg("g", { "clip-path": "url(#scatter-clip)" }, equal), dots);
}

function slopeWords({ energy_on_time: slope }) {
    if (!known(slope.exponent)) {
        return "The relation of energy to time needs at least two cases of different time.";
    }
    const half = known(slope.ci95) ? ` \u00b1 ${digits(slope.ci95, slope.ci95)}` : "";
    return `Energy grows as time to the power of ${digits(slope.exponent, known(slope.ci95) ? slope.ci95 : NaN)}${half} over ${slope.cases} cases (correlation of the logarithms ${known(slope.correlation) ? slope.correlation.toFixed(3) : "unknown"}). At 1, energy is proportional to time and total power is the same.`;
}

export function scalingSection(report) {
    const look = looks(report.study);
    return element("section", { id: "scaling", "aria-labelledby": "scaling-head" }, element("h2", { id: "scaling-head" }, "Energy and time"),
        element("p", {}, slopeWords(report.study)), scatter(report.study, look));
}

export function networkSection({ study, runs }) {
    const shown = study.cases.filter((one) => known(one.network_w.mean));
    if (shown.length === 0) {
        return element("section", { id: "network", "aria-labelledby": "network-head" }, element("h2", { id: "network-head" }, "Network power"), element("p", {}, "Not measured: no run has a network sensor."));
    }
    const parts = [...new Set(runs.flatMap((run) => run.network?.parts ?? []))];
    return element("section", { id: "network", "aria-labelledby": "network-head" }, element("h2", { id: "network-head" }, "Network power"),
        sortableTable("Network power of a node by case", [
            { name: "case", key: (one) => one.name, cell: (one) => one.name },
            { name: "network power of a node [W]", number: true, key: (one) => one.network_w.mean, cell: (one) => mean(one.network_w, { "data-what": "network_w", "data-case": one.name }) },
            { name: "of its power", number: true, key: (one) => one.network_w.mean / one.node_w.mean, cell: (one) => percent(one.network_w.mean / one.node_w.mean) },
        ], shown), parts.length > 0 ? element("p", { class: "note" }, `Sum of ${parts.join(", ")}.`) : null);
}

export function differencesSection({ study }) {
    if (study.differences.length === 0) {
        return null;
    }
    const change = (one) => (one && known(one.ratio.value) ? `${one.ratio.value >= 1 ? "+" : "\u2212"}${(100 * Math.abs(one.ratio.value - 1)).toFixed(1)} %${known(one.ratio.low) ? ` (${(100 * (one.ratio.low - 1)).toFixed(1)}..${(100 * (one.ratio.high - 1)).toFixed(1)})` : ""}` : "\u2013");
    const name = (d) => study.cases[d.a].values.filter((value, k) => study.keys[k] !== d.key && value).join(", ");
    const side = (d, i) => study.cases[i].values[study.keys.indexOf(d.key)] || "\u2013";
    const columns = [
        { name: "label", key: (d) => d.key, cell: (d) => d.key }, { name: "of", key: name, cell: (d) => name(d) || "\u2013" }, { name: "from, to", key: (d) => side(d, d.b), cell: (d) => `${side(d, d.a)} \u2192 ${side(d, d.b)}` },
        ...["time_s", "energy_j", "node_w"].map((field) => ({ name: nameOf[field], number: true, key: (d) => d[field]?.ratio.value ?? 0, cell: (d) => change(d[field]) })),
        { name: "verdict on energy", key: (d) => d.energy_j?.text ?? "", cell: (d) => element("span", { class: "verdict" }, d.energy_j?.text ?? "unknown") },
    ];
    return element("section", { id: "differences", "aria-labelledby": "differences-head" }, element("h2", { id: "differences-head" }, "Differences"),
        sortableTable("Differences between cases", columns, study.differences),
        element("p", { class: "note" }, "Cases that differ in one label only. In brackets the interval over runs that the verdict is made from, where runs were repeated (of 95 % for all verdicts of a row together); a verdict needs five runs per side or more."));
}

const MOST_LINES = 8;

// Mean power of a node over the time of each run, one above the other.
export function runsOverTime(report, view) {
    const look = looks(report.study);
    const lines = report.study.cases.slice(0, MOST_LINES).map((one, i) => ({ one, i: Math.max(i, look(one) * 0), run: report.runs[one.runs[0]] }));
    const grid = (from, to, count) => Array.from({ length: count }, (_, i) => from + ((i + 0.5) * (to - from)) / count);
    const rows = lines.map(({ run }) => series(run, run.curves[0].mean, run.curves[0].q1, run.curves[0].q3));
    const plot = new TimePlot(view, {
        label: "Mean power of a node over the time of each run",
        height: () => (isPrinting() ? 260 : Math.max(260, Math.min(400, innerHeight * 0.45))),
        build: () => ({ series: lines.map(({ i }) => ({ stroke: () => seriesColour(i), width: 1.6, dash: seriesDash(i), points: { show: false } })), bands: [], data: (from, to, count) => [grid(from, to, count), ...rows.map((row) => columnsOf(row, from, to, count).mean)] }),
        range: (low, high) => (low === null || !Number.isFinite(low) ? [0, 1] : [Math.min(0, low), high * 1.06 || 1]),
        axis: { values: powerAxis },
        tip: (time) => [element("p", { class: "tip-time" }, view.instant(time)), element("table", {}, words(time).map(([i, name, text]) => element("tr", {}, element("td", {}, swatch(i)), element("th", { scope: "row" }, name), element("td", { class: "number" }, text))))],
        spoken: (time) => `${view.instant(time)}: ${words(time).map(([, name, text]) => `${name} ${text}`).join(", ")}`,
    });
    const words = (time) => lines.map(({ one, i }, k) => {
        const at = stretchAt(rows[k], time);
        return [i, one.name, at ? `${power(at.mean)} W` : "\u2013"];
    });
    const left = report.study.cases.length - lines.length;
    return element("section", { id: "runs-time", "aria-labelledby": "runs-time-head" }, element("h2", { id: "runs-time-head" }, "Power over time"),
        plot.node, element("ul", { class: "share-names" }, lines.map(({ one, i }) => element("li", {}, swatch(i), ` ${one.name}`))),
        element("p", { class: "note" }, `Mean power of a node in the first run of each case, from the beginning of the run.${left > 0 ? ` The first ${MOST_LINES} cases; ${left} more are in the tables.` : ""}`));
}
