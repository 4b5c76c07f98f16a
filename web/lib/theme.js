// SPDX-License-Identifier: BSD-3-Clause
// Light or dark: the reader's system setting, or the button's. Paper is always light.
import { element } from "./element.js";

const CHOICES = ["auto", "light", "dark"];
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners = [];
const root = document.documentElement;

export function onTheme(listener) {
    listeners.push(listener);
}

function tell() {
    for (const listener of listeners) {
        listener();
    }
}

function choose(choice) {
    if (choice === "auto") {
        delete root.dataset.theme;
    } else {
        root.dataset.theme = choice;
    }
    tell();
}

export function themeButton() {
    let at = 0;
    const label = () => `Colours: ${CHOICES[at]}`;
    const button = element("button", { type: "button", id: "theme", title: "Change between automatic, light and dark" }, label());
    button.addEventListener("click", () => {
        at = (at + 1) % CHOICES.length;
        choose(CHOICES[at]);
        button.textContent = label();
    });
    return button;
}

system.addEventListener("change", tell);

export const isPrinting = () => root.dataset.printing !== undefined;

// What a page does before printing, and undoes afterwards; light in between.
export function onPrint(before, after) {
    let chosen;
    addEventListener("beforeprint", () => {
        chosen = root.dataset.theme;
        root.dataset.theme = "light";
        root.dataset.printing = "";
        before();
        tell();
    });
    addEventListener("afterprint", () => {
        delete root.dataset.printing;
        choose(chosen ?? "auto");
        after();
    });
}
