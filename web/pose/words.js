// SPDX-License-Identifier: BSD-3-Clause
// Names and explanations of the parts of a POSE model.
import { element, svg } from "../lib/element.js";

export const THETA = "\u03b8";
export const TIMES = "\u00d7";

export const REGIONS = {
    1: { name: "strong run-time optimisation", short: "strong run time", text: "Better than any power optimisation could be." },
    2: { name: "weak run-time optimisation", short: "weak run time", text: "Better than the code, and more by run time than by power; some power optimisation might do better." },
    3: { name: "power optimisation", short: "power", text: "Better than the code, and more by lower power than by shorter run time." },
    4: { name: "degradation", short: "degradation", text: "No better than the code." },
};

export const CURVES = {
    optimisation_bound: { name: "optimisation bound", text: "Here a version is exactly as good as the code; below it, better." },
    contribution_bound: { name: "contribution bound", text: "Here lower power and shorter run time have an equal share in what was won; below it, power has more." },
    optimisation_limit: { name: "optimisation limit", text: "Here a version is as good as C, the best of all power optimisations; below it, better than any." },
    pmin: { name: "minimum power", text: "A busy machine draws no less." },
    pmax: { name: "maximum power", text: "The machine draws no more." },
};
export const BOUNDS = ["optimisation_bound", "contribution_bound", "optimisation_limit"];

// In the order of the document; vertex: the point of the chart from which an insight is read.
export const INSIGHTS = {
    energy_saved: { vertex: "D", absolute: "absolute_j", unit: "J", name: "Energy saved, at most", text: "by lower power alone, at the same run time" },
    metric_improvement: { vertex: "C", absolute: "absolute", unit: "", name: "Metric improved, at most", text: "by power optimisation" },
    guaranteed_speedup: { vertex: "B", absolute: "absolute_s", unit: "s", name: "Speed-up that always pays", text: "whatever happens to power" },
    worst_slowdown: { vertex: "E", absolute: "absolute_s", unit: "s", name: "Slowdown that can pay, at most", text: "if power falls as far as it can" },
    dominating_speedup: { vertex: "A", absolute: "absolute_s", unit: "s", name: "Speed-up that beats all power optimisation", text: "whatever happens to power" },
};

// Column headings, by insight.
export const HEADS = { energy_saved: "energy", metric_improvement: "metric", guaranteed_speedup: "always pays", worst_slowdown: "slowdown", dominating_speedup: "beats power" };
export const HEADS_TEXT = "energy: saved at most, by lower power. metric: improved at most, by power optimisation. always pays: the speed-up that does. slowdown: that can pay, at most. "
    + "beats power: the speed-up that beats all power optimisation.";

export const VERTEX_TEXT = {
    A: "As good as C, at maximum power: the fast end of the optimisation limit.",
    B: "As good as the code, at maximum power: the fast end of the optimisation bound.",
    C: "The best that power optimisation can do.",
    D: "The same run time at minimum power.",
    E: "As good as the code, at minimum power: the slow end of the optimisation bound.",
};

export const insightOf = (vertex) => Object.keys(INSIGHTS).find((name) => INSIGHTS[name].vertex === vertex);

// P with its index: "min" or "max"
export const power = (which) => element("span", { class: "symbol" }, "P", element("sub", {}, which));
export const svgPower = (which) => [svg("tspan", {}, "P"), svg("tspan", { dy: 3, "font-size": "0.8em" }, which), svg("tspan", { dy: -3 }, "\u200a")];
