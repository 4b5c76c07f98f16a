// SPDX-License-Identifier: BSD-3-Clause
// Buttons, one of which is pressed.
import { element } from "./element.js";

// options: [text, value]; change(value) is called after one has been pressed
export function choice(name, options, chosen, change) {
    return element("span", { class: "choice", role: "group", "aria-label": name }, options.map(([label, value]) => {
        const button = element("button", { type: "button", "aria-pressed": String(value === chosen), "data-choice": label }, label);
        button.addEventListener("click", () => {
            for (const other of button.parentNode.children) {
                other.setAttribute("aria-pressed", String(other === button));
            }
            change(value);
        });
        return button;
    }));
}
