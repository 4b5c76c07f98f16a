/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frequency and power of a part of a program: lower the frequency around a loop that waits for memory, and
 * have the old settings back after it, also if the program crashes there. Part of libwattle-control, which
 * does not need libwattle.
 *
 *     struct wattle_control *control;
 *     if (wattle_control_open(&control, &err) < 0)
 *         ... err.text says why: mostly that only root may change the frequency ...
 *     struct wattle_hold *hold;
 *     if (wattle_control_set(control, "freq=1.6GHz", &hold, &err) == 0) {
 *         ... memory-bound loop ...
 *         wattle_control_restore(hold, &err);
 *     }
 *     wattle_control_close(control);
 *
 * Only knobs of the CPUs that the calling process may run on are changed; if one also governs other CPUs, the
 * call is refused. Settings belong to the machine, not to a thread: one hold per process and knob.
 *
 * Thread rule: one thread at a time per wattle_control. A guard process is forked by wattle_control_set();
 * open and set before MPI_Init() where the MPI library forbids fork().
 */
#ifndef WATTLE_CONTROL_H
#define WATTLE_CONTROL_H

#include <stddef.h>

#include <wattle/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct wattle_control;
struct wattle_hold;

/* Open control of the CPUs that this process may run on. 0; -ENODEV: no knobs on this machine; -EACCES: there
 * are, but this user may not change them. Since 0.1. */
int wattle_control_open(struct wattle_control **ret_control, struct wattle_error *err);

/* Restore what is still held, and free. Accepts NULL. Since 0.1. */
void wattle_control_close(struct wattle_control *control);

/*
 * Change settings: words NAME=VALUE separated by blanks, named as the options of "wattle hold": freq, governor,
 * epp, turbo, power-limit, uncore. Returns 0 and *ret_hold; on failure nothing has changed: -EINVAL: not
 * offered, or out of the allowed range; -EACCES; -EBUSY: held by another process, or already by this one;
 * -EPERM: it also affects CPUs of others; -EIO: the machine ignored the value. Since 0.1.
 */
int wattle_control_set(struct wattle_control *control,
                       const char *settings,
                       struct wattle_hold **ret_hold,
                       struct wattle_error *err);

/* Restore the settings from before, and free. A setting that others have changed in the meantime is kept:
 * -ESTALE, with its name. -EIO: something could not be restored; "wattle restore" does it later. Accepts
 * NULL. Since 0.1. */
int wattle_control_restore(struct wattle_hold *hold, struct wattle_error *err);

/* Lowest and highest frequency that may be set on these CPUs [Hz]. 0, or -ENODEV. Since 0.1. */
int wattle_control_range(const struct wattle_control *control,
                         double *ret_low_hz,
                         double *ret_high_hz,
                         struct wattle_error *err);

#ifdef __cplusplus
}
#endif
#endif
