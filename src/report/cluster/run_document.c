/* SPDX-License-Identifier: BSD-3-Clause */
/* The document of runs, and the comparison in it: see run_document.h. */
#include "report/cluster/run_document.h"

#include <math.h>

#include "report/cluster/run_shares.h"
#include "report/json_value.h"

static const char *const value_keys[WTL_STUDY_VALUES] = {[WTL_STUDY_TIME] = "time_s",
                                                         [WTL_STUDY_ENERGY] = "energy_j",
                                                         [WTL_STUDY_POWER] = "node_w",
                                                         [WTL_STUDY_NETWORK] = "network_w"};

static json_t *spread_of(const struct wtl_spread *spread)
{
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "mean", wtl_json_number(spread->mean));
    wtl_json_set(&o, "sd", wtl_json_number(spread->sd));
    wtl_json_set(&o, "ci95", wtl_json_number(spread->ci95));
    return wtl_json_done(&o);
}

static json_t *case_of(const struct wtl_study *study, const struct wtl_study_case *one)
{
    struct wtl_json o = wtl_json_object(), values = wtl_json_array(), runs = wtl_json_array();
    for (size_t k = 0; k < study->key_count; k++)
        wtl_json_add(&values, wtl_json_text(one->values[k]));
    for (size_t i = 0; i < one->run_count; i++)
        wtl_json_add(&runs, wtl_json_count(one->runs[i]));
    wtl_json_set(&o, "name", wtl_json_text(one->name));
    wtl_json_set(&o, "values", wtl_json_done(&values));
    wtl_json_set(&o, "runs", wtl_json_done(&runs));
    wtl_json_set(&o, "nodes", wtl_json_count(one->nodes));
    for (int v = 0; v < WTL_STUDY_VALUES; v++)
        wtl_json_set(&o, value_keys[v], spread_of(&one->spread[v]));
    wtl_json_set(&o, "moments", wtl_run_description(&one->moments));
    return wtl_json_done(&o);
}

static json_t *interval_of(const struct wtl_interval *interval)
{
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "value", wtl_json_number(interval->value));
    wtl_json_set(&o, "low", wtl_json_number(interval->low));
    wtl_json_set(&o, "high", wtl_json_number(interval->high));
    return wtl_json_done(&o);
}

static json_t *difference_of(const struct wtl_study *study, const struct wtl_study_difference *d)
{
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "key", wtl_json_text(study->keys[d->key]));
    wtl_json_set(&o, "a", wtl_json_count(d->a));
    wtl_json_set(&o, "b", wtl_json_count(d->b));
    for (int v = 0; v < WTL_STUDY_VALUES; v++) {
        if (!d->known[v]) {
            wtl_json_set(&o, value_keys[v], json_null());
            continue;
        }
        struct wtl_json one = wtl_json_object();
        wtl_json_set(&one, "difference", interval_of(&d->comparison[v].difference));
        wtl_json_set(&one, "ratio", interval_of(&d->comparison[v].ratio));
        wtl_json_set(&one, "verdict", wtl_json_text(wtl_verdict_name(d->verdict[v].kind)));
        wtl_json_set(&one, "text", wtl_json_text(d->verdict[v].text));
        wtl_json_set(&o, value_keys[v], wtl_json_done(&one));
    }
    return wtl_json_done(&o);
}

static json_t *study_of(const struct wtl_study *study)
{
    struct wtl_json o = wtl_json_object(), keys = wtl_json_array(), cases = wtl_json_array(),
                    differences = wtl_json_array(), slope = wtl_json_object();
    for (size_t k = 0; k < study->key_count; k++)
        wtl_json_add(&keys, wtl_json_text(study->keys[k]));
    for (size_t c = 0; c < study->case_count; c++)
        wtl_json_add(&cases, case_of(study, &study->cases[c]));
    for (size_t i = 0; i < study->difference_count; i++)
        wtl_json_add(&differences, difference_of(study, &study->differences[i]));
    wtl_json_set(&slope, "cases", wtl_json_count(study->slope.n));
    wtl_json_set(&slope, "exponent", wtl_json_number(study->slope.exponent));
    wtl_json_set(&slope, "ci95", wtl_json_number(study->slope.half));
    wtl_json_set(&slope, "correlation", wtl_json_number(study->slope.correlation));
    wtl_json_set(&o, "keys", wtl_json_done(&keys));
    wtl_json_set(&o, "cases", wtl_json_done(&cases));
    wtl_json_set(&o, "differences", wtl_json_done(&differences));
    wtl_json_set(&o, "energy_on_time", wtl_json_done(&slope));
    return wtl_json_done(&o);
}

json_t *wtl_run_document(json_t *runs,
                         const char *title,
                         const struct wtl_study *study,
                         double reference_w)
{
    struct wtl_json o = wtl_json_document("wattle.run-report/1");
    wtl_json_set(&o, "title", wtl_json_text(title));
    wtl_json_set(&o, "reference_w", wtl_json_number(reference_w));
    wtl_json_set(&o, "runs", runs);
    wtl_json_set(&o, "study", study ? study_of(study) : json_null());
    return wtl_json_done(&o);
}
