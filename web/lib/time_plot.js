// SPDX-License-Identifier: BSD-3-Clause
// A plot over time, made with uPlot: it shows the part of the time that the view has, moves the view's cursor, and
// shows a tooltip there. Its spec:
//   label          for screen readers
//   height()       in CSS pixels
//   build()        { series, bands, data(from, to, count) } for uPlot; count columns of x, and y for each series
//   range(low, high)  of the y axis
//   scale          of y, as in uPlot; optional
//   axis           of y, as in uPlot
//   under(u), over(u)  draw below and above the series
//   tip(time, top) nodes for the tooltip
//   spoken(time)   the same as a sentence
import uPlot from "uplot";
import { element } from "./element.js";
import { KEYS_TEXT, keyGesture, touchGestures, wheelGesture } from "./gestures.js";
import { drawStretch } from "./marks.js";
import { colour } from "./palette.js";
import { clock, clockUnit, TICKS } from "./times.js";
import { hideTip, showTip, speak } from "./tooltip.js";
import { onTheme } from "./theme.js";

const FONT = '12px system-ui, sans-serif';
export const NARROW = 620;
export const FRAME = 60; // height of everything except the plot: padding, times and their unit

// Left and right margins of all plots of a page, so that their times are aligned.
export const gutters = (width) => ({ left: width < NARROW ? 46 : 64, right: width < NARROW ? 26 : 124 });

export class TimePlot {
    constructor(view, spec) {
        this.view = view;
        this.spec = spec;
        this.node = element("div", {
            class: "plot", tabindex: "0", role: "group", "aria-roledescription": "chart", "aria-label": `${spec.label}. ${KEYS_TEXT}`,
        });
        this.node.addEventListener("keydown", (event) => this.key(event));
        this.node.addEventListener("blur", hideTip);
        view.on("window", () => this.refresh());
        view.on("cursor", () => this.follow());
        view.on("stretch", () => this.u?.redraw(false));
        onTheme(() => (this.node.clientWidth === this.width ? this.u?.redraw() : this.rebuild()));
        new ResizeObserver(() => this.resize()).observe(this.node);
    }

    // Also needed when something else is to be drawn.
    rebuild() {
        this.u?.destroy();
        this.width = this.node.clientWidth;
        if (this.width === 0) {
            this.u = null; // hidden, or not in the page yet
            return;
        }
        this.built = this.spec.build();
        this.u = new uPlot(this.options(), this.data(), this.node);
        const at = (clientX) => this.u.posToVal(clientX - this.u.over.getBoundingClientRect().left, "x");
        touchGestures(this.u.over, this.view, at);
        wheelGesture(this.u.over, this.view, at, () => this.node.contains(document.activeElement));
        this.u.over.addEventListener("mouseleave", () => this.view.point(null));
        this.mark();
    }

    resize() {
        if (!this.u || this.node.clientWidth !== this.width) {
            this.rebuild();
        }
    }

    data() {
        const { left, right } = gutters(this.width);
        this.columns = Math.max(16, Math.round(this.width - left - right));
        return this.built.data(this.view.begin, this.view.end, this.columns);
    }

    refresh() {
        if (this.u) {
            this.u.setData(this.data());
            this.mark();
        }
    }

    // For tests and other scripts.
    mark() {
        this.node.dataset.begin = this.view.begin;
        this.node.dataset.end = this.view.end;
    }

    options() {
        const { left, right } = gutters(this.width);
        const grid = { stroke: () => colour("grid"), width: 1 };
        const ticks = { ...grid, size: 4 };
        const text = { stroke: () => colour("ink-soft"), font: FONT, grid, ticks };
        const longest = Math.max(Math.abs(this.view.first), Math.abs(this.view.last));
        return {
            width: this.width,
            height: this.spec.height(),
            padding: [10, right, 0, 0],
            legend: { show: false },
            scales: {
                x: { time: false, range: () => [this.view.begin, this.view.end] },
                y: { ...this.spec.scale, range: (u, low, high) => this.spec.range(low, high) },
            },
            axes: [
                { ...text, incrs: TICKS, space: 70, size: 30, label: `Time [${clockUnit(longest)}]`, labelSize: 18, labelFont: FONT, labelGap: 0, values: (u, at, i, space, step) => at.map((t) => clock(t, step, longest)) },
                { ...text, size: left, ...this.spec.axis },
            ],
            cursor: {
                y: false,
                points: { show: false },
                drag: { x: true, y: false, setScale: false },
                bind: { mousedown: (u, node, handler) => (event) => this.press(event, handler), dblclick: () => () => this.view.reset() },
            },
            series: [{}, ...this.built.series],
            bands: this.built.bands,
            hooks: {
                drawClear: [(u) => this.spec.under?.(u)],
                draw: [(u) => this.spec.over?.(u), (u) => this.view.stretch && drawStretch(u, this.view.stretch)],
                setSelect: [(u) => this.selected(u)],
                setCursor: [(u) => this.moved(u)],
            },
        };
    }

    // Dragging zooms; with Shift it pans, with Alt it selects.
    press(event, zoom) {
        this.node.focus({ preventScroll: true });
        this.selects = event.altKey || this.view.selecting;
        if (!event.shiftKey) {
            return zoom(event);
        }
        let last = event.clientX;
        const drag = (move) => {
            this.view.pan((last - move.clientX) / this.columns);
            last = move.clientX;
        };
        addEventListener("mousemove", drag);
        addEventListener("mouseup", () => removeEventListener("mousemove", drag), { once: true });
        return null;
    }

    selected(u) {
        const { left, width } = u.select;
        if (width > 3) {
            u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            const ends = [u.posToVal(left, "x"), u.posToVal(left + width, "x")];
            this.selects ? this.view.select(...ends) : this.view.set(...ends);
        }
    }

    // The mouse is over this plot.
    moved(u) {
        const { left, top } = u.cursor;
        if (left === undefined || left < 0) {
            return;
        }
        this.top = top;
        this.here = true;
        this.view.point(u.posToVal(left, "x"));
        this.here = false;
    }

    // The cursor has moved, here or in another plot.
    follow() {
        if (!this.u) {
            return;
        }
        const time = this.view.cursor;
        if (time === null) {
            this.u.setCursor({ left: -10, top: -10 }, false);
            hideTip();
            return;
        }
        if (!this.here) {
            this.u.setCursor({ left: this.u.valToPos(time, "x"), top: 0 }, false);
        }
        if (this.here || this.node === document.activeElement) {
            this.tip(time);
        }
    }

    tip(time) {
        const box = this.u.over.getBoundingClientRect();
        const top = this.here ? this.top : this.spec.keyTop?.(this.u) ?? 0;
        showTip(box.left + this.u.valToPos(time, "x"), box.top + top, this.spec.tip(time, top, this.u));
    }

    key(event) {
        const step = (this.view.end - this.view.begin) / this.columns;
        const large = event.ctrlKey ? 1 : 4;
        if (!this.spec.key?.(event, this) && !keyGesture(event, this.view, step * large)) {
            return;
        }
        event.preventDefault();
        if (this.view.cursor !== null && this.u) {
            this.tip(this.view.cursor);
            speak(this.spec.spoken(this.view.cursor, this.spec.keyTop?.(this.u) ?? 0, this.u));
        }
    }
}
