// SPDX-License-Identifier: BSD-3-Clause
// Touch, wheel and keys on a plot with a time axis. Mouse dragging is handled by the plot itself (time_plot.js).

// at(clientX) is the time there. Two fingers zoom and pan, one moves the cursor; vertical movement scrolls the page.
export function touchGestures(over, view, at) {
    const fingers = new Map();
    let start = null;
    over.addEventListener("pointerdown", (event) => {
        if (event.pointerType !== "touch") {
            return;
        }
        fingers.set(event.pointerId, event.clientX);
        if (fingers.size === 2) {
            start = { times: [...fingers.values()].map(at) };
        }
    });
    over.addEventListener("pointermove", (event) => {
        if (!fingers.has(event.pointerId)) {
            return;
        }
        fingers.set(event.pointerId, event.clientX);
        if (fingers.size === 1) {
            view.point(at(event.clientX));
        } else if (fingers.size === 2 && start) {
            pinch(over, view, [...fingers.values()], start.times);
        }
    });
    for (const end of ["pointerup", "pointercancel"]) {
        over.addEventListener(end, (event) => fingers.delete(event.pointerId));
    }
}

// The times under the fingers stay under them.
function pinch(over, view, xs, times) {
    const { left, width } = over.getBoundingClientRect();
    const apart = xs[1] - xs[0];
    if (Math.abs(apart) < 8) {
        return;
    }
    const scale = (times[1] - times[0]) / apart;
    if (scale > 0) {
        const begin = times[0] - (xs[0] - left) * scale;
        view.set(begin, begin + width * scale);
    }
}

// The wheel scrolls the page, unless the plot has the focus or the control key is held (as in a touchpad pinch).
export function wheelGesture(over, view, at, focused) {
    over.addEventListener("wheel", (event) => {
        if (!event.ctrlKey && !event.metaKey && !focused()) {
            return;
        }
        event.preventDefault();
        if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
            view.pan(Math.sign(event.deltaX) * 0.05);
        } else {
            view.zoom(event.deltaY > 0 ? 1.25 : 0.8, at(event.clientX));
        }
    }, { passive: false });
}

export const KEYS_TEXT = "W and S zoom in and out, A and D move left and right; arrow keys move the cursor, with Shift they pan; + and \u2212 zoom, 0 shows all, Home and End go to the ends; [ and ] select a stretch at the cursor.";

// Apply a key to the view; true if it had an effect. step: smallest move of the cursor in seconds.
export function keyGesture(event, view, step) {
    const move = (by) => view.point((view.cursor ?? (view.begin + view.end) / 2) + by);
    const actions = {
        ArrowLeft: () => (event.shiftKey ? view.pan(-0.1) : move(-step)),
        ArrowRight: () => (event.shiftKey ? view.pan(0.1) : move(step)),
        PageUp: () => view.pan(-0.9),
        PageDown: () => view.pan(0.9),
        Home: () => view.point(view.begin),
        End: () => view.point(view.end),
        "+": () => view.zoom(0.5),
        "=": () => view.zoom(0.5),
        "-": () => view.zoom(2),
        w: () => view.zoom(0.5),
        s: () => view.zoom(2),
        a: () => view.pan(-0.25),
        d: () => view.pan(0.25),
        0: () => view.reset(),
        "[": () => view.selectFrom(view.middle),
        "]": () => view.selectTo(view.middle),
        Escape: () => (view.cursor === null ? view.unselect() : view.point(null)),
    };
    const action = event.ctrlKey || event.metaKey || event.altKey ? null : actions[event.key] ?? actions[event.key.toLowerCase()];
    action?.();
    return Boolean(action);
}

// W A S D wherever the focus is, except in input fields.
export function pageKeys(view) {
    document.addEventListener("keydown", (event) => {
        const types = event.target.closest?.("input, textarea, select, .plot");
        if (!types && !event.defaultPrevented && "wasd".includes(event.key.toLowerCase()) && keyGesture(event, view, 0)) {
            event.preventDefault();
        }
    });
}
