/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wattle-sim set, energy, counts, phases, tasks and log: sends a request to the node in whose view this process runs
 * (found by WATTLE_SIM_NODE), and prints the answer as text, JSON or CSV.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"
#include "sim/sim_command.h"

enum { REFUSED = 1, USAGE = 2 };

static __attribute__((format(printf, 1, 2))) void tell(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)fputs("wattle-sim: ", stderr);
    (void)vfprintf(stderr, format, args);
    (void)fputc('\n', stderr);
    va_end(args);
}

/* Print an error; the value is the exit status, so that callers show it. */
#define complain(status, ...) (tell(__VA_ARGS__), (status))

static char *read_all(int fd)
{
    size_t size = 65536, used = 0;
    char *text = malloc(size);
    ssize_t n = 0;
    while (text && (n = pread(fd, text + used, size - used - 1, (off_t)used)) > 0) {
        used += (size_t)n;
        if (used + 1 < size)
            continue;
        if (wtl_reserve(&text, &size, size + 1, 1) < 0)
            break;
    }
    if (!text || n < 0) {
        free(text);
        return NULL;
    }
    text[used] = '\0';
    return text;
}

/* Send a request; *ret_rest is what follows "ok " in an allocated answer. Returns the exit
 * status. */
static int ask(const char *request, char **ret_answer, char **ret_rest)
{
    const char *path = getenv(WTL_SIM_NODE_VARIABLE);
    if (!path)
        return complain(
            REFUSED, "no simulated node (%s is not set); run this inside wattle-sim run -- COMMAND",
            WTL_SIM_NODE_VARIABLE);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return complain(REFUSED, "%s: %s; check that wattle-sim run is still running", path,
                        wtl_strerror(errno));
    ssize_t n = write(fd, request, strlen(request));
    char *answer = n < 0 ? NULL : read_all(fd);
    int why = errno;
    (void)close(fd);
    if (!answer)
        return complain(REFUSED, "%s: %s", path, wtl_strerror(why));
    if (strncmp(answer, "ok", 2) != 0) {
        answer[strcspn(answer, "\n")] = '\0';
        tell("%s", strncmp(answer, "error ", 6) == 0 ? answer + 6 : answer);
        free(answer);
        return REFUSED;
    }
    *ret_answer = answer;
    *ret_rest = answer + 2 + (answer[2] != '\0');
    return 0;
}

/* The verb and its words, one per line; NULL if out of memory. */
static char *join(const char *verb, int count, char **words)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    (void)fputs(verb, out);
    for (int i = 0; i < count; i++)
        (void)fprintf(out, "\n%s", words[i]);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static int send_words(const char *verb, int count, char **words, char **ret_answer, char **ret_rest)
{
    char *request = join(verb, count, words);
    if (!request)
        return complain(REFUSED, "out of memory");
    int status = ask(request, ret_answer, ret_rest);
    free(request);
    return status;
}

int wtl_sim_set(int argc, char **argv)
{
    char *answer, *rest;
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        (void)puts("Usage: wattle-sim set NAME=VALUE...\nChange the node that the command runs on, "
                   "all names at the same instant, and print that\ninstant (CLOCK_MONOTONIC ns). "
                   "NAME is a domain (package, dram-1) with an expression in\nt, load, f, socket; "
                   "or load (0..1, or auto for the measured one); or f (GHz); or fault with\none "
                   "that begins now.\n\n  wattle-sim set "
                   "package=120\n  wattle-sim set package=80+20*load dram=9 f=2.0");
        return 0;
    }
    int status = send_words("set", argc - 1, argv + 1, &answer, &rest);
    if (status == 0) {
        (void)fputs(rest, stdout);
        free(answer);
    }
    return status;
}

/* Options of energy and log. */
struct ask_options {
    const char *from, *to, *format;
    bool help;
};

static int parse_ask(int argc, char **argv, const char *formats, struct ask_options *options)
{
    static const struct option names[] = {{"from", required_argument, NULL, 'f'},
                                          {"to", required_argument, NULL, 't'},
                                          {"format", required_argument, NULL, 'F'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    *options = (struct ask_options){.format = "text"};
    opterr = 0;
    for (int key; (key = getopt_long(argc, argv, ":h", names, NULL)) != -1;) {
        if (key == 'f')
            options->from = optarg;
        else if (key == 't')
            options->to = optarg;
        else if (key == 'F')
            options->format = optarg;
        else if (key == 'h')
            options->help = true;
        else
            return complain(USAGE, "%s: %s; see wattle-sim %s --help", argv[optind - 1],
                            key == ':' ? "needs a value" : "unknown option", argv[0]);
    }
    if (optind < argc)
        return complain(USAGE, "unexpected '%s'; see wattle-sim %s --help", argv[optind], argv[0]);
    size_t n = strlen(options->format);
    const char *at = strstr(formats, options->format);
    if (n == 0 || !at || (at[n] && at[n] != '|') || (at > formats && at[-1] != '|'))
        return complain(USAGE, "unknown format '%s'; formats are %s", options->format, formats);
    return 0;
}

/* Print one domain's line "NAME JOULES" as a row of the chosen format. */
static void print_row(const char *format, char *line, double seconds, bool first)
{
    char *joules = strchr(line, ' ');
    if (!joules)
        return;
    *joules++ = '\0';
    double value = strtod(joules, NULL);
    double watts = seconds > 0 ? value / seconds : 0;
    if (strcmp(format, "json") == 0) {
        (void)printf("%s{\"name\":\"%s\",\"energy_j\":%s,\"mean_w\":", first ? "" : ",", line,
                     joules);
        if (seconds > 0)
            (void)printf("%.17g}", watts);
        else
            (void)printf("null}");
    } else if (strcmp(format, "csv") == 0) {
        (void)printf("%s,%s,", line, joules);
        (void)(seconds > 0 ? printf("%.17g\n", watts) : printf("\n"));
    } else {
        (void)printf("%-12s %16.6f J", line, value);
        (void)(seconds > 0 ? printf(" %14.6f W\n", watts) : printf("\n"));
    }
}

static void print_energy(const char *format, char *rest)
{
    char *head = strsep(&rest, "\n"), *line;
    char *from = strsep(&head, " "), *to = strsep(&head, " ");
    uint64_t limits[2] = {0, 0};
    if (from && to)
        (void)(wtl_parse_u64(from, &limits[0]), wtl_parse_u64(to, &limits[1])); /* 0 if garbled */
    double seconds = (double)(limits[1] - limits[0]) * 1e-9;
    bool json = strcmp(format, "json") == 0;
    if (json)
        (void)printf(
            "{\"schema\":\"wattle.sim.energy/1\",\"from_ns\":%s,\"to_ns\":%s,\"domains\":[",
            from ? from : "null", to ? to : "null");
    else if (strcmp(format, "csv") == 0)
        (void)printf("name,energy_j,mean_w\n");
    for (bool first = true; (line = strsep(&rest, "\n")); first = false) {
        if (*line)
            print_row(format, line, seconds, first);
    }
    if (json)
        (void)puts("]}");
}

/* Send a request with --from and --to. */
static int send_limits(const struct ask_options *options,
                       const char *verb,
                       char **ret_answer,
                       char **ret_rest)
{
    char zero[] = "0", *words[2];
    int count = 0;
    if (options->from || options->to)
        words[count++] = options->from ? (char *)options->from : zero;
    if (options->to)
        words[count++] = (char *)options->to;
    return send_words(verb, count, words, ret_answer, ret_rest);
}

int wtl_sim_energy(int argc, char **argv)
{
    struct ask_options options;
    char *answer, *rest;
    int status = parse_ask(argc, argv, "text|json|csv", &options);
    if (status != 0)
        return status;
    if (options.help) {
        (void)puts(
            "Usage: wattle-sim energy [--from NS] [--to NS] [--format text|json|csv]\nPrint the "
            "exact joules of each domain of the node between two instants\n(CLOCK_MONOTONIC ns), "
            "by default from its start to now.\n\n  from=$(wattle-sim set package=120); sleep 1\n  "
            "wattle-sim energy --from $from --format json");
        return 0;
    }
    status = send_limits(&options, "energy", &answer, &rest);
    if (status == 0) {
        print_energy(options.format, rest);
        free(answer);
    }
    return status;
}

int wtl_sim_log(int argc, char **argv)
{
    struct ask_options options;
    char *answer, *rest;
    int status = parse_ask(argc, argv, "text|csv", &options);
    if (status != 0)
        return status;
    if (options.help || options.from || options.to) {
        (void)fputs("Usage: wattle-sim log [--format text|csv]\nPrint all steps of the node so "
                    "far: instant, name, value, separated by tabs in text.\nLoad and frequency as "
                    "they took effect, powers as they were set.\n",
                    options.help ? stdout : stderr);
        return options.help ? 0 : USAGE;
    }
    status = send_words("log", 0, NULL, &answer, &rest);
    if (status != 0)
        return status;
    if (strcmp(options.format, "csv") == 0)
        (void)puts("time_ns,what,value");
    for (char *line; (line = strsep(&rest, "\n"));) {
        if (!*line)
            continue;
        char *time = strsep(&line, "\t"), *what = strsep(&line, "\t");
        bool csv = strcmp(options.format, "csv") == 0;
        (void)printf(csv ? "%s,%s,\"%s\"\n" : "%s\t%s\t%s\n", time, what ? what : "",
                     line ? line : "");
    }
    free(answer);
    return 0;
}

int wtl_sim_counts(int argc, char **argv)
{
    struct ask_options options;
    char *answer, *rest, *line;
    int status = parse_ask(argc, argv, "text|csv", &options);
    if (status != 0)
        return status;
    if (options.help) {
        (void)puts(
            "Usage: wattle-sim counts [--from NS] [--to NS] [--format text|csv]\nPrint the exact "
            "events of each counter of a node with phases between two "
            "instants\n(CLOCK_MONOTONIC ns), by default from its start to now.");
        return 0;
    }
    status = send_limits(&options, "counts", &answer, &rest);
    if (status != 0)
        return status;
    bool csv = strcmp(options.format, "csv") == 0;
    if (csv)
        (void)puts("name,count");
    (void)strsep(&rest, "\n"); /* the two instants */
    while ((line = strsep(&rest, "\n"))) {
        const char *name = strsep(&line, " ");
        if (line)
            (void)printf(csv ? "%s,%s\n" : "%-24s %20s\n", name, line);
    }
    free(answer);
    return 0;
}

/* A verb whose answer is lines of fields separated by tabs, which are the text. */
static int ask_lines(int argc, char **argv, const char *usage, const char *header)
{
    struct ask_options options;
    char *answer, *rest, *line;
    int status = parse_ask(argc, argv, "text|csv", &options);
    if (status != 0)
        return status;
    if (options.help || options.from || options.to) {
        (void)fputs(usage, options.help ? stdout : stderr);
        return options.help ? 0 : USAGE;
    }
    status = send_words(argv[0], 0, NULL, &answer, &rest);
    if (status != 0)
        return status;
    bool csv = strcmp(options.format, "csv") == 0;
    if (csv)
        (void)puts(header);
    (void)strsep(&rest, "\n"); /* of the ok */
    while ((line = strsep(&rest, "\n"))) {
        for (char *tab = line; csv && (tab = strchr(tab, '\t'));)
            *tab = ',';
        if (*line)
            (void)puts(line);
    }
    free(answer);
    return 0;
}

int wtl_sim_phases(int argc, char **argv)
{
    return ask_lines(
        argc, argv,
        "Usage: wattle-sim phases [--format text|csv]\nPrint the phases of the node, also "
        "those to come: begin, end (CLOCK_MONOTONIC ns), letter,\nmean power of the "
        "letter (W), separated by tabs in text.\n",
        "begin_ns,end_ns,letter,mean_w");
}

int wtl_sim_programs(int argc, char **argv)
{
    return ask_lines(argc, argv,
                     "Usage: wattle-sim programs [--format text|csv]\nPrint what the programs that "
                     "the node follows really used so far: name, seconds of CPU\ntime, joules, "
                     "separated by tabs in text.\n",
                     "name,cpu_s,energy_j");
}

int wtl_sim_tasks(int argc, char **argv)
{
    return ask_lines(
        argc, argv,
        "Usage: wattle-sim tasks [--format text|csv]\nPrint what the tasks that the node "
        "follows really took so far: name, number, seconds of all\ncores, joules, "
        "separated by tabs in text.\n",
        "name,count,time_s,energy_j");
}
