// SPDX-License-Identifier: BSD-3-Clause
// Common parts of all pages: links, printing, the marker that drawing is done, the message if it fails.
import { element } from "./element.js";
import { onPrint, themeButton } from "./theme.js";
import { hideTip, tooltipParts } from "./tooltip.js";

const root = document.documentElement;

function links(sections) {
    return element("nav", { "aria-label": "Sections", class: "controls" }, sections.map((section) => {
        const head = section.querySelector("h2");
        return head ? element("a", { href: `#${section.id}` }, head.textContent) : null;
    }), themeButton());
}

// Open everything for printing.
function prepareToPrint() {
    let closed = [];
    onPrint(() => {
        hideTip();
        closed = [...document.querySelectorAll("details:not([open])")];
        closed.forEach((node) => (node.open = true));
    }, () => closed.forEach((node) => (node.open = false)));
}

// After the browser has painted: docs/dev/web.md, Speed.
function markDrawn() {
    requestAnimationFrame(() => setTimeout(() => {
        performance.mark("wattle-drawn");
        root.dataset.drawn = performance.now().toFixed(1);
    }));
}

// The first section needs no link.
function put(header, sections, schema, embeds) {
    document.getElementById("page").append(
        element("a", { class: "skip", href: "#main" }, "Skip to the result"),
        header, links(sections.slice(1)), element("main", { id: "main", tabindex: "-1" }, sections), ...tooltipParts(),
        element("footer", {}, element("p", { class: "embeds" }, embeds ?? ""),
            element("p", {}, `Made by wattle. All data of this page are in it as JSON, schema ${schema}.`)));
}

// command: "wattle report"; build(): { header, sections, schema }
export function showPage(command, build) {
    try {
        const { header, sections, schema, embeds } = build();
        put(header, sections, schema, embeds);
        prepareToPrint();
        markDrawn();
    } catch (error) {
        root.dataset.failed = String(error);
        document.getElementById("page").replaceChildren(element("main", {}, element("h1", {}, command),
            element("p", { role: "alert" }, `The data in this page cannot be shown: ${error.message}. Write the page again with \u201c${command}\u201d.`)));
        throw error;
    }
}
