// SPDX-License-Identifier: BSD-3-Clause
// A table whose columns sort its rows.
import { element } from "./element.js";

// columns: { name, title, number (right-aligned), key(row) (sort key; none: not sortable), cell(row) (node or text) }
export function sortableTable(caption, columns, rows) {
    const body = element("tbody");
    const heads = columns.map((column) => head(column));
    let [sorted, down] = [null, false];

    function head(column) {
        const node = element("th", { scope: "col", class: column.number ? "number" : null, title: column.title });
        if (!column.key) {
            node.append(column.name);
            return node;
        }
        node.append(element("button", { type: "button", class: "sort", click: () => sort(column) }, column.name));
        return node;
    }

    function sort(column) {
        down = sorted === column ? !down : Boolean(column.number);
        sorted = column;
        heads.forEach((node, i) => node.removeAttribute("aria-sort") ??
            (columns[i] === column && node.setAttribute("aria-sort", down ? "descending" : "ascending")));
        fill([...rows].sort((a, b) => compare(column.key(a), column.key(b)) * (down ? -1 : 1)));
    }

    function fill(list) {
        body.replaceChildren(...list.map((row) => element("tr", {}, columns.map((column, i) => {
            const attributes = { class: column.number ? "number" : null };
            return i === 0 ? element("th", { scope: "row", ...attributes }, column.cell(row)) : element("td", attributes, column.cell(row));
        }))));
    }

    fill(rows);
    return element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": caption },
        element("table", {}, element("caption", { class: "unseen" }, caption), element("thead", {}, element("tr", {}, heads)), body));
}

// Unknown values come last in ascending order.
function compare(a, b) {
    if (typeof a === "string" || typeof b === "string") {
        return String(a).localeCompare(String(b));
    }
    return (a ?? Infinity) - (b ?? Infinity) || 0;
}
