/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The energy of this node as wattled's page has it: what the plugins that Slurm loads read. Each call is
 * bounded and safe from any thread: 0.5 s while wattled hangs, of which the other plugins and steps of the node
 * then know for 3 s; 1 s more while a sensor does; 4 s once where slurm_wattled_wait() is called.
 */
#ifndef WTL_SLURM_NODE_ENERGY_H
#define WTL_SLURM_NODE_ENERGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SLURM_WHY = 320 }; /* size of the sentences that explain a failure */

struct slurm_node_energy {
    double energy_j;     /* sum over the channels of the total, since boot */
    double power_w;      /* NaN = unknown */
    uint64_t unknown_ns; /* time that energy_j leaves out, summed over the channels */
    uint64_t identity;   /* energies have a difference only if these are equal */
};

/*
 * Read the page now. wattled samples at once for a reader that connects; this waits for that sample. 0;
 * -ENOENT, -ECONNREFUSED: no wattled; -ENODEV: nothing is measured; -ENODATA: there is only an estimate,
 * and `estimates` is false; -EIO: a sensor cannot be read; -ETIMEDOUT; others. why[SLURM_WHY] then has one
 * sentence.
 */
int slurm_node_energy_read(bool estimates, struct slurm_node_energy *ret_energy, char *why);

/* One request to wattled, root's (docs/format/page.md). The reply, terminated, in reply[n]. 0 if it begins
 * with "ok"; -ECANCELED if wattled refuses; else -errno. Bounded as above. */
int slurm_wattled_ask(const char *request, char *reply, size_t n);

/*
 * The same for an answer without which a number is lost: it waits until then (CLOCK_MONOTONIC), also where others have just waited 0.5 s in
 * vain, since wattled may only be late on a busy node. If it did not answer, no other step of the node waits for 7 s.
 */
int slurm_wattled_wait(const char *request, char *reply, size_t n, uint64_t until_ns);
uint64_t slurm_wattled_until(void); /* 4 s from now: for all requests that belong together */

/* Wait a moment before asking again; false: it is too late for that. */
bool slurm_wattled_may_wait(uint64_t until_ns);

/* Does it accept connections and answer nothing? */
bool slurm_wattled_hangs(void);

#endif
