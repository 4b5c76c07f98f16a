// SPDX-License-Identifier: BSD-3-Clause
// The chart of a code: envelope, bounds and regions, vertices, the code, its candidates; several metrics overlaid.
import { element, svg } from "../lib/element.js";
import { isPrinting, onTheme } from "../lib/theme.js";
import { frame, path } from "../lib/axes.js";
import { drawBounds, drawEnvelope, drawRegions, drawRegionNames, patterns } from "./areas.js";
import { drawCandidates, drawFront } from "./candidate_points.js";
import { Items } from "./items.js";
import { drawTheta, drawVertices, placeVertices } from "./points.js";

let count = 0;
const NARROW = 480;

export class PoseChart {
    // state: { metrics (Set of indices), front (index of the metric whose regions are filled), window(subject) }
    constructor(subject, state, parameter) {
        Object.assign(this, { subject, state, parameter, id: ++count, extras: [] });
        this.svg = svg("svg", { class: "pose", role: "group", "aria-roledescription": "chart", "aria-label": this.title() });
        this.node = element("div", { class: "chart" }, this.svg);
        this.items = new Items(this.svg);
        onTheme(() => this.node.clientWidth !== this.width && this.draw());
        new ResizeObserver(() => this.node.clientWidth !== this.width && this.draw()).observe(this.node);
    }

    title() {
        return `Energy over run time of ${this.subject.name}. Arrow keys go from point to point.`;
    }

    // The models to draw, the one with filled regions last.
    shown() {
        const { metrics, front } = this.state;
        return [...this.subject.models.filter((_, i) => metrics.has(i) && i !== front), this.subject.models[front]];
    }

    size() {
        const width = this.width;
        const narrow = width < NARROW;
        const height = isPrinting() ? Math.round(width * 0.62) : Math.round(Math.min(Math.max(width * (narrow ? 0.95 : 0.6), 300), 600));
        return { width, height, left: narrow ? 38 : 46, right: narrow ? 10 : 18, top: 24, bottom: 36 };
    }

    draw() {
        this.width = this.node.clientWidth;
        if (this.width === 0) {
            return; // hidden, or not in the page yet
        }
        const size = this.size();
        const [tLow, tHigh, eLow, eHigh] = this.state.window(this.subject);
        const plot = frame(size, { low: tLow, high: tHigh, title: "run time", unit: "s" }, { low: eLow, high: eHigh, title: "energy", unit: "J", prefix: true });
        const models = this.shown();
        const model = models.at(-1);
        this.plot = { ...plot, size, narrow: this.width < NARROW, clip: `url(#clip-${this.id})`, id: this.id, at: ({ t_s, e_j }) => (t_s === null || e_j === null ? [NaN, NaN] : [plot.x(t_s), plot.y(e_j)]) };
        this.items.clear();
        this.svg.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
        this.svg.setAttribute("width", size.width);
        this.svg.setAttribute("height", size.height);
        const several = this.state.metrics.size > 1;
        // Later elements are drawn on top; earlier ones come first in the list of items.
        const vertices = placeVertices(this, models);
        const points = [drawTheta(this, model), ...[...models].reverse().map((m) => drawVertices(this, m, vertices, several))];
        const candidates = [drawFront(this, model), drawCandidates(this, model)];
        const bounds = models.map((m) => drawBounds(this, m, several));
        const envelope = drawEnvelope(this, model);
        const regions = drawRegions(this, model);
        this.svg.replaceChildren(this.definitions(), regions, plot.node, ...bounds, envelope, drawRegionNames(this, model), ...candidates, ...points.reverse());
        this.items.restore();
        for (const extra of this.extras) {
            extra(this);
        }
    }

    definitions() {
        const { left, right, top, bottom } = this.plot.box;
        return svg("defs", {},
            svg("clipPath", { id: `clip-${this.id}` }, svg("rect", { x: left, y: top, width: right - left, height: bottom - top })),
            patterns(this.id));
    }

    // The values under the pointer.
    valuesAt(event) {
        const box = this.svg.getBoundingClientRect();
        return { t_s: this.plot.x.invert(event.clientX - box.left), e_j: this.plot.y.invert(event.clientY - box.top) };
    }

    // Points of the document as pixels.
    pixels(points) {
        return points.map(([t, e]) => [this.plot.x(t), this.plot.y(e)]);
    }

    path(points) {
        return path(this.pixels(points));
    }
}
