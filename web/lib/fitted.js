// SPDX-License-Identifier: BSD-3-Clause
// An SVG figure as wide as its container, redrawn when the width of the container changes.
import { element } from "./element.js";

// draw(width in pixels): the svg, at most `most` wide
export function fitted(draw, most, attributes) {
    const node = element("div", { class: "fitted", ...attributes });
    let drawn = 0;
    new ResizeObserver(() => {
        const width = Math.min(most, node.clientWidth);
        if (width > 0 && width !== drawn) {
            drawn = width;
            node.replaceChildren(draw(width));
        }
    }).observe(node);
    return node;
}
