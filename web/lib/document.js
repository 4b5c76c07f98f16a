// SPDX-License-Identifier: BSD-3-Clause
// The document embedded in a page, with its texts sanitised.

// Invisible characters, and those that change the direction of their surroundings: a name with them could look like
// another.
const HIDDEN = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

function clean(value) {
    if (typeof value === "string") {
        return value.length < 65536 ? value.replace(HIDDEN, "\ufffd") : value;
    }
    if (Array.isArray(value)) {
        return value.map(clean);
    }
    return value && typeof value === "object" ? Object.fromEntries(Object.entries(value).map(([key, item]) => [clean(key), clean(item)])) : value;
}

// From the element with that id; throws an error message if the schema differs.
export function documentOf(id, schema) {
    const found = clean(JSON.parse(document.getElementById(id).textContent));
    if (found.schema !== schema) {
        throw new Error(`its schema is ${found.schema}, and this page knows ${schema}`);
    }
    return found;
}
