// SPDX-License-Identifier: BSD-3-Clause
// A figure in SVG as wide as its place, drawn again when the place changes.
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
