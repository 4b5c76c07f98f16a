// SPDX-License-Identifier: BSD-3-Clause
// The only requests that a page makes: of `wattle report --serve`, to the server that it came from.
const AT_ONCE = 4;

// load(level, index): a promise of the bytes of a tile; the last asked for first, since that is what is shown.
export function tileLoader() {
    const waiting = [];
    let open = 0;
    const next = async () => {
        const job = waiting.pop();
        if (!job || open >= AT_ONCE) {
            return job && waiting.push(job);
        }
        open++;
        try {
            const answer = await fetch(`tile/${job.level}/${job.index}`, { cache: "no-store", credentials: "omit" });
            if (!answer.ok) {
                throw new Error(`the server answered ${answer.status}`);
            }
            job.resolve(new Uint8Array(await answer.arrayBuffer()));
        } catch (error) {
            job.reject(error);
        }
        open--;
        return next();
    };
    return (level, index) => new Promise((resolve, reject) => {
        waiting.push({ level, index, resolve, reject });
        next();
    });
}

// The energy of a stretch from the samples of the trace: { channels: [{ channel, energy_j, resolution_interval_j,
// unknown_s }], total }.
export async function servedEnergy(begin_s, end_s) {
    const answer = await fetch(`energy/${begin_s.toFixed(9)}/${end_s.toFixed(9)}`, { cache: "no-store", credentials: "omit" });
    if (!answer.ok) {
        throw new Error(`the server answered ${answer.status}`);
    }
    return answer.json();
}
