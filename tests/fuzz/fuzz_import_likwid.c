/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as likwid's output: refused with a message, or read twice with the same values. */
#define _GNU_SOURCE
#include "import_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return import_fuzz("likwid", NULL, data, size);
}
