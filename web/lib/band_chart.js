// SPDX-License-Identifier: BSD-3-Clause
// Bands over time, on lines. A page's own class says what a band is (describe) and makes the figure (makeFigure).
import { element } from "./element.js";
import { fit } from "./fit.js";
import { drawOutside } from "./marks.js";
import { colour, inkOn, seriesColour } from "./palette.js";
import { FRAME, TimePlot } from "./time_plot.js";

const [MOST_KEYS, NARROW] = [16, 620];

export class BandChart {
    constructor(report, view) {
        this.report = report;
        this.view = view;
        this.rows = report.bands.rows; // [{ name, thread, process, rank, depth }]
        this.selected = 0;
        this.wanted = "";
        this.byRow = this.rows.map(() => []);
        report.bands.row.forEach((row, i) => this.byRow[row].push(i));
        this.plot = new TimePlot(view, {
            label: `${this.title()} over time, ${this.rows.length === 1 ? "one line" : `${this.rows.length} lines; arrow keys up and down choose one`}`,
            height: () => this.rows.length * this.rowHeight() + FRAME,
            build: () => ({ series: [{ show: false }], bands: [], data: (from, to) => [[from, to], [null, null]] }),
            range: () => [0, this.rows.length],
            scale: { dir: -1 },
            axis: { splits: () => this.labelled(), values: (u, at) => at.map((y) => this.label(Math.floor(y))), grid: { show: false }, ticks: { show: false } },
            under: (u) => drawOutside(u, report.window_s),
            over: (u) => this.draw(u),
            tip: (time, top, u) => this.tip(time, this.rowAt(top, u)),
            spoken: (time, top, u) => this.describe(time, this.rowAt(top, u)).join(", "),
            keyTop: (u) => ((this.selected + 0.5) * u.over.clientHeight) / this.rows.length,
            key: (event, plot) => this.key(event, plot),
        });
        this.plot.node.addEventListener("focus", () => this.plot.u?.redraw(false));
        this.plot.node.addEventListener("blur", () => this.plot.u?.redraw(false));
        this.figure = this.makeFigure();
    }

    isFound(i) {
        return this.nameOf(i).toLowerCase().includes(this.wanted);
    }

    rowHeight() {
        return this.rows.length > 24 ? 13 : 20;
    }

    // The middles of the rows at which a thread begins.
    labelled() {
        return this.rows.flatMap((row, i) => (i === 0 || this.threadOf(i) !== this.threadOf(i - 1) ? [i + 0.5] : []));
    }

    threadOf(i) {
        const { process, thread, rank } = this.rows[i];
        return `${rank ?? ""}/${process}/${thread}`;
    }

    label(i) {
        const row = this.rows[i];
        const name = row?.name || row?.thread;
        const most = this.plot.node.clientWidth < NARROW ? 5 : 9;
        const full = row ? `${row.rank === null ? "" : `${row.rank}:`}${name}` : "";
        return full.length > most ? `${full.slice(0, most - 1)}\u2026` : full;
    }

    rowAt(top, u) {
        return Math.min(this.rows.length - 1, Math.max(0, Math.floor((top / u.over.clientHeight) * this.rows.length)));
    }

    colourOf(name) {
        return seriesColour(name);
    }

    nameOf(i) {
        return this.report.bands.names[this.report.bands.name[i]];
    }

    // Total time of the bands of a name.
    timeOf(name) {
        if (!this.times) {
            const { begin, end, name: names } = this.report.bands;
            this.times = new Map();
            names.forEach((one, i) => this.times.set(one, (this.times.get(one) ?? 0) + end[i] - begin[i]));
        }
        return this.times.get(name) ?? 0;
    }

    draw(u) {
        const { begin, end, row, name } = this.report.bands;
        const { left, top, width, height } = u.bbox;
        const tall = height / this.rows.length;
        const thin = 2 * (u.ctx.canvas.width / u.width);
        const short = [];
        u.ctx.save();
        u.ctx.beginPath();
        u.ctx.rect(left, top, width, height);
        u.ctx.clip();
        u.ctx.font = `${Math.min(tall * 0.62, 24)}px system-ui, sans-serif`;
        u.ctx.textBaseline = "middle";
        u.ctx.textAlign = "left";
        for (let i = 0; i < row.length; i++) {
            if (end[i] < this.view.begin || begin[i] > this.view.end) {
                continue;
            }
            const from = Math.max(left, u.valToPos(begin[i], "x", true));
            const wide = Math.min(left + width, u.valToPos(end[i], "x", true)) - from;
            u.ctx.globalAlpha = this.isFound(i) ? 1 : 0.15;
            this.drawBand(u.ctx, { from, wide: Math.max(wide, thin / 2), at: top + row[i] * tall, tall, name: name[i], text: this.nameOf(i) });
            if (wide < thin) {
                short.push({ i, from });
            }
        }
        // Rare names last, to stay visible among many short bands.
        short.sort((a, b) => this.timeOf(name[b.i]) - this.timeOf(name[a.i])).forEach(({ i, from }) => {
            u.ctx.globalAlpha = this.isFound(i) ? 1 : 0.15;
            u.ctx.fillStyle = this.colourOf(name[i]);
            u.ctx.fillRect(from, top + (row[i] + 0.72) * tall, thin, 0.28 * tall - 2);
        });
        u.ctx.globalAlpha = 1;
        if (this.plot.node === document.activeElement) {
            u.ctx.strokeStyle = colour("focus");
            u.ctx.lineWidth = 3;
            u.ctx.strokeRect(left + 1, top + this.selected * tall + 1, width - 2, tall - 2);
        }
        u.ctx.restore();
    }

    drawBand(context, { from, wide, at, tall, name, text }) {
        const fill = this.colourOf(name);
        context.fillStyle = fill;
        context.fillRect(from, at + 2, wide, tall - 4);
        if (wide < 40) {
            return;
        }
        // Keep adjacent bands of the same colour apart.
        context.fillStyle = colour("paper");
        context.fillRect(from + wide - 1, at + 2, 1, tall - 4);
        context.fillStyle = inkOn(fill);
        context.fillText(fit(context, text, wide - 12), from + 6, at + tall / 2 + 1);
    }

    // The band of a row at an instant, or the nearest within two pixels; -1: none.
    bandAt(time, row) {
        const { begin, end } = this.report.bands;
        const near = (2 * (this.view.end - this.view.begin)) / this.plot.columns;
        const apart = (i) => Math.max(begin[i] - time, time - end[i], 0);
        return this.byRow[row].reduce((best, i) => (apart(i) <= near && (best < 0 || apart(i) < apart(best)) ? i : best), -1);
    }

    tip(time, row) {
        return this.describe(time, row).map((text, i) => element("p", { class: i === 0 ? "tip-time" : null }, text));
    }

    key(event, plot) {
        const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        if (!by) {
            return false;
        }
        this.selected = Math.min(this.rows.length - 1, Math.max(0, this.selected + by));
        plot.u.redraw(false);
        if (this.view.cursor === null) {
            this.view.point((this.view.begin + this.view.end) / 2);
        }
        return true;
    }

    // Colours of names; bands that are too short for their name are identified by colour.
    keys() {
        const used = [...new Set(this.report.bands.name)].sort((a, b) => a - b).slice(0, MOST_KEYS);
        return element("span", { class: "keys" }, used.map((name) => {
            const square = element("span", { class: "square" });
            square.style.background = `var(--series-${name % 8})`;
            return [" ", element("span", { class: "key" }, square, ` ${this.report.bands.names[name]}`)];
        }));
    }
}
