/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a recording in CSV: refused with a message, or read twice with the same rows, and then every channel has
 * a name, a scale and values within the range of the survey. The first byte chooses the options.
 */
#define _GNU_SOURCE
#include "import_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return import_fuzz("csv", NULL, data, size);
}
