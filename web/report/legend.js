// SPDX-License-Identifier: BSD-3-Clause
// The series of the power chart: a button for each, with its values at the cursor and in the visible part of the time.
import { element } from "../lib/element.js";
import { qualityBadge, qualityWord } from "../lib/quality.js";
import { stretchAt, summary } from "../lib/stretches.js";
import { swatch, watts } from "../lib/swatch.js";

const LISTED = 12;

// shown: the set of indices that are drawn; changed(): called after it has changed
export function legend(series, view, shown, changed) {
    const rows = series.map((item) => row(item, shown, changed));
    for (const what of ["cursor", "window"]) {
        const update = () => rows.forEach((entry) => entry[what](view));
        view.on(what, update);
        update();
    }
    const all = (visible) => () => {
        shown.clear();
        series.filter(visible).forEach((item) => shown.add(item.index));
        rows.forEach((entry) => entry.press());
        changed();
    };
    const buttons = series.length < 3 ? null : element("p", { class: "controls" },
        element("button", { type: "button", click: all(() => true) }, "Show all"),
        element("button", { type: "button", click: all((item) => item.facts.in_total) }, "Only the total\u2019s"));
    return element("div", { class: "legend" }, element("div", { class: `wide${series.length > LISTED ? " long" : ""}`, tabindex: "0", role: "region",
        "aria-label": "Channels of the power chart" }, element("table", {},
        element("thead", {}, element("tr", {}, ["channel", "quality", "at the cursor [W]", "mean shown [W]", "min..max shown [W]"].map((text, i) =>
            element("th", { scope: "col", class: i > 1 ? "number" : null }, text)))),
        element("tbody", {}, rows.map((entry) => entry.node)))), buttons);
}

function row(series, shown, changed) {
    const button = element("button", { type: "button", class: "channel", "data-series": series.channel }, swatch(series.index), " ", series.channel);
    const cells = ["cursor", "mean", "range"].map((what) => element("td", { class: "number", "data-shown": what }));
    const node = element("tr", {}, element("th", { scope: "row" }, button), element("td", {}, qualityBadge(qualityWord(series.facts))), cells);
    const press = () => {
        button.setAttribute("aria-pressed", shown.has(series.index));
        node.classList.toggle("off", !shown.has(series.index));
    };
    button.addEventListener("click", () => {
        shown.delete(series.index) || shown.add(series.index);
        press();
        changed();
    });
    press();
    const cursor = ({ cursor: time }) => {
        const at = time === null ? null : stretchAt(series, time);
        cells[0].replaceChildren(...(time === null ? ["\u2013"] : at
            ? [watts(at.mean), element("span", { class: "for-wide" }, ` (${watts(at.min)}..${watts(at.max)})`)] : ["unknown"]));
    };
    const window = (view) => {
        const all = summary(series, view.begin, view.end);
        cells[1].textContent = watts(all.mean);
        cells[2].textContent = all.mean === null ? "\u2013" : `${watts(all.min)}..${watts(all.max)}`;
    };
    return { node, press, cursor, window };
}
