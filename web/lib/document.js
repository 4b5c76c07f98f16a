// SPDX-License-Identifier: BSD-3-Clause
// The document that stands in a page, its texts made harmless to the eye.

// Characters that turn the direction of what stands beside them, or do not show: a name with them could pose as another.
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

// Of the element with that id; throws a sentence when it is of another schema.
export function documentOf(id, schema) {
    const found = clean(JSON.parse(document.getElementById(id).textContent));
    if (found.schema !== schema) {
        throw new Error(`its schema is ${found.schema}, and this page knows ${schema}`);
    }
    return found;
}
