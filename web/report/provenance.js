// SPDX-License-Identifier: BSD-3-Clause
// The trace's metadata about machine, software and run, key by key, with a filter.
import { element } from "../lib/element.js";

export function provenanceSection({ provenance }) {
    const rows = provenance.map(([key, value]) => element("tr", {}, element("th", { scope: "row" }, key), element("td", {}, value)));
    const count = element("output", { role: "status" });
    const filter = element("input", { type: "search", id: "filter", autocomplete: "off", input: () => apply() });
    const apply = () => {
        const words = filter.value.toLowerCase().split(/\s+/);
        const hits = rows.filter((row) => {
            row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
            return !row.hidden;
        });
        count.textContent = filter.value ? `${hits.length} of ${rows.length}` : "";
    };
    return element("section", { id: "provenance", "aria-labelledby": "provenance-head" }, element("h2", { id: "provenance-head" }, "Provenance"),
        element("details", {}, element("summary", {}, `${rows.length} facts about machine, software and run`),
            element("p", { class: "controls" }, element("label", { for: "filter" }, "Filter "), filter, " ", count),
            element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Table of provenance" }, element("table", { class: "provenance" }, element("tbody", {}, rows)))));
}
