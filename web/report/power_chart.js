// SPDX-License-Identifier: BSD-3-Clause
// Power over time: lines or a stack, gaps hatched, the window, events, all values at the cursor.
import { element } from "../lib/element.js";
import { duration } from "../lib/digits.js";
import { drawEndLabels, drawGaps, drawInstants, drawOutside } from "../lib/marks.js";
import { seriesColour } from "../lib/palette.js";
import { layers, lines, stack } from "../lib/power_lines.js";
import { cautionMark, isCaution, qualityWord } from "../lib/quality.js";
import { indexAt, stretchAt } from "../lib/stretches.js";
import { swatch, watts } from "../lib/swatch.js";
import { isPrinting } from "../lib/theme.js";
import { NARROW, TimePlot } from "../lib/time_plot.js";
import { withText } from "./values.js";

// The name without its sensor, if that is unambiguous.
function shortNames(power) {
    const short = (name) => name.slice(name.indexOf(":") + 1);
    const all = power.map((item) => short(item.channel));
    return (item) => (all.filter((name) => name === short(item.channel)).length > 1 ? item.channel : short(item.channel));
}

// Gaps of the visible channels and events at an instant.
function notesAt(report, view, time, names) {
    const near = (view.end - view.begin) / 300;
    const gaps = report.gaps.filter((gap) => names.has(gap.channel) && gap.begin_s - near / 2 <= time && time <= gap.end_s + near / 2);
    const events = report.events.filter((event) => Math.abs(event.time_s - time) < near);
    return [
        ...gaps.slice(0, 4).map((gap) => `gap in ${gap.channel}: ${gap.reason}, ${duration(gap.end_s - gap.begin_s)}`),
        ...events.slice(0, 3).map((event) => `event: type ${withText(event.type, event.type_text)}, value ${withText(event.value, event.value_text)}`),
    ];
}

export class PowerChart {
    constructor(report, view, state) {
        Object.assign(this, { report, view, state });
        this.shortName = shortNames(report.power);
        this.plot = new TimePlot(view, {
            label: "Power over time",
            height: () => (isPrinting() ? 260 : Math.max(260, Math.min(420, innerHeight * 0.5))),
            build: () => (state.stacked ? stack(this.layers()) : lines(this.visible())),
            range: (low, high) => this.range(low, high),
            axis: {},
            under: (u) => this.under(u),
            over: (u) => this.over(u),
            tip: (time) => this.tip(time),
            spoken: (time) => `${view.instant(time)}: ${this.values(time).map(([item, text]) => `${item.channel} ${text}`).join(", ")}`,
        });
    }

    visible() {
        return this.report.power.filter((item) => this.state.shown.has(item.index));
    }

    layers() {
        const { items, rest } = layers(this.report.power);
        return { items: items.filter((item) => this.state.shown.has(item.index)), rest: rest && this.state.shown.has(rest.index) ? rest : null };
    }

    drawn() {
        const { items, rest } = this.layers();
        return this.state.stacked ? [...items, ...(rest ? [rest] : [])] : this.visible();
    }

    range(low, high) {
        if (low === null || high === null || !Number.isFinite(low)) {
            return [0, 1];
        }
        if (this.state.fromZero || this.state.stacked) {
            return [Math.min(0, low * 1.05), Math.max(0, high) * 1.06 || 1];
        }
        const room = Math.max((high - low) * 0.06, Math.abs(high) * 0.005, 1e-6);
        return [low - room, high + room];
    }

    under(u) {
        drawOutside(u, this.report.window_s);
        const names = new Set(this.drawn().map((item) => item.channel));
        const gaps = this.report.gaps.filter((gap) => names.has(gap.channel) && gap.end_s >= this.view.begin && gap.begin_s <= this.view.end);
        const common = (gap) => gaps.filter((other) => Math.abs(other.begin_s - gap.begin_s) < 1e-6).length === names.size;
        const all = gaps.filter(common);
        drawGaps(u, this.state.stacked ? gaps : [
            ...all.filter((gap) => gap.channel === all[0].channel), // if all channels share a gap: only once
            ...gaps.filter((gap) => !common(gap)).map((gap) => ({ ...gap, rows: this.rowsOf(u, gap) })),
        ]);
    }

    // Where the channel's line would be, from its values on both sides; null, meaning the whole plot, if there are
    // none.
    rowsOf(u, gap) {
        const { time, mean } = this.report.power.find((item) => item.channel === gap.channel);
        const [left, right] = [indexAt(time.begin, gap.begin_s), indexAt(time.begin, gap.end_s)];
        const values = [Math.max(left - 1, 0), left, right, right + 1].map((i) => mean[i]).filter((x) => x !== undefined && !Number.isNaN(x));
        if (values.length === 0) {
            return null;
        }
        const room = 9 * (u.ctx.canvas.width / u.width);
        const { top, height } = u.bbox;
        const edges = values.map((value) => u.valToPos(value, "y", true));
        return [Math.max(top, Math.min(...edges) - room), Math.min(top + height, Math.max(...edges) + room)];
    }

    over(u) {
        drawInstants(u, this.report.events.map((event) => event.time_s));
        const step = this.state.stacked ? 1 : 3;
        const labels = this.drawn().map((item, i) => {
            const data = u.data[i * step + step];
            const last = data.findLastIndex((y) => y !== null);
            const below = this.state.stacked && i > 0 ? u.data[i][last] ?? 0 : 0;
            const value = last < 0 ? null : this.state.stacked ? (data[last] + below) / 2 : data[last];
            const rest = this.state.stacked && item === this.layers().rest ? "rest of " : "";
            return value === null ? null : { y: u.valToPos(value, "y", true), text: cautionMark(qualityWord(item.facts)) + rest + this.shortName(item), colour: seriesColour(item.index) };
        });
        drawEndLabels(u, labels.filter(Boolean));
    }

    // [series, text] at an instant
    values(time) {
        return this.drawn().map((item) => {
            const at = stretchAt(item, time);
            const word = qualityWord(item.facts);
            const text = at ? `${watts(at.mean)} W (${watts(at.min)}..${watts(at.max)})` : "unknown";
            return [item, isCaution(word) ? `${text} ${word}` : text];
        });
    }

    tip(time) {
        const names = new Set(this.drawn().map((item) => item.channel));
        return [
            element("p", { class: "tip-time" }, this.view.instant(time)),
            element("table", {}, this.values(time).slice(0, 16).map(([item, text]) => element("tr", {},
                element("td", {}, swatch(item.index)), element("th", { scope: "row" }, this.plot.width < NARROW ? this.shortName(item) : item.channel),
                element("td", { class: "number" }, text)))),
            ...notesAt(this.report, this.view, time, names).map((text) => element("p", { class: "tip-note" }, text)),
        ];
    }
}
