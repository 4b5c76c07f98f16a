// SPDX-License-Identifier: BSD-3-Clause
// The selected stretch of time: joules, mean power, threads that work, tasks, time of each type.
import { element, number } from "../lib/element.js";
import { digits, duration, range } from "../lib/digits.js";
import { isCaution, qualityBadge } from "../lib/quality.js";
import { bounded } from "../lib/stretches.js";
import { sortableTable } from "../lib/sortable.js";
import { watts } from "../lib/swatch.js";
import { servedEnergy } from "./served.js";
import { totalQuality } from "./values.js";

const SETTLE_MS = 150;

// Joules in brackets: between these lies the energy, since the borders lie inside stretches that cannot be divided.
function joules(sum, what, channel) {
    const text = sum.known_s <= 0 ? "unknown" : sum.high > sum.low ? range(sum.sum, sum.low, sum.high) : digits(sum.sum);
    return number(sum.known_s > 0 ? sum.sum : null, text, { "data-what": what, "data-channel": channel });
}

function addUp(sums) {
    return sums.reduce((all, one) => ({ sum: all.sum + one.sum, low: all.low + one.low, high: all.high + one.high, known_s: Math.min(all.known_s, one.known_s) }),
        { sum: 0, low: 0, high: 0, known_s: sums.length > 0 ? Infinity : 0 });
}

export class Stretch {
    constructor(report, view, activity) {
        Object.assign(this, { report, view, activity });
        this.body = element("div", { "aria-live": "polite" });
        this.node = element("section", { id: "stretch", "aria-labelledby": "stretch-head" }, element("h2", { id: "stretch-head" }, "Selected stretch"),
            element("p", { class: "hint controls" }, "Drag with Alt, or press \u201cSelect\u201d above the charts and drag; or move the cursor and press [ for the begin and ] for the end. Escape removes it."), this.body);
        let timer = 0;
        view.on("stretch", () => {
            clearTimeout(timer);
            timer = setTimeout(() => this.show(), SETTLE_MS);
        });
        activity?.tiles.on(() => this.show());
        this.show();
    }

    // Only what lies inside the window counts.
    borders() {
        const { stretch } = this.view;
        const [begin, end] = [Math.max(stretch.begin, this.report.window_s?.[0] ?? stretch.begin), Math.min(stretch.end, this.report.window_s?.[1] ?? stretch.end)];
        return end > begin ? [begin, end] : null;
    }

    show() {
        const borders = this.view.stretch && this.borders();
        this.body.dataset.ready = "";
        if (!borders) {
            this.body.replaceChildren(element("p", {}, this.view.stretch ? "It lies outside of the measurement." : "None is selected."));
            return;
        }
        const [begin, end] = borders;
        const sums = new Map(this.report.power.map((item) => [item.channel, { ...bounded(item, begin, end), item }]));
        this.fill(begin, end, sums);
        if (this.report.tasks?.served) {
            this.body.dataset.ready = "loading";
            servedEnergy(begin, end).then((answer) => {
                if (this.view.stretch && this.borders()?.[0] === begin && this.borders()[1] === end) {
                    this.fill(begin, end, this.exact(sums, answer, end - begin));
                    this.body.dataset.ready = "";
                }
            }, (error) => this.body.append(element("p", { role: "alert" }, `These joules come from the picture, since ${error.message}.`)));
        }
    }

    // From the samples, which the server has.
    exact(sums, answer, length) {
        return new Map(answer.channels.filter(({ channel }) => sums.has(channel)).map(({ channel, energy_j, resolution_interval_j: half, unknown_s }) => [channel, {
            item: sums.get(channel).item, sum: energy_j ?? NaN, low: Math.max(0, energy_j - (half ?? 0)), high: energy_j + (half ?? 0), known_s: energy_j === null ? 0 : length - unknown_s,
        }]));
    }

    fill(begin, end, sums) {
        const length = end - begin;
        const parts = [...sums.values()].filter(({ item }) => item.facts?.in_total);
        const total = addUp(parts);
        const word = totalQuality(this.report.run);
        const unknown = length - total.known_s;
        const fact = (label, ...value) => element("div", { class: "fact" }, element("dt", {}, label), element("dd", {}, ...value));
        const done = this.activity ? this.activities(begin, end) : null;
        this.body.replaceChildren(
            element("p", { class: "stretch-range" }, `${this.view.instant(begin)} to ${this.view.instant(end)}`),
            element("dl", { class: "facts" },
                fact("Length", number(length, duration(length), { "data-what": "length_s" })),
                fact("Energy", joules(total, "energy_j", "total"), " J ", isCaution(word) ? qualityBadge(word) : null),
                fact("Mean power", number(total.known_s > 0 ? total.sum / total.known_s : null, total.known_s > 0 ? watts(total.sum / total.known_s) : "unknown", { "data-what": "mean_w", "data-channel": "total" }), " W"),
                ...(done ? done.facts(fact, total) : [])),
            total.known_s > 0 && unknown > 1e-3 * length ? element("p", { class: "caution" }, `${duration(unknown)} of it unknown: the energy is that of the rest.`) : "",
            this.channels(sums, length),
            done ? done.table : "");
    }

    channels(sums, length) {
        const rows = [...sums].map(([channel, sum]) => ({ channel, ...sum }));
        return rows.length === 0 ? "" : sortableTable("Energy of the selected stretch", [
            { name: "channel", key: (row) => row.channel, cell: (row) => [row.channel, " ", isCaution(row.item.facts?.quality) ? qualityBadge(row.item.facts.quality) : ""] },
            { name: "energy [J]", number: true, key: (row) => row.sum, cell: (row) => joules(row, "energy_j", row.channel) },
            { name: "mean [W]", number: true, key: (row) => row.sum / row.known_s, cell: (row) => (row.known_s > 0 ? watts(row.sum / row.known_s) : "unknown") },
            { name: "unknown", number: true, title: "time without a trustworthy value", key: (row) => length - row.known_s, cell: (row) => (length - row.known_s > 1e-3 * length ? duration(length - row.known_s) : "") },
        ], rows);
    }

    activities(begin, end) {
        const { activity } = this;
        const { time, ended, exact } = activity.tiles.totals(activity.nanoseconds(begin), activity.nanoseconds(end));
        const length = end - begin;
        const { types } = activity.tasks;
        const rows = [...time].map(([type, ns]) => ({ type, time_s: ns * 1e-9, ended: ended.get(type) })).filter((row) => row.time_s > 0 || row.ended > 0).sort((a, b) => b.time_s - a.time_s);
        const worked = rows.filter(({ type }) => activity.looks.works(type));
        const busy = worked.reduce((sum, row) => sum + row.time_s, 0);
        const tasks = rows.filter(({ type }) => ["task", "region"].includes(types[type]?.kind)).reduce((sum, row) => sum + row.ended, 0);
        const about = exact ? "" : "about ";
        return {
            facts: (fact, total) => [
                fact(activity.workTitle, about, number(busy / length, digits(busy / length), { "data-what": "working" }), ` of ${activity.threadLanes.length}`),
                fact("Power for each", total.known_s > 0 && busy > 0 ? `${watts(total.sum / total.known_s / (busy / length))} W` : "unknown"),
                fact(activity.tasks.by === "task" ? "Tasks that ended" : "Regions that ended", exact ? number(tasks, String(tasks), { "data-what": "ended" }) : "unknown"),
                fact("Time worked", about, number(busy, duration(busy), { "data-what": "busy_s" })),
            ],
            table: sortableTable("Types in the selected stretch", [
                { name: "type", key: (row) => activity.looks.label(row.type), cell: (row) => [activity.looks.square(element, row.type), ` ${activity.looks.label(row.type)}`] },
                { name: "kind", key: (row) => types[row.type]?.kind ?? "", cell: (row) => types[row.type]?.kind ?? "" },
                { name: "ended", number: true, title: "how many ended in it", key: (row) => row.ended, cell: (row) => (exact ? String(row.ended) : "unknown") },
                { name: "time", number: true, title: `sum over the ${activity.workers}`, key: (row) => row.time_s, cell: (row) => [about, number(row.time_s, duration(row.time_s), { "data-what": "time_s", "data-type": activity.looks.label(row.type) })] },
                { name: activity.workers, number: true, title: "on average", key: (row) => row.time_s, cell: (row) => digits(row.time_s / length) },
            ], rows),
        };
    }
}
