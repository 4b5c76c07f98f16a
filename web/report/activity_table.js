// SPDX-License-Identifier: BSD-3-Clause
import { element, number } from "../lib/element.js";
import { digits, si } from "../lib/digits.js";
import { sortableTable } from "../lib/sortable.js";

const text = (row, value) => (row.quantity === "ratio" ? `${digits(100 * value)} %` : `${si(value)}${row.unit ?? ""}`);

// The other channels with their sums and means.
export function activitySection({ run }) {
    if (run.activity.length === 0) {
        return null;
    }
    const value = (name, what) => ({
        name: what, number: true, key: (row) => row[name],
        cell: (row) => (row[name] === null ? "\u2013" : number(row[name], text(row, row[name]), { "data-what": name, "data-channel": row.name })),
    });
    const columns = [
        { name: "channel", key: (row) => row.name, cell: (row) => row.name },
        { name: "quantity", key: (row) => row.quantity, cell: (row) => row.quantity.replaceAll("_", " ") },
        value("sum", "sum"), value("mean", "mean"), value("min", "min"), value("max", "max"),
        { name: "samples", number: true, key: (row) => row.samples, cell: (row) => String(row.samples) },
        { name: "gaps", number: true, key: (row) => row.gaps, cell: (row) => (row.gaps ? `${row.gaps} (${row.gap_reasons.join(", ")})` : "0") },
    ];
    return element("section", { id: "activity", "aria-labelledby": "activity-head" }, element("h2", { id: "activity-head" }, "Activity"),
        element("p", {}, "Counters: what they gained in the window. Others: over the window."), sortableTable("Table of activity", columns, run.activity));
}
