// SPDX-License-Identifier: BSD-3-Clause
// The pages' computations, without a browser: numbers as text, columns of pixels, the view, the stack.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { linearTicks } from "../../web/lib/axes.js";
import * as format from "../../web/lib/digits.js";
import { fit } from "../../web/lib/fit.js";
import { bounded, columns, indexAt, stretchAt, unpack } from "../../web/lib/stretches.js";
import { clock } from "../../web/lib/times.js";
import { View } from "../../web/lib/view.js";
import { layers, lines, stack } from "../../web/lib/power_lines.js";
import { is, main, ok, test } from "./harness.js";
import { pack } from "./samples.js";

const number = (text) => text.split("*").map((part) => (part.trim() === "NAN" ? NaN : Number(part))).reduce((a, b) => a * b);
const plain = (text) => text.replace("\u00b1", "+-").replace("\u00b5", "u");

test("numbers are written as the program writes them: the rows of test_digits.c", () => {
    const source = readFileSync(join(process.env.SRC, "tests/unit/report/test_digits.c"), "utf8");
    const names = { interval: "interval", range: "range", short: "short", si: "si", product: "product", time: "duration", bytes: "bytes", value: "digits" };
    const calls = [...source.matchAll(/wtl_digits_(\w+)\(buf, sizeof buf, ([^[\]()]+)\),\s*"([^"]*)"/g)].map(([, name, args, want]) => [names[name], args.split(","), want])
        .filter(([name]) => name); // the page has no others
    for (const [, args, want] of source.matchAll(/\{__LINE__, ([^"{}]+), "([^"]*)"\}/g)) {
        const list = args.split(",");
        calls.push([list.length === 2 ? "interval" : "duration", list, want]);
    }
    ok(calls.length > 45, `only ${calls.length} rows were found`);
    for (const [name, args, want] of calls) {
        is(plain(format[name](...args.map(number))), want, `${name}(${args})`);
    }
});

test("a label that is cut keeps its number", () => {
    const context = { measureText: (text) => ({ width: [...text].length }) };
    const cut = (text) => fit(context, text, 10);
    is(["power-0", "power_average-0", "power_average-12", "module_power", ""].map(cut),
        ["power-0", "power_a\u2026-0", "power_\u2026-12", "module_po\u2026", ""], "labels of ten letters");
    is(fit(context, "power-123", 3), "", "no room");
});

test("a tie goes to the even digit, as in C", () => {
    is([0.5, 1.5, 2.5, -2.5, 0.125, 0.375, 2.675].map((x) => format.digits(x, x === Math.round(x * 2) / 2 ? 10 : 0.1)),
        ["0", "2", "2", "-2", "0.12", "0.38", "2.67"], "ties");
});

const time = { begin: new Float32Array([0, 1, 2, 3, 10]), end_s: 11 };
const series = { time, min: [1, 2, NaN, 0, 5], mean: [2, 4, NaN, 10, 6], max: [3, 90, NaN, 20, 7] };

test("bounded: a gauge may be off by half of its steps all the time", () => {
    const gauge = { time: { begin: new Float32Array([0, 1, 2]), end_s: 3 }, stretch_s: null, min: [100, 100, NaN], mean: [100, 100, NaN], max: [100, 100, NaN] };
    is(bounded(gauge, 0, 2), { sum: 200, low: 200, high: 200, known_s: 2 }, "without steps");
    is(bounded({ ...gauge, off_w: 12.5 }, 0, 3), { sum: 200, low: 175, high: 225, known_s: 2 }, "in steps of 25 W, of the known time");
    is(bounded({ ...gauge, off_w: 120 }, 0, 1), { sum: 100, low: 0, high: 220, known_s: 1 }, "not below 0");
});

test("columns: means by time, extremes of all that touches, nothing where nothing is known", () => {
    is(columns(series, 0, 2, 1), { min: [1], mean: [3], max: [90] }, "two stretches in one");
    is(columns(series, 1.5, 2.5, 2), { min: [2, null], mean: [4, null], max: [90, null] }, "beside what is unknown");
    is(columns(series, 2, 4, 1), { min: [0], mean: [10], max: [20] }, "half of it unknown");
    is(columns(series, 4, 8, 4).mean, [10, 10, 10, 10], "finer than the stretches");
    is(columns(series, -5, 0, 5).mean, [null, null, null, null, null], "before all");
    is(columns(series, 12, 20, 2).mean, [null, null], "after all");
    is(columns({ time: { begin: new Float32Array([7]), end_s: 7 }, min: [1], mean: [1], max: [1] }, 6, 8, 4).mean, [null, null, 1, null], "a single sample");
    const max = columns(series, 0, 11, 1000).max;
    ok(max.filter((x) => x === 90).length >= 90, "the spike is narrower than its stretch");
});

test("the stretch at an instant", () => {
    is([-1, 0, 0.5, 3, 9.9, 10, 11, 11.1].map((t) => stretchAt(series, t)?.mean ?? null), [null, 2, 2, 10, 10, 6, 6, null], "means");
    is(stretchAt(series, 2.5), null, "unknown");
    is(stretchAt(series, 10.5), { begin: 10, end: 11, min: 5, mean: 6, max: 7 }, "the last");
    is(indexAt(new Float32Array([]), 1), -1, "none");
    is([...unpack(pack([1.5, -2, 1e9]))], [1.5, -2, 1e9], "unpacked");
    ok(Number.isNaN(unpack(pack([NaN]))[0]), "NaN is unknown");
});

test("the view zooms around what is pointed at, stays inside, and shows all again", () => {
    const view = new View(0, 100);
    let told = 0;
    view.on("window", () => told++);
    view.zoom(0.5, 20);
    is([view.begin, view.end], [10, 60], "zoomed");
    view.pan(-1);
    is([view.begin, view.end], [0, 50], "not beyond the first");
    view.pan(5);
    is([view.begin, view.end], [50, 100], "not beyond the last");
    view.pan(5);
    is(told, 3, "told without a change");
    view.zoom(1e9);
    ok(view.whole, "more than all");
    view.set(5, 5);
    ok(view.end > view.begin, "nothing");
    const point = new View(3, 3);
    ok(point.begin < 3 && point.end > 3, "an instant has room around it");
});

const item = (index, name, level, facts) => ({ index, channel: name, time: { begin: new Float32Array([0]), end_s: 1 }, min: [level], mean: [level], max: [level], facts });

test("the stack adds up no joule twice", () => {
    const node = item(0, "a:node-0", 100, { in_total: true, within: null, primary: true });
    const inner = [item(1, "b:package-0", 60, { within: "a:node-0", primary: true }), item(2, "b:dram-0", 10, { within: "a:node-0", primary: true })];
    const deep = item(3, "b:core-0", 40, { within: "b:package-0", primary: true });
    const one = layers([node, ...inner, deep]);
    is(one.items.map((x) => x.index), [1, 2], "what the node contains, and not what that contains");
    is(stack(one).data(0, 1, 1).slice(1), [[60], [70], [100]], "on top of each other, up to the node");
    const two = layers([{ ...inner[0], facts: { in_total: true } }, { ...inner[1], facts: { in_total: true } }, deep]);
    is([two.items.length, two.rest], [2, null], "the channels of the total");
    is(lines([node]).data(0, 1, 1).slice(1), [[100], [100], [100]], "greatest, least, mean");
});

test("ticks are multiples of 1, 2 or 5, and lie inside", () => {
    const texts = (ends, count) => {
        const { values, text } = linearTicks(ends, count);
        return values.map(text);
    };
    is(texts([0, 100], 4), ["0", "20", "40", "60", "80", "100"], "to a hundred");
    is(texts([79.25, 80.75], 3), ["79.5", "80.0", "80.5"], "with a decimal");
    is(texts([-0.001, 0.0011], 2), ["\u22120.001", "0.000", "0.001"], "below 0");
    is(texts([9000, 21000], 3), ["10\u2009000", "15\u2009000", "20\u2009000"], "thousands");
    is(texts([5, 5], 3), ["5"].slice(0, texts([5, 5], 3).length), "no span: nothing wrong");
});

test("times on the axis", () => {
    is([clock(3599.25, 0.25, 3600), clock(61, 1, 200), clock(1.5, 0.5, 10), clock(-4, 1, 3600), clock(-0.004, 0.01, 10), clock(-0.4, 1, 3600)], ["0:59:59.3", "1:01", "1.5", "-0:00:04", "0.00", "0:00:00"], "texts");
});

await main();
