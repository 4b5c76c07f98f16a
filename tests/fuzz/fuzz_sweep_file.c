/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as the plan of a sweep: refused with a line, or read within its limits, and its settings are refused with a
 * sentence or numbers that can be asked for. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "tuning/sweep_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
    if (!holds)
        abort();
}

static void look(const struct wtl_sweep_order_form *form)
{
    struct wattle_error err = {""};
    struct wtl_sweep_wish wish = {form->frequencies, form->threads, form->limits, form->turbo};
    struct wtl_sweep_setting *settings = NULL;
    size_t count = 0;
    demand(form->blocks >= 1 && form->blocks <= WTL_SWEEP_BLOCKS && form->slowdown > 0);
    demand(form->word_count >= 1 && form->words[form->word_count] == NULL);
    int rc = wtl_sweep_plan(&wish, &settings, &count, &err);
    demand(rc == 0 ? count >= 1 && count <= WTL_SWEEP_SETTINGS : err.text[0] != '\0');
    for (size_t i = 0; rc == 0 && i < count; i++)
        demand(settings[i].label[0] && !(settings[i].ghz <= 0) && !(settings[i].limit_w <= 0));
    free(settings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wattle_error err = {""};
    struct wtl_sweep_order_form form;
    int rc = wtl_sweep_file_parse((const char *)data, size, &form, &err);
    demand(rc == 0 || err.text[0]);
    if (rc == 0)
        look(&form);
    wtl_sweep_form_fini(&form);
    return 0;
}
