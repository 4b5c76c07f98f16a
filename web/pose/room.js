// SPDX-License-Identifier: BSD-3-Clause
// Where in a polygon a text has the most room.

const LETTER = 6.7; // average width of a letter in pixels, at 12 px
const HIGH = 17;
const STEPS = 28;

function distance([px, py], [ax, ay], [bx, by]) {
    const [dx, dy] = [bx - ax, by - ay];
    const length = dx * dx + dy * dy;
    const part = length > 0 ? Math.min(1, Math.max(0, ((px - ax) * dx + (py - ay) * dy) / length)) : 0;
    return Math.hypot(px - ax - part * dx, py - ay - part * dy);
}

function inside(polygon, [px, py]) {
    let hit = false;
    for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
        const [[xi, yi], [xj, yj]] = [polygon[i], polygon[j]];
        if (yi > py !== yj > py && px < ((xj - xi) * (py - yi)) / (yj - yi) + xi) {
            hit = !hit;
        }
    }
    return hit;
}

// How much room the text has there; 0: it does not fit. Its box must be inside and contain no obstacle; sizes are half
// sizes.
function freedom(polygon, obstacles, at, wide, high) {
    const corners = [-1, -0.5, 0, 0.5, 1].flatMap((part) => [[at[0] + part * wide, at[1] - high], [at[0] + part * wide, at[1] + high]]);
    if (!corners.every((corner) => inside(polygon, corner)) || obstacles.some(([x, y]) => Math.abs(x - at[0]) < wide + 8 && Math.abs(y - at[1]) < high + 8)) {
        return 0;
    }
    const scale = ([x, y]) => [x / wide, y / high];
    const here = scale(at);
    let least = Infinity;
    for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
        least = Math.min(least, distance(here, scale(polygon[j]), scale(polygon[i])));
    }
    return Math.min(least, ...obstacles.map(scale).map(([x, y]) => Math.hypot(here[0] - x, here[1] - y) - 0.2));
}

// The first of the texts that fits: { text, at: [x, y] of its centre }; null: not even the last.
export function roomFor(polygon, obstacles, texts, box) {
    const xs = polygon.map(([x]) => Math.min(Math.max(x, box.left), box.right));
    const ys = polygon.map(([, y]) => Math.min(Math.max(y, box.top), box.bottom));
    const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const visible = polygon.map((_, i) => [xs[i], ys[i]]);
    for (const text of texts) {
        const [wide, high] = [(text.length * LETTER) / 2 + 2, HIGH / 2];
        let best = { free: 0, at: null };
        for (let i = 0; i < STEPS * STEPS; i++) {
            const at = [x0 + (((i % STEPS) + 0.5) * (x1 - x0)) / STEPS, y0 + ((Math.floor(i / STEPS) + 0.5) * (y1 - y0)) / STEPS];
            if (inside(visible, at)) {
                const free = freedom(visible, obstacles, at, wide, high);
                best = free > best.free ? { free, at } : best;
            }
        }
        if (best.at) {
            return { text, at: best.at };
        }
    }
    return null;
}

// The position along a line, from one end to the other, where a text of that many pixels is farthest from the
// obstacles: its centre; null if it would cover one. Obstacles are everything within 6 pixels of the line's ends, and
// below `lowest`.
export function roomAlong([x0, y0], [x1, y1], wide, obstacles, lowest) {
    const length = Math.hypot(x1 - x0, y1 - y0);
    const half = Math.min(0.5, (wide / 2 + 6) / length);
    let best = { free: -1, at: [x1, y1] };
    for (let i = 0; i <= STEPS; i++) {
        const part = 1 - half - ((1 - 2 * half) * i) / STEPS;
        const at = [x0 + part * (x1 - x0), y0 + part * (y1 - y0)];
        const free = Math.min(wide, ...obstacles.map(([x, y]) => Math.hypot(x - at[0], y - at[1])));
        best = at[1] <= lowest && free > best.free + 1 ? { free, at } : best;
    }
    return best.free >= wide / 2 + 6 ? best.at : null;
}
