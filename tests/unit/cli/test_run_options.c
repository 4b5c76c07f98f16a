/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of "wattle run": every row of its table has an effect, and contradictory options
 * are refused before anything starts. */
#define _GNU_SOURCE
#include "cli/run/run_options.h"

#include <math.h>
#include <sched.h>

#include "said.h"
#include "tap.h"

static char line_text[512];
static char *line_words[32];

/* "run" and words separated by spaces, as parsed: the status that would be the exit status, -1 =
 * continue. */
static int parse(const char *line, struct wtl_run_options *options)
{
    char *rest = NULL;
    int argc = 1;
    (void)snprintf(line_text, sizeof line_text, "%s", line);
    line_words[0] = (char *)(uintptr_t) "run";
    for (char *word = strtok_r(line_text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        line_words[argc++] = word;
    line_words[argc] = NULL;
    wtl_run_options_init(options);
    return wtl_run_options_parse(options, argc, line_words);
}

/* A valid argument for each option, by the name of its kind in the table. */
static const char *argument_for(const char *kind)
{
    static const char *const kinds[][2] = {
        {"DUR", "7s"},
        {"[SET]", "software"},
        {"SCOPE", "machine"},
        {"LIST", "perf"},
        {"FILE", "x"},
        {"FILE|fd:N", "x"},
        {"FORMAT", "csv"},
        {"N", "3"},
        {"PID", "17"},
        {"PATH", "/x"},
        {"MS", "20"},
        {"N:UNIT", "5:image"},
        {"KEY=VALUE", "app=x"},
        {"DIR", "/host"},
        {"measured", "measured"},
        {"auto|on|off", "off"},
        {"FREQ|LOW-HIGH|min|max", "2.1GHz"},
        {"NAME", "powersave"},
        {"on|off", "off"},
        {"W[:WINDOW][:on]", "80W"},
        {"CMD", "./slower"},
        {"MODEL", "known.model"},
        {"[all|summary]", "all"},
        {"SIZE", "100M"},
        {"auto|none|PATH", "none"},
        {"SET", "software"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i][0], kind) == 0)
            return kinds[i][1];
    }
    return NULL;
}

static void test_every_option(void)
{
    for (const struct wtl_option *row = wtl_run_option_table; row->name; row++) {
        struct wtl_run_options before, after;
        const char *value = row->argument ? argument_for(row->argument) : NULL;
        if (row->kind == WTL_OPTION_SHOW || !ok(!row->argument || value, "--%s: its argument %s",
                                                row->name, row->argument ? row->argument : "-"))
            continue;
        char cpu[16];
        (void)snprintf(cpu, sizeof cpu, "%d", sched_getcpu());
        if (strcmp(row->name, "sampler-cpu") == 0)
            value = cpu;                   /* others may not exist */
        memset(&before, 0, sizeof before); /* including padding: they are compared as bytes */
        wtl_run_options_init(&before);
        memcpy(&after, &before, sizeof after);
        is_int(wtl_run_options_set(&after, row->name, value), 0, "--%s is accepted", row->name);
        ok(memcmp(&before, &after, sizeof after) != 0, "--%s has an effect", row->name);
    }
}

static void test_values(void)
{
    struct wtl_run_options o;
    is_int(parse("ls -l", &o), -1, "a command");
    is_int(o.interval_ns, 100000000, "10 Hz");
    ok(o.repeat == 1 && o.edges && !o.force && !o.no_trace && isnan(o.work), "other defaults");
    is_str(o.argv[0], "ls", "the command");
    is_str(o.argv[1], "-l", "keeps its options");

    is_int(parse("-i 5ms -r 10 --warmup 2 --idle 3 -D 20 --work 1e9:flop --no-edges -- ls", &o), -1,
           "many options");
    is_int(o.interval_ns, 5000000, "interval");
    ok(o.repeat == 10 && o.warmup == 2, "repeats");
    is_int(o.idle_ns, 3000000000, "idle");
    is_int(o.delay_ns, 20000000, "a bare delay is milliseconds");
    ok(o.work == 1e9 && strcmp(o.work_unit, "flop") == 0 && !o.edges, "work; no edges");
    is_int(parse("-D 1.5s ls", &o), -1, "a delay with a unit");
    is_int(o.delay_ns, 1500000000, "has it");

    is_int(parse("-a --cgroup /g --duration 1s", &o), -1, "a cgroup with --all");
    is_int(parse("--cgroup /g -- ls", &o), -1, "a command in a cgroup");
    is_int(parse("-p 17 --duration 1s", &o), -1, "a process");
    is_int(o.pid, 17, "its number");
    is_int(parse("-r 256 --idle 1s ls", &o), -1, "as many open traces as there may be");
    is_int(parse("-r 257 --idle 1s --no-trace ls", &o), -1, "more without traces");
}

static void test_refused(void)
{
    static const struct {
        int line;
        const char *words, *said;
    } rows[] = {
        {__LINE__, "", "nothing to measure"},
        {__LINE__, "--no-trace --", "nothing to measure"},
        {__LINE__, "-p 17 -- ls", "more than one thing"},
        {__LINE__, "-a -p 17", "more than one thing"},
        {__LINE__, "-a -- ls", "more than one thing"},
        {__LINE__, "-p 17 --cgroup /g", "more than one thing"},
        {__LINE__, "-a -r 2", "require a command"},
        {__LINE__, "-a -D 5", "require a command"},
        {__LINE__, "--duration 1s ls", "timeout DUR COMMAND"},
        {__LINE__, "--host /h -a", "--duration DUR"},
        {__LINE__, "--host /h --duration 1s -p 1", "--all"},
        {__LINE__, "--no-trace -o x ls", "--no-trace cannot"},
        {__LINE__, "-r 257 --idle 1s ls", "at most --repeat 256"},
        {__LINE__, "-i 0 ls", "more than 0"},
        {__LINE__, "-r 0 ls", "less than 1"},
        {__LINE__, "-r 100001 ls", "more than 100000"},
        {__LINE__, "--sampler-cpu 1024 ls", "more than 1023"},
        {__LINE__, "--sampler-cpu 1023 ls", "cannot use CPU 1023"},
        {__LINE__, "-q -v ls", "cannot be used with --verbose"},
        {__LINE__, "-p 0", "less than 1"},
        {__LINE__, "--work 5 ls", "N:UNIT"},
        {__LINE__, "--work :x ls", "N:UNIT"},
        {__LINE__, "--work 5: ls", "N:UNIT"},
        {__LINE__, "--work 0:x ls", "greater than 0"},
        {__LINE__, "--work nan:x ls", "greater than 0"},
        {__LINE__, "--require some ls", "measured"},
        {__LINE__, "--label app ls", "KEY=VALUE"},
        {__LINE__, "--label app= ls", "a value"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_run_options o;
        tap_line = rows[i].line;
        said_begin();
        int status = parse(rows[i].words, &o);
        const char *said = said_end();
        is_int(status, 125, "\"%s\"", rows[i].words);
        ok(strstr(said, rows[i].said) != NULL, "says why: %.100s", said);
        ok(strchr(said, '\n') == strrchr(said, '\n'), "in one sentence");
    }
    tap_line = 0;
    struct wtl_run_options o;
    wtl_run_options_init(&o);
    ok(wtl_run_options_set(&o, "no-such-option", "1") < 0, "a setting that is none");
}

int main(void)
{
    test_every_option();
    test_values();
    test_refused();
    return done_testing();
}
