/* SPDX-License-Identifier: BSD-3-Clause */
/* What was measured, where and when; the machine and its settings. */
#define _GNU_SOURCE
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/parse.h"
#include "base/text/figures.h"
#include "model/meta_key.h"
#include "model/quality.h"
#include "report/cite/cite_text.h"
#include "report/digits.h"

/* "2026-11-22", UTC; "" if unknown. */
static const char *date_of(char *buf, size_t n, uint64_t realtime_ns)
{
    time_t seconds = (time_t)(realtime_ns / 1000000000u);
    struct tm tm;
    buf[0] = '\0';
    if (realtime_ns > 0 && gmtime_r(&seconds, &tm))
        (void)strftime(buf, n, "%Y-%m-%d", &tm);
    return buf;
}

/* "the command \"x\"", "the whole machine", "the machine while pid 17 ran". */
static void put_subject(char *buf, const struct wtl_result *r)
{
    const char *target = r->target ? r->target : "";
    buf[0] = '\0';
    if (r->command)
        wtl_cite_list(buf, "the machine while the command \"%.300s\" ran", r->command);
    else if (strncmp(target, "pid ", 4) == 0 || strncmp(target, "cgroup ", 7) == 0)
        wtl_cite_list(buf, "the machine while %.300s was observed", target);
    else
        wtl_cite_list(buf, "the machine");
}

/* "measured", or the correct description instead. */
static const char *verb_of(const struct wtl_result *r)
{
    if (r->total.count > 0 && r->total.quality == WATTLE_ESTIMATED)
        return "estimated by a model, not measured,";
    return wtl_result_is_simulated(r) ? "measured on a simulated node, not a real machine,"
                                      : "measured";
}

static void say_runs(struct wtl_cite *cite)
{
    const struct wtl_cite_facts *facts = &cite->facts;
    size_t failed = 0, unknown = 0;
    for (size_t i = 0; i < facts->count; i++) {
        failed += facts->results[i].exit_code > 0;
        unknown += facts->results[i].exit_code < 0 && facts->results[i].command;
    }
    if (failed > 0 && facts->count == 1)
        wtl_cite_say(cite, WTL_CITE_MEASUREMENT, "The command ended with exit status %d.",
                     facts->results[0].exit_code);
    else if (failed > 0)
        wtl_cite_say(cite, WTL_CITE_MEASUREMENT,
                     "The command ended with a non-zero exit status in %zu of the runs.", failed);
    if (unknown > 0)
        wtl_cite_miss(cite, "exit status of the command");
}

/* " on 2026-11-22 (UTC)" */
static void put_when(struct wtl_cite *cite, char *buf, size_t n)
{
    const struct wtl_cite_facts *facts = &cite->facts;
    const struct wtl_result *first = &facts->results[0], *last = &facts->results[facts->count - 1];
    char from[16], to[16];
    date_of(from, sizeof from, first->start_realtime_ns);
    date_of(to, sizeof to, last->start_realtime_ns);
    buf[0] = '\0';
    if (!from[0])
        wtl_cite_miss(cite, "date");
    else if (facts->count > 1 && to[0] && strcmp(from, to) != 0)
        (void)snprintf(buf, n, " between %s and %s (UTC)", from, to);
    else
        (void)snprintf(buf, n, " on %s (UTC)", from);
}

/* A recording of another program, which wattle only read. */
static void say_import(struct wtl_cite *cite, const char *format, const char *version)
{
    const char *program = wtl_cite_value(&cite->facts, WTL_META_IMPORT_FILE_1_PROGRAM);
    const char *host = wtl_cite_value(&cite->facts, WTL_META_HOST_NAME);
    char when[64];
    put_when(cite, when, sizeof when);
    wtl_cite_say(cite, WTL_CITE_MEASUREMENT,
                 "The energy%s%s was recorded by %s%s and read with wattle %s from files in %s "
                 "format; \"measured\" is the statement of the recording program.",
                 host ? " of the node " : "", host ? host : "",
                 program ? program : "another program", when, version ? version : "", format);
    if (!program)
        wtl_cite_miss(cite, "the recording program");
}

void wtl_cite_say_measurement(struct wtl_cite *cite)
{
    const struct wtl_cite_facts *facts = &cite->facts;
    const char *version = wtl_cite_need(cite, WTL_META_WATTLE_VERSION, "version of the recorder");
    const char *format = wtl_cite_value(facts, WTL_META_IMPORT_FORMAT);
    char subject[WTL_CITE_LIST], when[64], runs[48] = "";
    if (format) {
        say_import(cite, format, version);
        return;
    }
    put_subject(subject, &facts->results[0]);
    put_when(cite, when, sizeof when);
    if (facts->count > 1)
        (void)snprintf(runs, sizeof runs, " in %zu runs", facts->count);
    const char *host = wtl_cite_need(cite, WTL_META_HOST_NAME, "name of the node");
    wtl_cite_say(cite, WTL_CITE_MEASUREMENT, "The energy of %s was %s with wattle%s%s%s%s%s%s.",
                 subject, verb_of(&facts->results[0]), version ? " " : "", version ? version : "",
                 host ? " on the node " : "", host ? host : "", runs, when);
    say_runs(cite);
}

/* ---- machine ---- */

/* "name value", if any trace has it. */
static void put_fact(struct wtl_cite *cite, char *list, const char *name, const char *key)
{
    const char *value = wtl_cite_value(&cite->facts, key);
    if (value)
        wtl_cite_list(list, "%s %.40s", name, value);
}

/* "2 sockets" */
static void put_count(struct wtl_cite *cite, char *list, const char *key, const char *name)
{
    const char *value = wtl_cite_value(&cite->facts, key);
    if (value)
        wtl_cite_list(list, "%.20s %s%s", value, name, strcmp(value, "1") == 0 ? "" : "s");
}

static void say_processor(struct wtl_cite *cite)
{
    char details[WTL_CITE_LIST] = "", size[WTL_CITE_LIST] = "";
    const char *model = wtl_cite_need(cite, WTL_META_CPU_MODEL, "processor model");
    put_fact(cite, details, "family", WTL_META_CPU_FAMILY);
    put_fact(cite, details, "model", WTL_META_CPU_MODEL_NUMBER);
    put_fact(cite, details, "stepping", WTL_META_CPU_STEPPING);
    if (wtl_cite_need(cite, WTL_META_CPU_MICROCODE, "microcode"))
        put_fact(cite, details, "microcode", WTL_META_CPU_MICROCODE);
    put_count(cite, size, WTL_META_CPU_SOCKETS, "socket");
    put_count(cite, size, WTL_META_CPU_CORES, "core");
    put_count(cite, size, WTL_META_CPU_THREADS, "logical CPU");
    if (model)
        wtl_cite_say(cite, WTL_CITE_MACHINE, "The processor is %.120s%s%s%s.", model,
                     details[0] ? " (" : "", details, details[0] ? ")" : "");
    else if (details[0])
        wtl_cite_say(cite, WTL_CITE_MACHINE, "Known properties of the processor: %s.", details);
    if (size[0])
        wtl_cite_say(cite, WTL_CITE_MACHINE, "The machine has %s.", size);
}

static void say_system(struct wtl_cite *cite)
{
    const struct wtl_cite_facts *facts = &cite->facts;
    const char *bytes = wtl_cite_value(facts, WTL_META_MEMORY_BYTES);
    const char *system = wtl_cite_value(facts, WTL_META_KERNEL_SYSTEM);
    const char *release = wtl_cite_need(cite, WTL_META_KERNEL_RELEASE, "kernel");
    const char *machine = wtl_cite_value(facts, WTL_META_VIRTUAL_MACHINE);
    const char *container = wtl_cite_value(facts, WTL_META_VIRTUAL_CONTAINER);
    char memory[WTL_CITE_CELL];
    double amount;
    if (bytes && wtl_parse_double(bytes, &amount) == 0)
        wtl_cite_say(cite, WTL_CITE_MACHINE, "It has %s of memory.",
                     wtl_digits_bytes(memory, sizeof memory, amount));
    if (release)
        wtl_cite_say(cite, WTL_CITE_MACHINE, "The kernel is %.40s %.100s.",
                     system ? system : "version", release);
    if (machine)
        wtl_cite_say(cite, WTL_CITE_MACHINE, "It is a virtual machine (%.40s).", machine);
    if (container)
        wtl_cite_say(cite, WTL_CITE_MACHINE, "The measurement ran in a container (%.40s).",
                     container);
}

/* ---- settings ---- */

/* "governor powersave", and what it was afterwards when that differs. */
static void put_setting(struct wtl_cite *cite,
                        char *list,
                        const char *key,
                        const char *name,
                        bool needed)
{
    char key_after[64];
    const char *value = needed ? wtl_cite_need(cite, key, name) : wtl_cite_value(&cite->facts, key);
    (void)snprintf(key_after, sizeof key_after, "%s.after", key);
    const char *after = wtl_cite_value(&cite->facts, key_after);
    if (!value)
        return;
    if (strcmp(value, "notsupported") == 0) /* as the kernel spells it */
        value = "not supported";
    if (after && strcmp(after, value) != 0 && strcmp(key, WTL_META_CPU_TURBO) != 0)
        wtl_cite_list(list, "%s %.60s before and %.60s after", name, value, after);
    else
        wtl_cite_list(list, "%s %.60s", name, value);
}

static void put_range(struct wtl_cite *cite, char *list)
{
    const char *low = wtl_cite_value(&cite->facts, WTL_META_CPU_MIN_KHZ);
    const char *high = wtl_cite_value(&cite->facts, WTL_META_CPU_MAX_KHZ);
    double from, to;
    if (low && high && wtl_parse_double(low, &from) == 0 && wtl_parse_double(high, &to) == 0)
        wtl_cite_list(list, "allowed frequencies %s to %s GHz", WTL_IN_FIGURES(from * 1e-6, 4),
                      WTL_IN_FIGURES(to * 1e-6, 4));
    else
        wtl_cite_miss(cite, "frequency range");
}

static void say_limits(struct wtl_cite *cite)
{
    const struct wtl_cite_facts *facts = &cite->facts;
    char list[WTL_CITE_LIST] = "";
    for (size_t i = 0; i < facts->fact_count; i++) {
        const struct wtl_cite_fact *fact = &facts->facts[i];
        size_t n = strlen(fact->key);
        double watts;
        if (strncmp(fact->key, "limit.", 6) != 0 || n < 9 || strcmp(fact->key + n - 2, "_w") != 0)
            continue;
        if (fact->varies)
            wtl_cite_list(list, "%.*s varying", (int)(n - 8), fact->key + 6);
        else if (wtl_parse_double(fact->value, &watts) == 0 && watts > 0)
            wtl_cite_list(list, "%.*s %g W", (int)(n - 8), fact->key + 6, watts);
    }
    if (list[0])
        wtl_cite_say(cite, WTL_CITE_SETTINGS, "Power limits: %s.", list);
    else
        wtl_cite_miss(cite, "power limits");
}

void wtl_cite_say_machine(struct wtl_cite *cite)
{
    char list[WTL_CITE_LIST] = "";
    say_processor(cite);
    say_system(cite);
    put_setting(cite, list, WTL_META_CPU_DRIVER, "frequency driver", true);
    put_setting(cite, list, WTL_META_CPU_GOVERNOR, "governor", true);
    put_setting(cite, list, WTL_META_CPU_EPP, "energy preference", false);
    put_setting(cite, list, WTL_META_CPU_TURBO, "turbo", true);
    put_setting(cite, list, WTL_META_CPU_SMT, "SMT", true);
    put_range(cite, list);
    put_setting(cite, list, WTL_META_PROCESS_AFFINITY, "CPUs that the command could use", false);
    put_setting(cite, list, WTL_META_ENV_OMP_NUM_THREADS, "OMP_NUM_THREADS", false);
    if (list[0])
        wtl_cite_say(cite, WTL_CITE_SETTINGS, "Settings: %s.", list);
    say_limits(cite);
}
