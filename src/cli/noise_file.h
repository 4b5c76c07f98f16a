/* SPDX-License-Identifier: BSD-3-Clause */
/* Noise file: how much runs differ on this machine, as an earlier comparison measured it. */
#ifndef WTL_CLI_NOISE_FILE_H
#define WTL_CLI_NOISE_FILE_H

#include <wattle/error.h>

#include "analysis/comparison.h"

/*
 * Read the noise of time, energy, power and energy x time from a JSON document of "wattle compare"
 * (of the runs of both sides) or "wattle ab" (of A against A). A quantity that it does not know is {NAN, NAN}. *ret_host
 * is the node it was measured on, malloc'ed, NULL = unknown. 0; -EINVAL: no such document, or one
 * whose sides had fewer than five runs; -ENOMEM; errno of open(2).
 */
int wtl_noise_file_read(const char *path,
                        struct wtl_noise ret_noise[4],
                        char **ret_host,
                        struct wattle_error *err);

#endif
