// SPDX-License-Identifier: BSD-3-Clause
// The tooltip at the cursor, and its text for screen readers.
import { element } from "./element.js";

const tip = element("div", { id: "tooltip", "aria-hidden": "true", hidden: true });
const spoken = element("div", { id: "spoken", role: "status", class: "unseen" });
let timer = 0;

export function tooltipParts() {
    return [tip, spoken];
}

// Next to x, y of the window, in CSS pixels, on the side where there is room.
export function showTip(x, y, nodes) {
    tip.replaceChildren(...nodes);
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    const room = document.documentElement.clientWidth;
    const left = x + 14 + width < room ? x + 14 : Math.max(4, x - 14 - width);
    const top = Math.min(Math.max(4, y + 10), Math.max(4, innerHeight - height - 4));
    tip.style.left = `${left}px`;
    tip.style.top = `${top}px`;
}

export function hideTip() {
    tip.hidden = true;
}

// Only after the last of several keys.
export function speak(text) {
    clearTimeout(timer);
    timer = setTimeout(() => (spoken.textContent = text), 250);
}
