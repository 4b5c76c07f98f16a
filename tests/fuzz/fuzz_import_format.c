/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a format file: refused with a message, or a format that can be asked. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>

#include "exchange/formats/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wtl_file_format format;
    struct wattle_error err = {""};
    bool ignored;
    if (wtl_format_parse("f.ini", (const char *)data, size, &format, &err) < 0)
        return err.text[0] ? 0 : (abort(), 0);
    (void)wtl_format_target(&format, "power [W]", &ignored);
    wtl_format_fini(&format);
    return 0;
}
