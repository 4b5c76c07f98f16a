// SPDX-License-Identifier: BSD-3-Clause
// What else the machine did: frequency, temperature, load, counts; a chart for each quantity, below the power.
import { element } from "../lib/element.js";
import { drawEndLabels, drawGaps, drawOutside } from "../lib/marks.js";
import { seriesColour } from "../lib/palette.js";
import { stretchAt } from "../lib/stretches.js";
import { TimePlot } from "../lib/time_plot.js";
import { swatch } from "../lib/swatch.js";
import { lines } from "../lib/power_lines.js";

const NAMES = {
    frequency: "Frequency", temperature: "Temperature", cpu_time: "Processor time", count: "Counts", bytes: "Bytes", ratio: "Ratios", power_limit: "Power limits", metric: "Derived metrics",
};
const ORDER = ["metric", ...Object.keys(NAMES)];
const MOST = 16;
const PREFIXES = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]];
const PLAIN = ["\u00b0C", "C", "", "1", "%", "CPUs"];

// A chart of rates shows only those of like size: cycles would flatten packets.
const SPREAD = 20;
function bySize(group) {
    if (!group.unit.includes("/s") && group.quantity !== "metric") {
        return [group];
    }
    const sorted = [...group.series].sort((a, b) => greatest([b]) - greatest([a]));
    const parts = [];
    for (const item of sorted) {
        const last = parts.at(-1);
        last && greatest([last[0]]) < SPREAD * greatest([item]) ? last.push(item) : parts.push([item]);
    }
    return parts.map((series) => ({ ...group, series }));
}

// Series grouped by quantity and unit: [{ quantity, unit, series }]
function groups(activity) {
    const found = new Map();
    for (const series of activity) {
        const key = `${series.facts.quantity} ${series.unit}`;
        found.has(key) || found.set(key, { quantity: series.facts.quantity, unit: series.unit ?? "", series: [] });
        found.get(key).series.push(series);
    }
    return [...found.values()].sort((a, b) => ORDER.indexOf(a.quantity) - ORDER.indexOf(b.quantity)).flatMap(bySize);
}

const greatest = (series) => Math.max(0, ...series.map((item) => item.max.reduce((best, x) => (Math.abs(x) > best ? Math.abs(x) : best), 0)));

function scaled({ unit, series }) {
    const most = PLAIN.includes(unit) ? 1 : greatest(series);
    const [factor, prefix] = PREFIXES.find(([least]) => most >= least) ?? [1, ""];
    const per = unit.startsWith("1/") && prefix ? `${prefix === "k" ? "1000" : `10^${Math.round(Math.log10(factor))}`}/${unit.slice(2)}` : prefix + unit;
    return { factor, unit: unit === "C" ? "\u00b0C" : per };
}

const three = (x) => (Math.abs(x) >= 100 ? x.toFixed(0) : Math.abs(x) >= 10 ? x.toFixed(1) : x.toFixed(2));

class ActivityChart {
    constructor(report, view, group) {
        this.group = group;
        this.view = view;
        const { factor, unit } = scaled(group);
        Object.assign(this, { factor, unit });
        this.series = group.series.slice(0, MOST).map((item, i) => ({ ...item, index: i }));
        const names = new Set(this.series.map((item) => item.channel));
        const gaps = report.gaps.filter((gap) => names.has(gap.channel));
        const zero = group.quantity !== "temperature";
        this.plot = new TimePlot(view, {
            label: `${NAMES[group.quantity] ?? group.quantity} over time`,
            height: () => 150,
            build: () => lines(this.series),
            range: (low, high) => (low === null ? [0, 1] : zero ? [Math.min(0, low), Math.max(0, high) * 1.08 || 1] : [low - 2, high + 2]),
            axis: { values: (u, at) => at.map((y) => String(Number((y / factor).toPrecision(6)))) },
            under: (u) => {
                drawOutside(u, report.window_s);
                drawGaps(u, gaps);
            },
            over: (u) => this.labels(u),
            tip: (time) => this.tip(time),
            spoken: (time) => `${view.instant(time)}: ${this.series.map((item) => `${item.channel} ${this.value(item, time)}`).join(", ")}`,
        });
    }

    labels(u) {
        drawEndLabels(u, this.series.flatMap((item, i) => {
            const data = u.data[3 * i + 3];
            const last = data.findLastIndex((y) => y !== null);
            return last < 0 ? [] : [{ y: u.valToPos(data[last], "y", true), text: item.channel.slice(item.channel.indexOf(":") + 1), colour: seriesColour(i) }];
        }));
    }

    value(item, time) {
        const at = stretchAt(item, time);
        return at ? `${three(at.mean / this.factor)} ${this.unit} (${three(at.min / this.factor)}..${three(at.max / this.factor)})` : "unknown";
    }

    tip(time) {
        return [element("p", { class: "tip-time" }, this.view.instant(time)), element("table", {}, this.series.map((item) => element("tr", {},
            element("td", {}, swatch(item.index)), element("th", { scope: "row" }, item.channel), element("td", { class: "number" }, this.value(item, time)))))];
    }

    figure() {
        const more = this.group.series.length - this.series.length;
        return element("figure", { class: "activity", "data-quantity": this.group.quantity },
            element("figcaption", {}, element("b", {}, `${NAMES[this.group.quantity] ?? this.group.quantity}${this.unit ? ` [${this.unit}]` : ""}`),
                element("span", { class: "keys" }, this.series.map((item) => [" ", element("span", { class: "key" }, swatch(item.index), ` ${item.channel}`)])),
                more > 0 ? ` and ${more} more, not drawn (the table below has them)` : ""),
            this.plot.node);
    }
}

export function activityCharts(report, view) {
    const known = [...report.metrics, ...report.activity].filter((series) => series.mean.some((x) => !Number.isNaN(x)));
    return groups(known).map((group) => new ActivityChart(report, view, group).figure());
}
