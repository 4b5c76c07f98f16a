// SPDX-License-Identifier: BSD-3-Clause
// Drawn below the points: regions with their names, the envelope's lines, the three bounds.
import { svg } from "../lib/element.js";
import { curveKey, lights, regionKey } from "./light.js";
import { verdictOf } from "./model.js";
import { roomAlong, roomFor } from "./room.js";
import { curveTip, regionTip } from "./tips.js";
import { cautionSign, plain } from "./values.js";
import { BOUNDS, REGIONS, svgPower } from "./words.js";

const DASHES = { optimisation_bound: null, contribution_bound: "7 4", optimisation_limit: "9 3 2 3" };

const middle = (pixels) => pixels[pixels.length >> 1] ?? [0, 0];

// Patterns of regions in addition to their colour; id: of the svg that they are in.
const PATTERNS = { 1: "dots", 4: "hatch" };

export function patterns(id) {
    return [
        svg("pattern", { id: `hatch-${id}`, width: 9, height: 9, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, svg("line", { class: "hatch", x1: 0, y1: 0, x2: 0, y2: 9 })),
        svg("pattern", { id: `dots-${id}`, width: 7, height: 7, patternUnits: "userSpaceOnUse" }, svg("circle", { class: "dot", cx: 2, cy: 2, r: 0.9 })),
    ];
}

// For the legend: colour, pattern and number.
export function regionSample(n, ...over) {
    const box = { x: 0.5, y: 0.5, width: 33, height: 17 };
    const id = `key-${n}`;
    return svg("svg", { class: "swatch", width: 34, height: 18, viewBox: "0 0 34 18", "aria-hidden": "true" },
        PATTERNS[n] ? svg("defs", {}, patterns(id)) : null,
        svg("g", { class: `region region-${n}` }, svg("rect", { class: "fill", ...box }), PATTERNS[n] ? svg("rect", { ...box, fill: `url(#${PATTERNS[n]}-${id})` }) : null),
        svg("text", { x: 11, y: 13.5, "text-anchor": "middle", class: "name" }, String(n)), over);
}

// One group for each region: its colour, and its pattern if it has one.
export function drawRegions(chart, model) {
    return svg("g", { class: "regions", "clip-path": chart.plot.clip }, model.shapes.regions.map((polygon, i) => {
        if (polygon.length < 3) {
            return null;
        }
        const n = i + 1;
        const d = `${chart.path(polygon)}Z`;
        const pattern = PATTERNS[n];
        const node = svg("g", { class: `region region-${n}`, "data-region": n }, svg("path", { class: "fill", d }),
            pattern ? svg("path", { d, fill: `url(#${pattern}-${chart.id})` }) : null);
        const tip = (event) => {
            const at = event && chart.valuesAt(event);
            return regionTip(n, at, at && verdictOf(model, at)).nodes();
        };
        lights(node, regionKey(n));
        return chart.items.add(node, { label: regionTip(n).label, tip, place: () => chart.namesAt?.[n] ?? middle(chart.pixels(polygon)) });
    }).filter(Boolean));
}

// What names must not cover: points, the letter of the code, names of candidates.
function obstacles(chart) {
    const { plot, subject } = chart;
    const points = chart.shown().flatMap(({ vertices }) => Object.values(vertices)).map(plot.at).filter((at) => at.every(Number.isFinite));
    const [x, y] = plot.at(subject.models[0].theta);
    const candidates = subject.candidates.map(plot.at).flatMap(([cx, cy]) => [[cx, cy], [cx + 25, cy - 8], [cx + 50, cy - 8]]);
    return [...points, [x, y], [x + 16, y - 14], ...candidates];
}

// Each name where its region has the most room: in full, short, or only the number.
export function drawRegionNames(chart, model) {
    const points = obstacles(chart);
    chart.namesAt = {};
    return svg("g", { class: "names", "aria-hidden": "true" }, model.shapes.regions.map((polygon, i) => {
        const n = i + 1;
        const texts = [`${n} ${REGIONS[n].name}`, `${n} ${REGIONS[n].short}`, `${n}`];
        const found = polygon.length < 3 ? null : roomFor(chart.pixels(polygon), points, texts, chart.plot.box);
        if (!found) {
            return null;
        }
        chart.namesAt[n] = found.at;
        return svg("text", { x: found.at[0], y: found.at[1] + 4, "text-anchor": "middle", class: "name" }, found.text);
    }).filter(Boolean));
}

function curve(chart, model, name, d, several, attributes) {
    const node = svg("g", { class: `curve ${name}`, "data-curve": name },
        svg("path", { class: "line", d, ...attributes }), svg("path", { class: "hit", d }));
    const { nodes, label } = curveTip(model, name, several);
    lights(node, curveKey(name));
    return chart.items.add(node, { label, tip: nodes, place: () => middle(chart.pixels(model.shapes.curves[name])) });
}

export function drawBounds(chart, model, several) {
    const group = svg("g", { class: "bounds", "clip-path": chart.plot.clip });
    const strength = several ? { "data-metric": model.form.index } : {};
    for (const name of BOUNDS.filter((one) => (model.shapes.curves[one] ?? []).length > 1)) {
        const node = curve(chart, model, name, chart.path(model.shapes.curves[name]), several, { "stroke-dasharray": DASHES[name], ...strength });
        if (several) {
            node.style.setProperty("--stroke", `var(--series-${chart.state.colour(model)})`);
        }
        group.append(node);
    }
    return group;
}

// The two lines, each with its power at the visible end.
export function drawEnvelope(chart, model) {
    const group = svg("g", { class: "envelope" });
    for (const [name, which, watts] of [["pmin", "min", model.pmin_w], ["pmax", "max", model.pmax_w]]) {
        const points = model.shapes.curves[name] ?? [];
        if (points.length < 2) {
            continue;
        }
        const pixels = chart.pixels(points);
        const line = curve(chart, model, name, chart.path(points), false, {});
        line.setAttribute("clip-path", chart.plot.clip);
        const [[x0, y0], [x1, y1]] = [pixels[0], pixels.at(-1)];
        const angle = (Math.atan2(y1 - y0, x1 - x0) * 180) / Math.PI;
        group.append(line);
        // In full, or only its watts.
        const sign = cautionSign(model.bounds);
        const texts = [[100, sign, svgPower(which), ` = ${plain(watts)} W`], [58, `${sign}${plain(watts)} W`]];
        const found = texts.map(([wide, ...text]) => ({ place: roomAlong(pixels[0], pixels.at(-1), wide, obstacles(chart), chart.plot.box.bottom - (which === "min" ? 16 : 0)), text })).find(({ place }) => place);
        found && group.append(svg("text", { class: "power-name", "text-anchor": "middle", "aria-hidden": "true",
            transform: `translate(${found.place.map((v) => v.toFixed(1))}) rotate(${angle.toFixed(2)}) translate(0,${which === "min" ? 15 : -6})` }, ...found.text));
    }
    return group;
}

// For the legend.
export function curveSample(name) {
    return svg("svg", { class: "swatch", width: 34, height: 10, viewBox: "0 0 34 10", "aria-hidden": "true" },
        svg("g", { class: `curve ${name}` }, svg("line", { class: "line", x1: 1, y1: 5, x2: 33, y2: 5, "stroke-dasharray": DASHES[name] ?? null })));
}

