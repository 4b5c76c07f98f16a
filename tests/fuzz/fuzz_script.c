/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a recorded host's script: refused with a message, or rows that can be evaluated. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/world/script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t instants[] = {0, 1, 1500000000, UINT64_C(1) << 62};
    struct wattle_error err = {""};
    struct wtl_script script = {0};
    if (size == 0)
        return 0;
    int rc = wtl_script_parse((const char *)data, size, &script, &err);
    if (rc < 0 && (script.rows || !err.text[0]))
        abort();
    for (size_t first = 0, n = 0; first < script.count; first += n) {
        for (n = 1; first + n < script.count; n++) {
            int order = strcmp(script.rows[first].path, script.rows[first + n].path);
            if (order > 0)
                abort();
            if (order)
                break;
        }
        for (size_t i = 0; i < sizeof instants / sizeof *instants; i++) {
            if (wtl_script_at(script.rows + first, n, instants[i]).kind == WTL_SCRIPT_STALL)
                abort();
        }
    }
    wtl_script_fini(&script);
    return 0;
}
