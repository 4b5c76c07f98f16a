// SPDX-License-Identifier: BSD-3-Clause
// One lane for each thread, or each core: what it did, as shares of each column, and piece by piece once zoomed in.
import { choice } from "../lib/choice.js";
import { element } from "../lib/element.js";
import { duration } from "../lib/digits.js";
import { fit } from "../lib/fit.js";
import { drawOutside } from "../lib/marks.js";
import { colour, inkOn } from "../lib/palette.js";
import { isPrinting } from "../lib/theme.js";
import { FRAME, TimePlot } from "../lib/time_plot.js";
import { SLOTS } from "./lane_columns.js";
import { CUT, eachPiece, MANY } from "./tiles.js";

const [MOST_KEYS, WIDE_ENOUGH, NARROW] = [24, 36, 620];
const SUBROWS = 16; // rows of pixels in which the shares of a column are drawn

export class LaneChart {
    constructor(activity, view) {
        Object.assign(this, { activity, view, selected: 0 });
        this.looks = activity.looks;
        this.plot = new TimePlot(view, {
            label: `${activity.didTitle}; arrow keys up and down choose a lane, Enter zooms to what is there`,
            height: () => this.rows.length * this.rowHeight() + FRAME,
            build: () => ({ series: [{ show: false }], bands: [], data: (from, to) => [[from, to], [null, null]] }),
            range: () => [0, this.rows.length],
            scale: { dir: -1 },
            axis: { splits: () => this.labelled(), values: (u, at) => at.map((y) => this.label(Math.floor(y))), grid: { show: false }, ticks: { show: false } },
            under: (u) => drawOutside(u, activity.report.window_s),
            over: (u) => this.draw(u),
            tip: (time, top, u) => this.tip(time, this.rowAt(top, u)),
            spoken: (time, top, u) => this.describe(time, this.rowAt(top, u)).join(", "),
            keyTop: (u) => ((this.selected + 0.5) * u.over.clientHeight) / this.rows.length,
            key: (event, plot) => this.key(event, plot),
        });
        activity.tiles.on(() => this.plot.u?.redraw(false));
        this.figure = this.makeFigure();
    }

    get rows() {
        return this.activity.columns.lanes;
    }

    rowHeight() {
        const few = innerWidth < NARROW || isPrinting() ? 16 : 20;
        return this.rows.length > 64 ? 9 : this.rows.length > 24 ? 13 : few;
    }

    labelled() {
        const step = Math.ceil(14 / this.rowHeight());
        return this.rows.flatMap((lane, i) => (i % step === 0 ? [i + 0.5] : []));
    }

    label(row) {
        const lane = this.activity.tasks.lanes[this.rows[row]];
        if (!lane) {
            return "";
        }
        const most = this.plot.node.clientWidth < NARROW ? 6 : 9;
        const full = lane.core !== null ? `cpu ${lane.core}` : `${lane.rank === null ? "" : `${lane.rank}:`}${this.activity.sameNames ? lane.thread || row : lane.name ?? lane.thread}`;
        const gpu = /^gpu (?:0000:)?(\w+):[\w.]+ stream (\w+)/.exec(lane.name ?? ""); // the bus and the stream tell them apart
        const short = gpu && lane.core === null ? `${gpu[1]} s${gpu[2]}` : full;
        return short.length > most ? `${short.slice(0, most - 1)}\u2026` : short;
    }

    rowAt(top, u) {
        return Math.min(this.rows.length - 1, Math.max(0, Math.floor((top / u.over.clientHeight) * this.rows.length)));
    }

    draw(u) {
        const { left, top, width, height } = u.bbox;
        const columns = this.activity.read(this.view, this.plot.columns);
        u.ctx.save();
        u.ctx.beginPath();
        u.ctx.rect(left, top, width, height);
        u.ctx.clip();
        u.ctx.imageSmoothingEnabled = false;
        u.ctx.drawImage(this.picture(columns), left, top, width, height);
        this.separate(u);
        this.writeNames(u);
        if (this.plot.node === document.activeElement) {
            const tall = height / this.rows.length;
            u.ctx.strokeStyle = colour("focus");
            u.ctx.lineWidth = 3;
            u.ctx.strokeRect(left + 1, top + this.selected * tall + 1, width - 2, tall - 2);
        }
        u.ctx.restore();
    }

    // One pixel for each column, SUBROWS for each lane: types on top of each other, work at the bottom.
    picture(columns) {
        const { count } = columns;
        const canvas = (this.canvas ??= document.createElement("canvas"));
        if (canvas.width !== count || canvas.height !== this.rows.length * SUBROWS) {
            canvas.width = count;
            canvas.height = this.rows.length * SUBROWS;
        }
        const context = canvas.getContext("2d");
        const image = context.createImageData(canvas.width, canvas.height);
        const pixels = new Uint32Array(image.data.buffer);
        const { inks, paper } = this.looks.pixels();
        const rank = (type) => (type < 0 ? (this.looks.works(type) ? 1e5 : 1e6) : this.looks.rank.get(type) + (this.looks.works(type) ? 0 : 1e5 + 1));
        const order = new Array(SLOTS);
        for (let row = 0; row < this.rows.length; row++) {
            for (let c = 0; c < count; c++) {
                const cell = row * count + c;
                const used = columns.used[cell];
                for (let i = 0; i < used; i++) {
                    let k = i;
                    const key = rank(columns.type[cell * SLOTS + i]);
                    for (; k > 0 && rank(columns.type[cell * SLOTS + order[k - 1]]) > key; k--) {
                        order[k] = order[k - 1];
                    }
                    order[k] = i;
                }
                let [y, sum] = [row * SUBROWS + SUBROWS - 1, 0];
                for (let k = 0; k < used; k++) {
                    const at = cell * SLOTS + order[k];
                    sum += columns.share[at];
                    const { ink, hatch } = inks.get(columns.type[at]);
                    const end = (row + 1) * SUBROWS - 1 - Math.min(SUBROWS, Math.round(sum * SUBROWS));
                    for (; y > end; y--) {
                        pixels[y * count + c] = hatch && !hatch[(y & 3) * 4 + (c & 3)] ? paper : ink;
                    }
                }
            }
        }
        context.putImageData(image, 0, 0);
        return canvas;
    }

    // Paper between the lanes.
    separate(u) {
        const { left, top, width, height } = u.bbox;
        const tall = height / this.rows.length;
        u.ctx.fillStyle = colour("paper");
        for (let row = 0; row <= this.rows.length; row++) {
            u.ctx.fillRect(left, top + row * tall - 1.5, width, 3);
        }
    }

    // Names in pieces that are wide enough, and a line of paper at the ends of pieces.
    writeNames(u) {
        const { top, height } = u.bbox;
        const tall = height / this.rows.length;
        const scale = u.ctx.canvas.width / u.width;
        u.ctx.font = `${Math.min(tall * 0.62, 12 * scale)}px system-ui, sans-serif`;
        u.ctx.textBaseline = "middle";
        u.ctx.textAlign = "left";
        this.activity.walk(this.view, this.plot.columns, (tile, from, to) => {
            if (!tile.leaf) {
                return;
            }
            this.rows.forEach((lane, row) => eachPiece(tile.lanes[lane], from, to, (begin, end, type) => {
                const [a, b] = [begin, end].map((ns) => u.valToPos(this.activity.seconds(ns), "x", true));
                if (b - a < WIDE_ENOUGH * scale) {
                    return;
                }
                u.ctx.fillStyle = colour("paper");
                u.ctx.fillRect(b - 1, top + row * tall, 1, tall);
                const text = fit(u.ctx, this.looks.label(type), b - a - 10 * scale);
                const y = top + (row + 0.5) * tall + 1;
                if (this.looks.hatch(type)) {
                    u.ctx.fillStyle = colour("lane-paper");
                    u.ctx.fillRect(a + 3 * scale, y - 7 * scale, u.ctx.measureText(text).width + 4 * scale, 14 * scale);
                }
                u.ctx.fillStyle = this.looks.hatch(type) ? colour("ink") : inkOn(this.looks.colour(type));
                u.ctx.fillText(text, a + 5 * scale, y);
            }));
        });
    }

    // The piece of a row at an instant; null: pieces are not known there, or there is none.
    pieceAt(time, row) {
        const ns = this.activity.nanoseconds(time);
        let found = null;
        this.activity.walk(this.view, this.plot.columns, (tile, from, to) => {
            if (tile.leaf && from <= ns && ns < to) {
                const lane = tile.lanes[this.rows[row]];
                eachPiece(lane, ns, ns + 1e-3, (begin, end, type, share, i) => (found = { begin: lane.begin[i], end: lane.end[i], type, flags: lane.flags[i], task: lane.task[i] }));
            }
        });
        return found;
    }

    where(row) {
        const { core, rank, process, thread, name } = this.activity.tasks.lanes[this.rows[row]];
        return core !== null ? `CPU ${core}` : `${rank === null ? "" : `rank ${rank}, `}process ${process}, thread ${thread}${name ? ` (${name})` : ""}`;
    }

    describe(time, row) {
        const piece = this.pieceAt(time, row);
        const { looks, activity } = this;
        const last = [this.where(row), activity.powerText(time)];
        if (piece) {
            const [begin, end] = [piece.begin, piece.end].map((ns) => activity.seconds(ns));
            const task = piece.task > 0 && !(piece.flags & MANY) ? `, task ${piece.task}` : "";
            return [`${looks.label(piece.type)}${task}`, `${this.view.instant(begin)} to ${this.view.instant(end)}, ${duration(end - begin)}${piece.flags & CUT ? "; its end was not recorded" : ""}`, ...last];
        }
        const columns = activity.read(this.view, this.plot.columns);
        const column = Math.min(columns.count - 1, Math.max(0, Math.floor((activity.nanoseconds(time) - columns.from) / columns.width)));
        const parts = columns.at(row, column).filter(([, share]) => share >= 0.005);
        const rest = 1 - parts.reduce((sum, [, share]) => sum + share, 0);
        const texts = parts.map(([type, share]) => `${looks.label(type)} ${Math.round(100 * share)} %`);
        return [texts.length === 0 ? "nothing known" : texts.join(", ") + (rest > 0.01 ? `, nothing known ${Math.round(100 * rest)} %` : ""),
            `${this.view.instant(time)}, in ${duration(columns.width * 1e-9)}`, ...last];
    }

    tip(time, row) {
        return this.describe(time, row).filter(Boolean).map((text, i) => element("p", { class: i === 0 ? "tip-time" : null }, text));
    }

    key(event, plot) {
        const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        if (event.key === "Enter" && this.view.cursor !== null) {
            const piece = this.pieceAt(this.view.cursor, this.selected);
            if (piece) {
                const [begin, end] = [piece.begin, piece.end].map((ns) => this.activity.seconds(ns));
                this.view.set(begin - (end - begin), end + (end - begin));
            }
            return Boolean(piece);
        }
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
        const { activity } = this;
        this.plot.node.addEventListener("focus", () => this.plot.u?.redraw(false));
        this.plot.node.addEventListener("blur", () => this.plot.u?.redraw(false));
        const byCore = activity.coreLanes.length > 0;
        return element("figure", { id: "lanes" },
            element("figcaption", {}, element("b", {}, activity.tasks.by === "task" ? activity.didTitle : "Innermost regions"),
                ". Colours are work, hatching is waiting; a column of a lane shows the share of each type in its time, and single pieces once you zoom in. ", activity.notes()),
            byCore ? element("p", { class: "controls" }, choice("Lanes", [["Threads", false], ["Cores", true]], false, (cores) => {
                activity.show(cores);
                this.selected = 0;
                this.plot.rebuild();
            })) : null,
            this.keys(), this.plot.node);
    }

    keys() {
        const { looks, activity } = this;
        const shown = looks.order.filter((type) => activity.tasks.types[type].time_s > 0);
        const more = shown.length - MOST_KEYS;
        return element("span", { class: "keys" }, shown.slice(0, MOST_KEYS).map((type) =>
            [" ", element("span", { class: "key" }, looks.square(element, type), ` ${looks.label(type)}`)]), more > 0 ? ` and ${more} more` : "");
    }
}
