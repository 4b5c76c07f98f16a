// SPDX-License-Identifier: BSD-3-Clause
// The part of the time that all charts of a page show, and the instant under the cursor. Charts subscribe and draw;
// gestures, keys and buttons change it.
import { instant } from "./times.js";

export class View {
    // begin and end of all data; seconds
    constructor(begin, end) {
        const room = end > begin ? 0 : Math.max(0.5, Math.abs(end) * 1e-3);
        this.first = begin - room;
        this.last = end + room;
        this.begin = this.first;
        this.end = this.last;
        this.cursor = null;
        this.stretch = null; // { begin, end }, selected
        this.selecting = false; // dragging selects instead of zooming
        this.finest = 0; // the shortest time that may be shown; 0: what 32-bit floats can tell apart
        this.listeners = { window: [], cursor: [], stretch: [], mode: [] };
    }

    // what: "window", "cursor", "stretch" or "mode"
    on(what, listener) {
        this.listeners[what].push(listener);
    }

    tell(what) {
        for (const listener of this.listeners[what]) {
            listener(this);
        }
    }

    // A time as text, as exactly as the view tells times apart.
    instant(time) {
        return instant(time, (this.end - this.begin) / 2000, Math.max(Math.abs(this.first), Math.abs(this.last)));
    }

    get whole() {
        return this.begin === this.first && this.end === this.last;
    }

    set(begin, end) {
        const all = this.last - this.first;
        // Times are 32-bit floats: smaller differences are lost.
        const least = this.finest || Math.max(all * 1e-6, Math.max(Math.abs(this.first), Math.abs(this.last)) * 2e-7, 1e-6);
        const length = Math.min(Math.max(end - begin, least), all);
        const from = Math.min(Math.max((begin + end - length) / 2, this.first), this.last - length);
        const [was, wasEnd] = [this.begin, this.end];
        this.begin = length === all ? this.first : from;
        this.end = length === all ? this.last : from + length;
        if (this.begin !== was || this.end !== wasEnd) {
            this.tell("window");
        }
    }

    // factor < 1 zooms in; `around` stays in place
    zoom(factor, around = this.middle) {
        this.set(around - (around - this.begin) * factor, around + (this.end - around) * factor);
    }

    // by a fraction of what is shown
    pan(part) {
        const by = (this.end - this.begin) * part;
        const inside = Math.min(Math.max(by, this.first - this.begin), this.last - this.end);
        this.set(this.begin + inside, this.end + inside);
    }

    reset() {
        this.set(this.first, this.last);
    }

    get middle() {
        const inside = this.cursor !== null && this.cursor >= this.begin && this.cursor <= this.end;
        return inside ? this.cursor : (this.begin + this.end) / 2;
    }

    select(begin, end) {
        const [from, to] = [Math.max(Math.min(begin, end), this.first), Math.min(Math.max(begin, end), this.last)];
        this.stretch = to > from ? { begin: from, end: to } : null;
        this.tell("stretch");
    }

    unselect() {
        this.select(0, 0);
    }

    // The begin or the end of the stretch; the other one is kept, or is that of what is shown.
    selectFrom(begin) {
        this.select(begin, this.stretch && this.stretch.end > begin ? this.stretch.end : this.end);
    }

    selectTo(end) {
        this.select(this.stretch && this.stretch.begin < end ? this.stretch.begin : this.begin, end);
    }

    setSelecting(on) {
        this.selecting = on;
        this.tell("mode");
    }

    // null: no cursor
    point(time) {
        this.cursor = time === null ? null : Math.min(Math.max(time, this.begin), this.end);
        this.tell("cursor");
    }
}
