// SPDX-License-Identifier: BSD-3-Clause
// The charts section: one chart for each chosen code, the controls for what they show, and the movable point.
import { element, svg } from "../lib/element.js";
import { curveSample, regionSample } from "./areas.js";
import { regionMark } from "./candidate_points.js";
import { PoseChart } from "./chart.js";
import { curveKey, lights, regionKey } from "./light.js";
import { MARKS, mark } from "./points.js";
import { cautionBadge, known } from "./values.js";
import { BOUNDS, CURVES, REGIONS, THETA } from "./words.js";
import { whatIf } from "./what_if.js";

function metricButton(model, state) {
    const { index, name } = model;
    const sample = svg("svg", { class: "swatch", width: 16, height: 14, viewBox: "-8 -7 16 14", "aria-hidden": "true" }, svg("g", { class: "vertex" }, mark(MARKS[index % MARKS.length], 62)));
    sample.style.setProperty("--stroke", `var(--series-${state.colour({ form: model })})`);
    const button = element("button", { type: "button", "data-metric": index, click: () => state.toggleMetric(index) }, sample, " ", name);
    const press = () => button.setAttribute("aria-pressed", state.metrics.has(index));
    state.on(press);
    press();
    return button;
}

function metricControls({ metrics }, state) {
    if (metrics.length < 2) {
        return null;
    }
    const fronts = element("select", { id: "front", change: () => state.changed({ front: Number(fronts.value), metrics: state.metrics.add(Number(fronts.value)) }) },
        metrics.map(({ index, name }) => element("option", { value: index }, name)));
    state.on(() => (fronts.value = String(state.front)));
    return [
        element("span", { class: "buttons", role: "group", "aria-label": "Metrics" }, "Metrics ", metrics.map((metric) => metricButton(metric, state))),
        element("span", {}, element("label", { for: "front" }, "Regions of "), fronts),
    ];
}

function codeControls({ subjects }, state) {
    if (subjects.length < 2) {
        return null;
    }
    const groups = [...new Set(subjects.map(({ models }) => models[0].group).filter(Boolean))];
    const choose = (group) => state.changed({ subjects: new Set(subjects.filter(({ models }) => models[0].group === group).map(({ index }) => index)) });
    return element("div", { class: "codes controls", role: "group", "aria-label": "Codes" }, "Codes ", groups.length < 2 ? null : groups.map((group) =>
        element("button", { type: "button", class: "all-of", click: () => choose(group) }, `all of ${group}`)), subjects.map(({ index, name }) => {
        const button = element("button", { type: "button", "data-subject": index, click: () => state.toggleSubject(index) }, name);
        const press = () => button.setAttribute("aria-pressed", state.subjects.has(index));
        state.on(press);
        press();
        return button;
    }));
}

// Zooming in further would show the corners of the curves.
const STEPS = [1, 1.5, 2, 3, 4, 6, 8, 12];

function zoomControls(state) {
    const step = (by) => state.changed({ zoom: STEPS[Math.min(STEPS.length - 1, Math.max(0, STEPS.indexOf(state.zoom) + by))] });
    const button = (label, name, action) => element("button", { type: "button", "aria-label": name, title: name, "data-do": name, click: action }, label);
    return element("span", { class: "choice" }, button("\u2212", `Further from ${THETA}`, () => step(-1)), button("+", `Nearer to ${THETA}`, () => step(1)),
        button("All", "Show all", () => state.changed({ zoom: 1 })));
}

// Lines through candidates.
function ways({ candidates }) {
    const sample = (name) => svg("svg", { class: "swatch", width: 34, height: 10, viewBox: "0 0 34 10", "aria-hidden": "true" }, svg("line", { class: name, x1: 1, y1: 5, x2: 33, y2: 5 }));
    const along = candidates.filter(({ parameter }) => known(parameter)).length > 1;
    return [
        candidates.some(({ on_front }) => on_front) ? element("li", {}, sample("front"), element("span", {}, element("b", {}, "Pareto front"), " No version is better in both run time and energy.")) : null,
        along ? element("li", {}, sample("way"), element("span", {}, element("b", {}, "path"), " From value to value of the parameter.")) : null,
    ];
}

// Curves by dash, regions by number, marks by shape.
function legend({ subjects }) {
    const candidates = subjects[0].candidates.length > 0;
    const entry = (key, sample, name, text) => lights(element("li", {}, sample, element("span", {}, element("b", {}, name), ` ${text}`)), key);
    const region = (n) => regionSample(n, candidates ? svg("g", { transform: "translate(24,9)" }, regionMark(n, 50)) : null);
    return element("ul", { class: "key-list", "aria-label": "What the chart shows" },
        BOUNDS.map((name) => entry(curveKey(name), curveSample(name), CURVES[name].name, CURVES[name].text)),
        candidates ? ways(subjects[0]) : null,
        [1, 2, 3, 4].map((n) => entry(regionKey(n), region(n), REGIONS[n].name, REGIONS[n].text)));
}

export function chartSection(page, state) {
    const charts = page.subjects.map((subject) => new PoseChart(subject, state, page.parameter));
    const figures = charts.map((chart) => element("figure", { "data-subject": chart.subject.index, "aria-label": chart.subject.name },
        page.subjects.length > 1 ? element("figcaption", {}, element("b", {}, chart.subject.name), cautionBadge(chart.subject.models[0].source)) : null, chart.node));
    const update = () => figures.forEach((figure, i) => {
        figure.hidden = !state.subjects.has(i);
        figure.hidden || charts[i].draw();
    });
    figures.forEach((figure, i) => (figure.hidden = !state.subjects.has(i)));
    state.on(update);
    const grid = element("div", { class: `charts${charts.length > 1 ? " many" : ""}` }, figures);
    return element("section", { id: "chart", "aria-labelledby": "chart-head" }, element("h2", { id: "chart-head" }, "Chart"),
        element("p", { class: "hint controls" }, "Hover over anything, or enter the chart with Tab and move with the arrow keys."),
        element("div", { class: "toolbar controls", role: "toolbar", "aria-label": "Charts" }, metricControls(page, state), zoomControls(state)),
        codeControls(page, state), grid, legend(page), whatIf(page, state, charts));
}

