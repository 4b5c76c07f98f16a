/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counter sets: a file; the texts of a trace's metadata. What is accepted has metrics that can be computed, and its own texts
 * give it again.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/counters/counter_set.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const struct wtl_counter_set *set)
{
    double amounts[WTL_COUNTER_COLUMNS];
    for (size_t i = 0; i < WTL_COUNTER_COLUMNS; i++)
        amounts[i] = i % 3 == 2 ? (double)NAN : (double)i;
    for (size_t i = 0; i < set->metric_count; i++) {
        if (isinf(wtl_counter_metric_value(set, i, amounts, 1.5, 20)))
            abort();
    }
    struct wtl_counter_set again;
    char *columns = wtl_counter_set_columns_text(set), *metrics = wtl_counter_set_metrics_text(set);
    if (columns && metrics) {
        if (wtl_counter_set_from_texts(&again, set->name, columns, metrics, NULL) < 0 ||
            again.column_count != set->column_count || again.metric_count != set->metric_count)
            abort();
        wtl_counter_set_fini(&again);
    }
    free(columns);
    free(metrics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wtl_counter_set set;
    struct wattle_error err = {""};
    if (wtl_counter_set_parse(&set, "fuzz", "fuzz.ini", (const char *)data, size, &err) == 0) {
        use(&set);
        wtl_counter_set_fini(&set);
    } else if (!err.text[0]) {
        abort();
    }
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    char *half = text + size / 2;
    if (wtl_counter_set_from_texts(&set, "fuzz", text, half, &err) == 0) {
        use(&set);
        wtl_counter_set_fini(&set);
    }
    free(text);
    return 0;
}
