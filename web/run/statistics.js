// SPDX-License-Identifier: BSD-3-Clause
// Descriptive statistics over nodes, and over all nodes and times.
import { element, number } from "../lib/element.js";
import { duration } from "../lib/digits.js";
import { joules, known, power } from "./values.js";

const FIELDS = [["mean", "mean"], ["sd", "standard deviation"], ["min", "min"], ["p5", "5 %"], ["q1", "lower quartile"], ["median", "median"], ["q3", "upper quartile"], ["p95", "95 %"], ["max", "max"]];

export function statisticsSection(run) {
    const columns = [
        ["energy of a node", run.energy, (x) => `${joules(x)}J`, "energy"], ["mean power of a node", run.power, (x) => `${power(x)} W`, "power"],
        ["time of a node", run.time, duration, "time"], ["power, all nodes and moments", run.moments, (x) => `${power(x)} W`, "moments"],
        ...(run.mpi ? [["time in MPI of a node", run.mpi.share, (x) => `${(100 * x).toFixed(1)} %`, "mpi"]] : []),
    ];
    return element("section", { id: "statistics", "aria-labelledby": "statistics-head" }, element("h2", { id: "statistics-head" }, "Statistics over nodes"),
        element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Statistics over nodes" }, element("table", {},
            element("caption", { class: "unseen" }, "Statistics over nodes"),
            element("thead", {}, element("tr", {}, element("th", { scope: "col" }, ""), columns.map(([name]) => element("th", { scope: "col", class: "number" }, name)))),
            element("tbody", {}, element("tr", {}, element("th", { scope: "row" }, "n"), columns.map(([, of, , key]) => element("td", { class: "number" }, number(of.n, String(of.n), { "data-what": `${key}.n` })))),
                FIELDS.map(([field, label]) => element("tr", {}, element("th", { scope: "row" }, label), columns.map(([, of, text, key]) =>
                    element("td", { class: "number" }, number(of[field] ?? null, known(of[field]) ? text(of[field]) : "\u2013", { "data-what": `${key}.${field}` })))))))),
        element("p", { class: "note" }, `Moments are means over ${duration(run.fine_s)} of one node. Nodes are not a random sample, so no confidence interval is given.`));
}
