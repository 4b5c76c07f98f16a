/* SPDX-License-Identifier: BSD-3-Clause */
/* Journals of settings: whatever is accepted names files of knobs only, and has all its entries. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "control/journal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wtl_journal journal;
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (wtl_journal_parse(text, size, &journal) == 0) {
        for (size_t i = 0; i < journal.count; i++) {
            const struct wtl_journal_entry *e = &journal.entries[i];
            if (strncmp(e->path, "/sys/", 5) != 0 || strstr(e->path, "/../") ||
                e->kind >= WTL_KNOB_KINDS || e->offset >= size)
                abort();
        }
        wtl_journal_fini(&journal);
    }
    free(text);
    return 0;
}
