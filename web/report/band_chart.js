// SPDX-License-Identifier: BSD-3-Clause
// Regions over time: a line of bands for each thread and depth.
import { element } from "../lib/element.js";
import { duration } from "../lib/digits.js";
import { drawOutside, fit } from "../lib/marks.js";
import { colour, inkOn, seriesColour } from "../lib/palette.js";
import { FRAME, TimePlot } from "../lib/time_plot.js";
import { timeText } from "./power_chart.js";
import { regionEnergy } from "./values.js";

const [MOST_KEYS, FEW_HIDDEN, NARROW] = [16, 8, 620];

export class BandChart {
    constructor(report, view) {
        this.report = report;
        this.view = view;
        this.rows = report.bands.rows;
        this.selected = 0;
        this.wanted = "";
        this.byRow = this.rows.map(() => []);
        report.bands.row.forEach((row, i) => this.byRow[row].push(i));
        this.plot = new TimePlot(view, {
            label: `Regions over time, ${this.rows.length} lines; arrow keys up and down choose one`,
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
        this.figure = this.makeFigure();
    }

    isFound(i) {
        return this.nameOf(i).toLowerCase().includes(this.wanted);
    }

    // Non-matching bands are pale; Enter shows the next match.
    search() {
        const { begin, end } = this.report.bands;
        const count = element("output", { role: "status" });
        const hits = () => [...begin.keys()].filter((i) => this.wanted && this.isFound(i)).sort((a, b) => begin[a] - begin[b]);
        let at = -1;
        const input = element("input", { type: "search", id: "find-region", autocomplete: "off", input: () => {
            this.wanted = input.value.trim().toLowerCase();
            at = -1;
            count.textContent = this.wanted ? ` ${hits().length} found` : "";
            this.plot.u?.redraw(false);
        }, keydown: (event) => {
            const found = hits();
            if (event.key !== "Enter" || found.length === 0) {
                return;
            }
            at = (at + (event.shiftKey ? found.length - 1 : 1)) % found.length;
            const [from, to] = [begin[found[at]], end[found[at]]];
            this.view.set(from - (to - from), to + (to - from));
            count.textContent = ` ${at + 1} of ${found.length}`;
        } });
        return element("p", { class: "controls" }, element("label", { for: "find-region" }, "Find a region "), input, count);
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

    // Names without a band: others took longer wherever bands were joined.
    hiddenWords() {
        const drawn = new Set([...this.report.bands.name].map((name) => this.report.bands.names[name]));
        const hidden = this.report.run.regions.map(({ name }) => name).filter((name) => name && !drawn.has(name));
        const more = hidden.length > FEW_HIDDEN ? ` and ${hidden.length - FEW_HIDDEN} more` : "";
        return hidden.length === 0 ? "" : `Too short to have a band: ${hidden.slice(0, FEW_HIDDEN).join(", ")}${more}; see the table of regions. `;
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

    describe(time, row) {
        const { thread, process, name, rank, depth } = this.rows[row];
        const where = `${rank === null ? "" : `rank ${rank}, `}process ${process}, thread ${thread}${name ? ` (${name})` : ""}, depth ${depth}`;
        const i = this.bandAt(time, row);
        if (i < 0) {
            return [timeText(this.view, time), "no region", where];
        }
        const { begin, end, share } = this.report.bands;
        const energy = this.report.run.regions.find((region) => region.name === this.nameOf(i));
        const joined = share[i] < 1 ? `: ${Math.round(100 * share[i])} % of the time of several regions` : "";
        return [
            `${this.nameOf(i)}${joined}`, `${timeText(this.view, begin[i])} to ${timeText(this.view, end[i])}, ${duration(end[i] - begin[i])}`, where,
            energy && `all ${energy.count} of this name: inclusive ${regionEnergy(energy.inclusive, this.report.run.total)} J, exclusive ${regionEnergy(energy.exclusive, this.report.run.total)} J`,
        ].filter(Boolean);
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

    makeFigure() {
        const { merged_s, left_out } = this.report.bands;
        this.plot.node.addEventListener("focus", () => this.plot.u?.redraw(false));
        this.plot.node.addEventListener("blur", () => this.plot.u?.redraw(false));
        return element("figure", { id: "bands" },
            element("figcaption", {}, element("b", {}, "Regions"), ` by ${this.rows.some((row) => row.rank !== null) ? "rank:thread" : "thread"}, nested ones below those around them. `,
                "Energy belongs to a name, not to one instance: most are shorter than the sensors resolve. ",
                merged_s > 0 ? `Bands of one name closer together than ${duration(merged_s)} are joined; where several follow each other within that time, the band has the name with most of it. ` : "",
                "Bands narrower than two pixels have a mark at the foot, the rarest region on top. ", this.hiddenWords(),
                left_out > 0 ? `${left_out} lines are left out.` : ""),
            this.search(), this.keys(), this.plot.node);
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
