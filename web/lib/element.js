// SPDX-License-Identifier: BSD-3-Clause
// Elements of a page. Text is inserted only as text nodes: names from a trace are untrusted.

function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (value === undefined || value === null || value === false) {
            continue;
        }
        if (typeof value === "function") {
            node.addEventListener(name, value);
        } else {
            node.setAttribute(name, value === true ? "" : value);
        }
    }
    node.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== ""));
    return node;
}

// element("a", { href: "#x", click: listener }, "text", other). A function is a listener; null, undefined and false are
// skipped.
export function element(tag, attributes = {}, ...children) {
    return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
    return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

// A number with its text: programs read the value, people the text. Unknown numbers have no value.
export function number(value, text, attributes = {}) {
    return element("data", { value: value === null || Number.isNaN(value) ? "" : String(value), ...attributes }, text);
}
