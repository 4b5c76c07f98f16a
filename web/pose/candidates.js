// SPDX-License-Identifier: BSD-3-Clause
// Other versions of the first code: a table, and their gain over the parameter.
import { element, svg } from "../lib/element.js";
import { sortableTable } from "../lib/sortable.js";
import { isPrinting, onTheme } from "../lib/theme.js";
import { frame, path } from "../lib/axes.js";
import { candidatesOf, regionMark } from "./candidate_points.js";
import { Items } from "./items.js";
import { candidateKey, lights } from "./light.js";
import { candidateTip, outsideOf } from "./tips.js";
import { known, parameter as parameterValue, percent, times, value } from "./values.js";
import { REGIONS } from "./words.js";

function regionCell(model, candidate) {
    const { region } = candidate;
    return [svg("svg", { class: "swatch", width: 14, height: 14, viewBox: "-7 -7 14 14", "aria-hidden": "true" }, regionMark(region, 60)), ` ${region} ${REGIONS[region].name}`,
        outsideOf(model, candidate) ? element("span", { class: "note", title: outsideOf(model, candidate) }, candidate.p_w < model.pmin_w ? " < Pmin" : " > Pmax") : null];
}

function table(model, parameter) {
    const list = candidatesOf(model).map((candidate, i) => ({ ...candidate, i }));
    const numbers = (what, name, unit) => ({ name: `${name} [${unit}]`, number: true, key: (c) => c[what], cell: (c) => value(c[what], "", `candidate.${what}`, c.i) });
    const columns = [
        { name: "version", key: (c) => c.label, cell: (c) => lights(element("span", { tabindex: "0" }, c.label), candidateKey(c.i)) },
        parameter && { name: parameter.unit ? `${parameter.name} [${parameter.unit}]` : parameter.name, number: true, key: (c) => c.parameter,
            cell: (c) => (known(c.parameter) ? parameterValue(c.parameter, c.i) : "\u2013") },
        numbers("t_s", "run time", "s"), numbers("e_j", "energy", "J"), numbers("p_w", "mean power", "W"),
        { name: "region", key: (c) => c.region, cell: (c) => regionCell(model, c) },
        { name: "gain", number: true, key: (c) => c.gain, cell: (c) => element("data", { value: c.gain, "data-what": "gain", "data-code": c.i }, times(c.gain)) },
        { name: "by power", number: true, key: (c) => c.power_share, cell: (c) => percent(c.power_share), title: "Share of the gain that lower power won" },
        { name: "by run time", number: true, key: (c) => c.run_time_share, cell: (c) => percent(c.run_time_share), title: "Share of the gain that shorter run time won" },
        { name: "Pareto", title: "On the Pareto front of run time and energy", key: (c) => (c.on_front ? 0 : 1), cell: (c) => (c.on_front ? "\u25c6 on it" : "\u2013") },
    ].filter(Boolean);
    return sortableTable(`Versions of the code under ${model.metric}`, columns, list);
}

// Gain over the parameter, one line for each metric shown.
class GainChart {
    constructor(page, state) {
        Object.assign(this, { page, state });
        this.svg = svg("svg", { class: "pose", role: "group", "aria-roledescription": "chart", "aria-label": `Gain over ${page.parameter.name}` });
        this.node = element("div", { class: "chart gain" }, this.svg);
        this.items = new Items(this.svg);
        state.on(() => this.draw());
        onTheme(() => this.node.clientWidth !== this.width && this.draw());
        new ResizeObserver(() => this.node.clientWidth !== this.width && this.draw()).observe(this.node);
    }

    draw() {
        this.width = this.node.clientWidth;
        if (this.width === 0) {
            return;
        }
        const { page, state, width } = this;
        const models = page.subjects[0].models.filter((_, i) => state.metrics.has(i));
        const rows = models.map((model) => ({ model, list: candidatesOf(model).map((candidate, i) => ({ ...candidate, i }))
            .filter(({ parameter }) => known(parameter)).sort((a, b) => a.parameter - b.parameter) }));
        const all = rows.flatMap(({ list }) => list);
        const reach = (values, room) => [Math.min(...values) - room(values), Math.max(...values) + room(values)];
        const room = (values) => (Math.max(...values) - Math.min(...values) || 1) * 0.06;
        const [xLow, xHigh] = reach(all.map(({ parameter }) => parameter), room);
        const [yLow, yHigh] = reach([1, ...all.map(({ gain }) => gain)], room);
        const height = isPrinting() ? 260 : Math.round(Math.min(Math.max(width * 0.4, 220), 340));
        const size = { width, height, left: 46, right: 18, top: 24, bottom: 36 };
        const plot = frame(size, { low: xLow, high: xHigh, title: page.parameter.name, unit: page.parameter.unit }, { low: yLow, high: yHigh, title: `gain: M(\u03b8) / M(version)` });
        const several = state.metrics.size > 1;
        this.items.clear();
        for (const [name, number] of [["viewBox", `0 0 ${width} ${height}`], ["width", width], ["height", height]]) {
            this.svg.setAttribute(name, number);
        }
        this.svg.replaceChildren(plot.node, svg("line", { class: "unity", x1: plot.box.left, x2: plot.box.right, y1: plot.y(1), y2: plot.y(1) }),
            svg("text", { class: "power-name", x: plot.box.right - 4, y: plot.y(1) - 5, "text-anchor": "end" }, "as good as the code"), ...rows.map((row) => this.line(row, plot, several)));
        this.items.restore();
    }

    line({ model, list }, plot, several) {
        const at = (candidate) => [plot.x(candidate.parameter), plot.y(candidate.gain)];
        const last = list.at(-1);
        const group = svg("g", { class: "gain-line" }, svg("path", { class: "way-gain", d: path(list.map(at)) }), list.map((candidate) => {
            const place = at(candidate);
            const node = svg("g", { class: "candidate", "data-candidate": candidate.i }, svg("g", { transform: `translate(${place[0].toFixed(1)},${place[1].toFixed(1)})` },
                svg("circle", { class: "hit", r: 12 }), regionMark(candidate.region)));
            const { nodes, label } = candidateTip(model, candidate, this.page.parameter);
            lights(node, candidateKey(candidate.i));
            return this.items.add(node, { label: several ? `${model.metric}: ${label}` : label, tip: nodes, place: () => place });
        }), several && last ? svg("text", { class: "label", x: at(last)[0] - 6, y: at(last)[1] - 10, "text-anchor": "end" }, model.metric) : null);
        if (several) {
            group.style.setProperty("--stroke", `var(--series-${this.state.colour(model)})`);
        }
        return group;
    }
}

// The main result.
function best(model) {
    const list = candidatesOf(model);
    const most = list.reduce((a, b) => (b.gain > a.gain ? b : a));
    return element("p", {}, most.gain > 1 ? ["Under ", element("b", {}, model.metric), " most is gained by ", element("b", {}, most.label), `: ${times(most.gain)}, by `,
        (most.power_share ?? 0) > (most.run_time_share ?? 0) ? "lower power" : "shorter run time", " first."] : ["Under ", element("b", {}, model.metric), " no version is better than the code."]);
}

export function candidatesSection(page, state) {
    const [first] = page.subjects;
    if (first.candidates.length === 0) {
        return null;
    }
    const tables = element("div");
    const fill = () => tables.replaceChildren(best(first.models[state.front]), table(first.models[state.front], page.parameter));
    state.on(fill);
    fill();
    const along = page.parameter && first.candidates.filter(({ parameter }) => known(parameter)).length > 1;
    return element("section", { id: "versions", "aria-labelledby": "versions-head" }, element("h2", { id: "versions-head" }, "Versions"),
        element("p", {}, `Other versions of ${first.name}: where each lies, what it gains under the metric, and whether lower power or shorter run time won it.`),
        along ? element("figure", {}, element("figcaption", {}, element("b", {}, `Gain over ${page.parameter.name}`), " A mark\u2019s shape tells its region."), new GainChart(page, state).node) : null,
        tables);
}
