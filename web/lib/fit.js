// SPDX-License-Identifier: BSD-3-Clause
// The text, truncated to a width in canvas pixels; its number at the end stays, since it tells channels apart.
export function fit(context, text, room) {
    if (context.measureText(text).width <= room) {
        return text;
    }
    const end = `\u2026${text.match(/-\d+$/)?.[0] ?? ""}`;
    const letters = [...text];
    while (letters.length > 0 && context.measureText(letters.join("") + end).width > room) {
        letters.pop();
    }
    return letters.length > 0 ? letters.join("") + end : "";
}
