// SPDX-License-Identifier: BSD-3-Clause
// The interactive parts of a chart: with the mouse, a finger, the keyboard, or read aloud. The chart is one tab stop;
// arrow keys move from part to part.
import { hideTip, showTip } from "../lib/tooltip.js";

let touched = false;
addEventListener("scroll", () => touched && hideTip(), { passive: true });

export class Items {
    constructor(root) {
        this.root = root;
        this.list = [];
        root.addEventListener("keydown", (event) => this.key(event));
    }

    clear() {
        this.at = this.list.findIndex(({ node }) => node === document.activeElement);
        this.list = [];
    }

    // label: read aloud; tip(event): nodes, event null for the keyboard; place: () => [x, y] in the chart's pixels
    add(node, { label, tip, place }) {
        const first = this.list.length === 0;
        for (const [name, text] of Object.entries({ tabindex: first ? "0" : "-1", role: "img", "aria-label": label })) {
            node.setAttribute(name, text);
        }
        node.classList.add("item");
        const follow = (event) => {
            touched = event.pointerType === "touch";
            showTip(event.clientX, event.clientY, tip(event));
        };
        node.addEventListener("pointerenter", follow);
        node.addEventListener("pointermove", follow);
        // Lifting a finger also sends pointerleave; the touched item then has the focus and shows its values until it
        // loses it.
        node.addEventListener("pointerleave", (event) => event.pointerType === "touch" || hideTip());
        node.addEventListener("focus", () => {
            this.list.forEach((other) => other.node.setAttribute("tabindex", other.node === node ? "0" : "-1"));
            if (node.matches(":focus-visible")) {
                const box = this.root.getBoundingClientRect();
                const [x, y] = place();
                showTip(box.left + x, box.top + y, tip(null));
            }
        });
        node.addEventListener("blur", hideTip);
        this.list.push({ node });
        return node;
    }

    // After all items were added again: keep the focus.
    restore() {
        if (this.at >= 0) {
            this.list[Math.min(this.at, this.list.length - 1)]?.node.focus({ preventScroll: true });
        }
    }

    key(event) {
        const at = this.list.findIndex(({ node }) => node === event.target);
        const last = this.list.length - 1;
        const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: last }[event.key];
        if (event.key === "Escape") {
            hideTip();
        }
        if (at < 0 || to === undefined || event.ctrlKey || event.metaKey || event.altKey) {
            return;
        }
        event.preventDefault();
        this.list[(to + last + 1) % (last + 1)].node.focus();
    }
}
