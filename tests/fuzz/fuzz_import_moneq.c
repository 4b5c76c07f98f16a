/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a MonEQ file: refused with a message, or read twice with the same values and tags. */
#define _GNU_SOURCE
#include "import_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return import_fuzz("moneq", NULL, data, size);
}
