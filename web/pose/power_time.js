// SPDX-License-Identifier: BSD-3-Clause
// The power over time of codes that come from traces, between the machine's two powers.
import { element } from "../lib/element.js";
import { drawEndLabels } from "../lib/marks.js";
import { colour, seriesColour } from "../lib/palette.js";
import { lines } from "../lib/power_lines.js";
import { stretchAt } from "../lib/stretches.js";
import { swatch, watts } from "../lib/swatch.js";
import { TimePlot } from "../lib/time_plot.js";
import { instant } from "../lib/times.js";
import { View } from "../lib/view.js";
import { cautionBadge } from "./values.js";
import { power } from "./words.js";

const SCALE = 2; // the minimum density of a plot (lib/pixel_ratio.js)

class PowerTime {
    constructor(subject, view) {
        const [model] = subject.models;
        this.view = view;
        this.runs = subject.power.map((run, index) => ({ ...run, index }));
        this.levels = [["Pmin", model.pmin_w], ["Pmax", model.pmax_w]];
        const top = Math.max(model.pmax_w, ...this.runs.flatMap(({ mean }) => [...mean].filter(Number.isFinite)));
        this.plot = new TimePlot(view, {
            label: `Power of ${subject.name} over time`,
            height: () => 240,
            build: () => lines(this.runs),
            range: () => [0, top * 1.06],
            axis: {},
            under: (u) => this.under(u),
            over: (u) => this.over(u),
            tip: (time) => [element("p", { class: "tip-time" }, this.when(time)), element("table", {}, this.values(time).map(([run, text]) =>
                element("tr", {}, element("td", {}, swatch(run.index)), element("th", { scope: "row" }, run.label), element("td", { class: "number" }, text))))],
            spoken: (time) => `${this.when(time)}: ${this.values(time).map(([run, text]) => `${run.label} ${text}`).join(", ")}`,
        });
    }

    when(time) {
        return instant(time, (this.view.end - this.view.begin) / 2000, this.view.last);
    }

    values(time) {
        return this.runs.map((run) => {
            const at = stretchAt(run, time);
            return [run, at ? `${watts(at.mean)} W` : "unknown"];
        });
    }

    under(u) {
        const { left, width } = u.bbox;
        u.ctx.save();
        u.ctx.strokeStyle = colour("ink-soft");
        u.ctx.lineWidth = 1.2 * SCALE;
        u.ctx.setLineDash([6 * SCALE, 4 * SCALE]);
        for (const [, level] of this.levels) {
            const y = u.valToPos(level, "y", true);
            u.ctx.beginPath();
            u.ctx.moveTo(left, y);
            u.ctx.lineTo(left + width, y);
            u.ctx.stroke();
        }
        u.ctx.restore();
    }

    over(u) {
        const levels = this.levels.map(([name, level]) => ({ y: u.valToPos(level, "y", true), text: `${name} ${watts(level)} W`, colour: colour("ink-soft") }));
        const runs = this.runs.length > 4 ? [] : this.runs.map((run, i) => {
            const data = u.data[i * 3 + 3];
            const last = data.findLastIndex((y) => y !== null);
            return last < 0 ? null : { y: u.valToPos(data[last], "y", true), text: run.label, colour: seriesColour(run.index) };
        });
        drawEndLabels(u, [...levels, ...runs.filter(Boolean)]);
    }
}

function captionOf({ models, power: runs }) {
    const { contains, region } = models[0].source;
    return ` Power of ${contains ?? "the total"} [W]${runs.length > 1 ? `, ${runs.length} runs` : ""}.`
        + (region ? ` The code is the region ${region} of it.` : "");
}

export function powerSection({ subjects }, state) {
    const traced = subjects.filter((subject) => subject.power.some(({ mean }) => mean.length > 0));
    if (traced.length === 0) {
        return null;
    }
    const figures = traced.map((subject) => {
        const view = new View(0, Math.max(...subject.power.map(({ time }) => time.end_s)));
        const figure = element("figure", { "data-subject": subject.index }, element("figcaption", {}, element("b", {}, subject.name),
            captionOf(subject), cautionBadge(subject.models[0].source)), new PowerTime(subject, view).plot.node);
        const update = () => (figure.hidden = !state.subjects.has(subject.index));
        state.on(update);
        update();
        return figure;
    });
    return element("section", { id: "power", "aria-labelledby": "power-head" }, element("h2", { id: "power-head" }, "Power over time"),
        element("p", {}, "Long stretches near ", power("min"), " are phases in which little of the machine works: look there for serial parts and waiting. Drag to zoom, double-click to see all."), figures);
}
