// SPDX-License-Identifier: BSD-3-Clause
// What the charts of the page show: which metrics, which codes, which zoom. Call changed() after a change; charts then
// redraw.

const MOST_CODES = 6;
const MOST_METRICS = 4;

export class State {
    constructor({ subjects, metrics }) {
        this.metrics = new Set(metrics.slice(0, MOST_METRICS).map(({ index }) => index));
        this.front = 0;
        this.subjects = new Set(subjects.slice(0, MOST_CODES).map(({ index }) => index));
        this.zoom = 1;
        this.listeners = [];
    }

    on(listener) {
        this.listeners.push(listener);
    }

    changed(change = {}) {
        Object.assign(this, change);
        this.listeners.forEach((listener) => listener(this));
    }

    // From the palette. Metrics share a chart, so each has a different colour.
    colour(model) {
        return [0, 1, 2, 3, 6, 5, 4, 7][model.form.index % 8];
    }

    // At least one is shown; its regions are filled.
    toggleMetric(index) {
        this.metrics.delete(index) || this.metrics.add(index);
        if (this.metrics.size === 0) {
            this.metrics.add(index);
        }
        this.changed({ front: this.metrics.has(this.front) ? this.front : Math.min(...this.metrics) });
    }

    toggleSubject(index) {
        this.subjects.delete(index) || this.subjects.add(index);
        if (this.subjects.size === 0) {
            this.subjects.add(index);
        }
        this.changed();
    }

    // [t low, t high, E low, E high]: the range for which the document has shapes, or a part of it with the code closer
    // to the centre.
    window(subject) {
        const { theta, shapes } = subject.models[this.front];
        const part = ([low, high], at) => {
            const span = (high - low) / this.zoom;
            const place = 0.5 + ((at - low) / (high - low) - 0.5) / this.zoom;
            return [at - place * span, at + (1 - place) * span];
        };
        return [...part(shapes.window.slice(0, 2), theta.t_s), ...part(shapes.window.slice(2), theta.e_j)];
    }
}
