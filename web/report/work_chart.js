// SPDX-License-Identifier: BSD-3-Clause
// How many threads work, over time, and the power of the total for each of them.
import { element } from "../lib/element.js";
import { digits } from "../lib/digits.js";
import { drawOutside } from "../lib/marks.js";
import { colour, faint } from "../lib/palette.js";
import { TimePlot } from "../lib/time_plot.js";
import { watts } from "../lib/swatch.js";

export class WorkChart {
    constructor(activity, view) {
        Object.assign(this, { activity, view });
        this.plot = new TimePlot(view, {
            label: `${activity.workTitle}, over time`,
            height: () => 130,
            build: () => ({
                series: [{ stroke: () => colour("ink-soft"), fill: () => faint(colour("series-2"), 0.35), width: 1.2, points: { show: false } }], bands: [],
                data: (from, to, count) => this.data(from, to, count),
            }),
            range: () => [0, Math.max(1, activity.columns.lanes.length)],
            axis: { incrs: [1, 2, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100, 128, 200, 256, 500, 1000], space: 24 },
            under: (u) => drawOutside(u, activity.report.window_s),
            tip: (time) => this.describe(time).map((text, i) => element("p", { class: i === 0 ? "tip-time" : null }, text)),
            spoken: (time) => this.describe(time).join(", "),
        });
        activity.tiles.on(() => this.plot.refresh());
        this.figure = element("figure", { id: "working" },
            element("figcaption", {}, element("b", {}, activity.tasks.by === "task" ? activity.workTitle : "Threads inside regions"), `, of ${activity.threadLanes.length}`), this.plot.node);
    }

    data(from, to, count) {
        const width = (to - from) / count;
        this.values = this.activity.working(this.view, count);
        return [this.values.map((_, i) => from + (i + 0.5) * width), this.values];
    }

    describe(time) {
        const at = Math.floor(((time - this.view.begin) / (this.view.end - this.view.begin)) * this.values.length);
        const working = this.values[Math.min(this.values.length - 1, Math.max(0, at))];
        const power = this.activity.totalAt(time);
        return [`${digits(working)} ${this.activity.workers} work`, this.view.instant(time),
            Number.isNaN(power) ? "total power unknown" : `total ${watts(power)} W${working >= 0.5 ? `, ${watts(power / working)} W for each that works` : ""}`];
    }
}
