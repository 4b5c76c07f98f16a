/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of tags: see moneq_names.h. */
#include "exchange/moneq/moneq_names.h"

#include <errno.h>
#include <string.h>

static void clean(const char *region, char tag[WTL_MONEQ_TAG_MAX + 1])
{
    size_t n = 0;
    for (; region[n] && n < WTL_MONEQ_TAG_MAX; n++) {
        unsigned char c = (unsigned char)region[n];
        tag[n] = c <= ' ' || c == 0x7F || c == '/' ? '_' : (char)c;
    }
    if (n == 0)
        tag[n++] = '_';
    tag[n] = '\0';
}

int wtl_moneq_names_number(struct wtl_moneq_names *names, const char *region)
{
    char tag[WTL_MONEQ_TAG_MAX + 1], numbered[WTL_MONEQ_TAG_MAX + 24];
    bool fresh;
    int number = wtl_string_set_add(&names->regions, region, &fresh);
    if (number < 0 || !fresh)
        return number;
    clean(region, tag);
    (void)snprintf(numbered, sizeof numbered, "%s", tag);
    bool taken = strcmp(tag, "original") == 0 || strcmp(tag, "untagged") == 0;
    for (unsigned n = 2;; n++) {
        int at = taken ? 0 : wtl_string_set_add(&names->tags, numbered, &fresh);
        if (at < 0)
            return at;
        if (!taken && fresh)
            break;
        taken = false;
        (void)snprintf(numbered, sizeof numbered, "%s_%u", tag, n);
    }
    names->changed += strcmp(numbered, region) != 0;
    return number;
}

const char *wtl_moneq_names_tag(const struct wtl_moneq_names *names, uint32_t number)
{
    return names->tags.texts[number - 1];
}

void wtl_moneq_names_print(const struct wtl_moneq_names *names, FILE *out)
{
    for (uint32_t i = 0; i < names->tags.count; i++)
        (void)fprintf(out, "%s\n", names->tags.texts[i]);
}

void wtl_moneq_names_fini(struct wtl_moneq_names *names)
{
    wtl_string_set_fini(&names->regions);
    wtl_string_set_fini(&names->tags);
    *names = (struct wtl_moneq_names){.changed = 0};
}
