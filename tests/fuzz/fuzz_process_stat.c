/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as /proc/PID/stat or status: refused, or a process whose name is terminated and whose times are
 * plausible. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "account/process_stat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    struct wtl_process_stat stat;
    memset(&stat, 0xA5, sizeof stat);
    if (wtl_process_stat_parse(text, &stat) == 0 &&
        (stat.pid <= 0 || !memchr(stat.name, '\0', sizeof stat.name) || !stat.state))
        abort();
    (void)wtl_process_status_uid(text);
    char cpus[16];
    memset(cpus, 0xA5, sizeof cpus);
    if (wtl_process_status_cpus(text, cpus, sizeof cpus) && !memchr(cpus, '\0', sizeof cpus))
        abort();
    free(text);
    return 0;
}
