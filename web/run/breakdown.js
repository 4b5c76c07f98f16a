// SPDX-License-Identifier: BSD-3-Clause
// What the energy was used for: shares of the total, and every part with its nodes.
import { element, number } from "../lib/element.js";
import { qualityBadge, qualityWord } from "../lib/quality.js";
import { sortableTable } from "../lib/sortable.js";
import { energy, percent, power } from "./values.js";

function bar(shares) {
    const strip = element("div", { class: "shares", role: "img", "aria-label": shares.map((share) => `${share.name} ${percent(share.share)}`).join(", ") },
        shares.map((share, i) => {
            const piece = element("span", { class: share.derived ? "rest" : null, title: `${share.name}: ${percent(share.share)}` }, element("b", {}, share.share > 0.08 ? `${share.name} ${percent(share.share)}` : ""));
            piece.style.flexGrow = Math.max(share.share, 0.002);
            piece.style.setProperty("--piece", share.derived ? "var(--gap)" : `var(--series-${i % 8})`);
            return piece;
        }));
    const names = element("ul", { class: "share-names" }, shares.map((share, i) => {
        const square = element("span", { class: "square", "aria-hidden": "true" });
        square.style.background = share.derived ? "var(--gap)" : `var(--series-${i % 8})`;
        return element("li", {}, square, ` ${share.name} `, number(share.share, percent(share.share), { "data-what": "share", "data-part": share.name }), share.derived ? " (derived: the total without the others)" : "");
    }));
    return [strip, names];
}

export function breakdownSection(run) {
    const [total] = run.parts;
    const columns = [
        { name: "part", key: (part) => part.name, cell: (part) => [part.in_total ? "+ " : "\u2007 ", part.name, part.within ? ` (in ${part.within})` : ""] },
        { name: "energy [J]", number: true, key: (part) => part.energy_j, cell: (part) => energy(part, { "data-part": part.name }) },
        { name: "of the total", number: true, key: (part) => part.energy_j, cell: (part) => percent(part.energy_j / total.energy_j) },
        { name: "mean of a node [W]", number: true, key: (part) => part.node_w.mean, cell: (part) => number(part.node_w.mean, power(part.node_w.mean), { "data-what": "node_w.mean", "data-part": part.name }) },
        { name: "min..max of nodes [W]", number: true, key: (part) => part.node_w.max, cell: (part) => (part.nodes > 0 ? `${power(part.node_w.min)}..${power(part.node_w.max)}` : "\u2013") },
        { name: "nodes", number: true, key: (part) => part.nodes, cell: (part) => String(part.nodes) },
        { name: "quality", key: qualityWord, cell: (part) => qualityBadge(qualityWord(part)) },
    ];
    return element("section", { id: "breakdown", "aria-labelledby": "breakdown-head" }, element("h2", { id: "breakdown-head" }, "Breakdown by part"),
        run.breakdown.length > 0 ? bar(run.breakdown) : element("p", {}, "Unknown: no node has a total."),
        run.not_measured.length > 0 ? element("p", {}, `Not measured, so in none of these: ${run.not_measured.join(", ")}.`) : null,
        run.network ? null : element("p", {}, "The network is not measured."),
        sortableTable("Energy by part", columns, run.parts), element("p", { class: "note" }, "+ is part of the total; parts within another one are not added again."));
}
