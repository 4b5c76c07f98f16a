// SPDX-License-Identifier: BSD-3-Clause
// Nodes over time: a row for each node, or for several adjacent ones if there are many; stronger contrast with the
// paper is more power: dark on light, bright on dark.
import { choice } from "../lib/choice.js";
import { element } from "../lib/element.js";
import { colour, inkOn } from "../lib/palette.js";
import { FRAME, TimePlot } from "../lib/time_plot.js";
import { isPrinting, onTheme } from "../lib/theme.js";
import { power } from "./values.js";

// From pale to dark in even steps of lightness, for colour-blind readers and grey prints: a few colours of cividis,
// reversed.
const STEPS = [[255, 234, 70], [203, 186, 105], [148, 142, 119], [102, 105, 112], [53, 69, 108], [0, 32, 77]];

const isDark = () => inkOn(colour("paper")) === "#ffffff";
const steps = () => (isDark() ? [...STEPS].reverse() : STEPS);

export function shade(part, colours = STEPS) {
    const at = Math.min(Math.max(part, 0), 1) * (colours.length - 1);
    const [low, high] = [colours[Math.floor(at)], colours[Math.ceil(at)]];
    return low.map((c, i) => Math.round(c + (high[i] - c) * (at - Math.floor(at))));
}

class Heat {
    constructor(run, view) {
        Object.assign(this, { run, view, order: run.heat[0], selected: 0, images: new Map() });
        const values = run.heat.flatMap((order) => [...order.power].filter((w) => !Number.isNaN(w)));
        this.low = values.reduce((a, b) => Math.min(a, b), Infinity);
        this.high = values.reduce((a, b) => Math.max(a, b), -Infinity);
        this.plot = new TimePlot(view, {
            label: `Power of each node over time, ${this.rows} rows; arrow keys up and down choose one`,
            height: () => (isPrinting() ? 320 : Math.min(520, Math.max(120, this.rows * 18)) + FRAME),
            build: () => ({ series: [{ show: false }], bands: [], data: (from, to) => [[from, to], [null, null]] }),
            range: () => [0, this.rows],
            scale: { dir: -1 },
            axis: { splits: () => this.labelled(), values: (u, at) => at.map((y) => this.short(Math.floor(y))), grid: { show: false }, ticks: { show: false } },
            under: (u) => this.draw(u),
            over: (u) => this.mark(u),
            tip: (time, top, u) => this.words(time, this.rowAt(top, u)).map((text, i) => element("p", { class: i === 0 ? "tip-time" : null }, text)),
            spoken: (time, top, u) => this.words(time, this.rowAt(top, u)).join(", "),
            keyTop: (u) => ((this.selected + 0.5) * u.over.clientHeight) / this.rows,
            key: (event, plot) => this.key(event, plot),
        });
    }

    get rows() {
        return this.order.first.length;
    }

    // As many names as fit.
    labelled() {
        const step = Math.max(1, Math.ceil(this.rows / 24));
        return this.order.first.flatMap((_, i) => (i % step === 0 ? [i + 0.5] : []));
    }

    short(i) {
        const name = this.order.first[i] ?? "";
        return name.length > 9 ? `\u2026${name.slice(-8)}` : name;
    }

    rowAt(top, u) {
        return Math.min(this.rows - 1, Math.max(0, Math.floor((top / u.over.clientHeight) * this.rows)));
    }

    // One pixel for each value, created once for each order, for light and for dark.
    image() {
        const key = `${this.order.by} ${isDark()}`;
        if (this.images.has(key)) {
            return this.images.get(key);
        }
        const colours = steps();
        const { columns, power: values } = this.order;
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [columns, this.rows];
        const context = canvas.getContext("2d");
        const data = context.createImageData(columns, this.rows);
        values.forEach((w, i) => {
            if (!Number.isNaN(w)) {
                data.data.set([...shade((w - this.low) / (this.high - this.low || 1), colours), 255], 4 * i);
            }
        });
        context.putImageData(data, 0, 0);
        this.images.set(key, canvas);
        return canvas;
    }

    draw(u) {
        const { left, top, width, height } = u.bbox;
        const [x0, x1] = [u.valToPos(0, "x", true), u.valToPos(this.run.time_s, "x", true)];
        u.ctx.save();
        u.ctx.fillStyle = colour("outside");
        u.ctx.fillRect(left, top, width, height);
        u.ctx.beginPath();
        u.ctx.rect(left, top, width, height);
        u.ctx.clip();
        u.ctx.imageSmoothingEnabled = false;
        u.ctx.drawImage(this.image(), x0, top, x1 - x0, height);
        u.ctx.restore();
    }

    mark(u) {
        if (this.plot.node !== document.activeElement) {
            return;
        }
        const { left, top, width, height } = u.bbox;
        const tall = height / this.rows;
        u.ctx.save();
        u.ctx.strokeStyle = colour("focus");
        u.ctx.lineWidth = 3;
        u.ctx.strokeRect(left + 1, top + this.selected * tall, width - 2, Math.max(tall, 3));
        u.ctx.restore();
    }

    words(time, row) {
        const { first, last, columns, power: values } = this.order;
        const at = Math.min(columns - 1, Math.max(0, Math.floor((time / this.run.time_s) * columns)));
        const w = values[row * columns + at];
        const name = first[row] === last[row] ? first[row] : `${first[row]} to ${last[row]}`;
        return [name, this.view.instant(time), Number.isNaN(w) ? "unknown" : `${power(w)} W${first[row] === last[row] ? "" : " on average"}`];
    }

    key(event, plot) {
        const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        if (!by) {
            return false;
        }
        this.selected = Math.min(this.rows - 1, Math.max(0, this.selected + by));
        plot.u.redraw(false);
        if (this.view.cursor === null) {
            this.view.point((this.view.begin + this.view.end) / 2);
        }
        return true;
    }
}

function scale(low, high) {
    const strip = element("span", { class: "heat-scale", "aria-hidden": "true" });
    const paint = () => (strip.style.background = `linear-gradient(to right, ${steps().map((c) => `rgb(${c.join(" ")})`).join(", ")})`);
    onTheme(paint);
    paint();
    return element("p", { class: "note" }, `${power(low)} W `, strip, ` ${power(high)} W; grey: unknown`);
}

export function heatFigure(run, view) {
    if (run.heat.length === 0 || run.heat[0].first.length === 0) {
        return null;
    }
    const heat = new Heat(run, view);
    const { rows } = heat;
    const joined = rows < run.node_count ? ` A row is the mean of ${Math.floor(run.node_count / rows)} to ${Math.ceil(run.node_count / rows)} neighbouring nodes.` : "";
    return element("figure", { id: "heat" },
        element("figcaption", {}, "Power of each node over time.", joined),
        element("div", { class: "toolbar controls" }, choice("Order of nodes", run.heat.map((order) => [`By ${order.by}`, order]), heat.order, (order) => {
            heat.order = order;
            heat.plot.rebuild();
        })),
        heat.plot.node, scale(heat.low, heat.high));
}
