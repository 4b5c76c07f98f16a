// SPDX-License-Identifier: BSD-3-Clause
// The source of each number, and how reliable it is.
import { element } from "../lib/element.js";
import { interval } from "../lib/digits.js";
import { qualityBadge, qualityWord } from "../lib/quality.js";
import { known, value } from "./values.js";
import { power } from "./words.js";

const runsOf = ({ runs }) => (known(runs) && runs > 1 ? `mean of ${runs} runs` : null);

function codeSource(source) {
    if (source.origin === "trace") {
        return [runsOf(source), source.contains && `energy of ${source.contains}`, source.region && `within the region ${source.region}`, (source.traces ?? []).join(", ")]
            .filter(Boolean).join("; ");
    }
    return ["given by the user", runsOf(source)].filter(Boolean).join("; ");
}

// If one of the two was given and the other is calibrated, the given one has no name.
function boundSource(bounds, which) {
    const name = bounds.origin === "calibration" && bounds[`p${which}_name`];
    return name ? [`calibration: ${name}`, bounds] : ["given by the user", { origin: "given" }];
}

function rows(subject) {
    const [model] = subject.models;
    const { theta, index } = model;
    const source = model.source ?? { origin: "given" };
    const bounds = model.bounds ?? { origin: "given" };
    const badge = (of) => (of.origin === "given" ? element("span", { class: "quality" }, "as given") : qualityBadge(qualityWord(of)));
    const bound = (which, watts, half, [from, of] = boundSource(bounds, which)) => [["Power ", power(which)], [element("data", { value: watts, "data-what": `p${which}_w` }, known(half) ? interval(watts, half) : value(watts, "")[0].textContent), " W"],
        from, badge(of)];
    return [
        [["Run time"], value(theta.t_s, "s", "theta.t_s", index), codeSource(source), badge(source)],
        [["Energy"], value(theta.e_j, "J", "theta.e_j", index), codeSource(source), badge(source)],
        bound("min", model.pmin_w, bounds.pmin_half_w), bound("max", model.pmax_w, bounds.pmax_half_w),
    ];
}

export function sourcesSection({ subjects }) {
    const several = subjects.length > 1;
    const head = ["number", "value", "from", "quality"];
    return element("section", { id: "sources", "aria-labelledby": "sources-head" }, element("h2", { id: "sources-head" }, "Where the numbers are from"),
        subjects.map((subject, i) => {
            const table = element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": `Numbers of ${subject.name}` }, element("table", { class: "sources" },
                element("thead", {}, element("tr", {}, head.map((text, k) => element("th", { scope: "col", class: k === 1 ? "number" : null }, text)))),
                element("tbody", {}, rows(subject).map(([name, number, from, quality]) => element("tr", {}, element("th", { scope: "row" }, name),
                    element("td", { class: "number" }, number), element("td", { class: "from" }, from), element("td", {}, quality))))));
            return several ? element("details", { open: i === 0 }, element("summary", {}, subject.name), table) : table;
        }));
}
