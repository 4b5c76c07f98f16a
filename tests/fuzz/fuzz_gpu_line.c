/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of wattle-gpu: any bytes, as a text. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sensors/gpu/gpu_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wtl_gpu_line line;
    const struct wtl_gpu_asked asked = {1000, 2000};
    struct wattle_reading readings[4];
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    for (size_t n = 1; n <= 4; n++) {
        if (wtl_gpu_values_parse(text, n, asked, readings) < 0)
            continue;
        for (size_t i = 0; i < n; i++) {
            if (readings[i].status > 0 || readings[i].time_ns < asked.from_ns ||
                readings[i].time_ns > asked.to_ns || (readings[i].status < 0 && readings[i].raw))
                abort();
        }
    }
    int rc = wtl_gpu_line_parse(text, &line);
    if (rc == 0 && line.kind == WTL_GPU_LINE_CHANNEL &&
        (!(line.channel.scale > 0) || line.of_device < 0 || line.channel.name[0] == '\0' ||
         line.channel.kind >= WATTLE_KIND_COUNT || line.channel.domain >= WATTLE_DOMAIN_COUNT))
        abort();
    if (rc == 0 && (line.kind == WTL_GPU_LINE_NOTE || line.kind == WTL_GPU_LINE_FAILURE)) {
        for (const char *at = line.text; *at; at++) {
            if (*at < ' ' || *at > '~')
                abort();
        }
    }
    if (rc == 0 && line.kind == WTL_GPU_LINE_PROCESS &&
        (line.number <= 0 || line.used < 0 || line.used > 1))
        abort();
    free(text);
    return 0;
}
