/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of serial meters: any bytes, as a text. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sensors/meters/meter_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wtl_meter_line line;
    uint64_t tenths;
    char *text = malloc(size + 8);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (wtl_meter_line_parse(text, &line) == 0 &&
        (line.count > WTL_METER_VALUES || strlen(line.name) >= sizeof line.name))
        abort();
    (void)wtl_wattsup_parse(text, &tenths);
    /* The same with a checksum that is right, or no input would get further. */
    size_t n = strlen(text);
    if (n > 0) {
        uint16_t crc = wtl_meter_crc(text + 1, n - 1);
        text[0] = '$';
        text[n] = '*';
        for (int i = 0; i < 4; i++)
            text[n + 1 + (size_t)i] = "0123456789ABCDEF"[crc >> (12 - 4 * i) & 15];
        text[n + 5] = '\0';
        if (wtl_meter_line_parse(text, &line) == 0 && line.kind == WTL_METER_DATA &&
            (line.count < 1 || line.count > WTL_METER_VALUES))
            abort();
    }
    free(text);
    return 0;
}
