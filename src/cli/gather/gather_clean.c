/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Removing what must not leave the machine. A path is refused unless it is of a kind that sensors need; some
 * files keep only the rows needed; in all texts and paths, hardware addresses, IPv4 addresses, UUIDs and long
 * hexadecimal IDs are replaced, each always by the same substitute.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/grow.h"
#include "base/parse.h"
#include "base/world/script.h"
#include "cli/gather/gather.h"

enum { ID_MIN = 32, TOKEN = 128 };

struct wtl_replaced {
    char from[TOKEN], to[48];
};

static bool is_among(const char *const *patterns, size_t n, const char *text)
{
    for (size_t i = 0; i < n; i++) {
        if (fnmatch(patterns[i], text, 0) == 0)
            return true;
    }
    return false;
}

bool wtl_gather_allows(const char *path)
{
    static const char *const refused_names[] = {
        "serial",  "*_serial", "*serial_number*", "*uuid*",   "uevent", "address", "environ",
        "cmdline", "comm",     "*asset_tag*",     "unique_id"};
    static const char *const refused[] = {"/proc/self/mounts", "/sys/class/net*",
                                          "/sys/firmware/*"};
    static const char *const allowed[] = {"/sys",
                                          "/sys/*",
                                          "/proc",
                                          "/proc/*",
                                          "/dev/cpu/*",
                                          "/perf/*",
                                          "/dev/ipmi*",
                                          "/dev/nvidiactl",
                                          "/dev/dxg",
                                          "/dev/kfd",
                                          "/.dockerenv",
                                          "/boot/config-*",
                                          "/run/.containerenv",
                                          "/run/systemd/container"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return !is_among(refused_names, sizeof refused_names / sizeof *refused_names, name) &&
           !is_among(refused, sizeof refused / sizeof *refused, path) &&
           is_among(allowed, sizeof allowed / sizeof *allowed, path);
}

/* Length of the pattern groups of hex digits separated by `mark`, exactly `sizes`; 0 = not this. */
static size_t match_groups(const char *p, const int *sizes, size_t n, char mark)
{
    const char *q = p;
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && *q++ != mark)
            return 0;
        for (int k = 0; k < sizes[i]; k++) {
            if (!isxdigit((unsigned char)*q++))
                return 0;
        }
    }
    return isalnum((unsigned char)*q) || *q == mark ? 0 : (size_t)(q - p);
}

static size_t match_ipv4(const char *p)
{
    const char *q = p;
    for (int i = 0; i < 4; i++) {
        char *end;
        if (!isdigit((unsigned char)*q))
            return 0;
        unsigned long part = strtoul(q, &end, 10);
        if (part > 255 || end - q > 3 || (i < 3 && *end != '.'))
            return 0;
        q = end + (i < 3);
    }
    return isalnum((unsigned char)*q) || *q == '.' ? 0 : (size_t)(q - p);
}

static size_t match_id(const char *p)
{
    size_t n = strspn(p, "0123456789abcdefABCDEF");
    return n >= ID_MIN && n < TOKEN && strcspn(p, "abcdefABCDEF") < n &&
                   !isalnum((unsigned char)p[n])
               ? n
               : 0;
}

/* The substitute of a token, always the same. NULL if out of memory. */
static const char *stand_in(struct wtl_gather *gather,
                            const char *token,
                            size_t n,
                            const char *form)
{
    for (size_t i = 0; i < gather->replaced_count; i++) {
        if (strlen(gather->replaced[i].from) == n &&
            strncmp(gather->replaced[i].from, token, n) == 0)
            return gather->replaced[i].to;
    }
    if (wtl_grow(&gather->replaced, gather->replaced_count, sizeof *gather->replaced) < 0)
        return NULL;
    struct wtl_replaced *one = &gather->replaced[gather->replaced_count++];
    unsigned number = (unsigned)gather->replaced_count & 0xff;
    (void)snprintf(one->from, sizeof one->from, "%.*s", (int)n, token);
    if (form[0] == 'm')
        (void)snprintf(one->to, sizeof one->to, "02:00:00:00:00:%02x", number);
    else if (form[0] == 'u')
        (void)snprintf(one->to, sizeof one->to, "00000000-0000-0000-0000-0000000000%02x", number);
    else if (form[0] == 'i')
        (void)snprintf(one->to, sizeof one->to, "192.0.2.%u", number);
    else if (form[0] == 'h')
        (void)snprintf(one->to, sizeof one->to, "host-%u", number);
    else if (form[0] == '6')
        (void)snprintf(one->to, sizeof one->to, "2001:db8::%u", number);
    else
        (void)snprintf(one->to, sizeof one->to, "id%u", number);
    return one->to;
}

/* The pattern that begins here: its length and form, or 0. */
static size_t match(const char *p, const char **ret_form)
{
    static const int mac[] = {2, 2, 2, 2, 2, 2}, uuid[] = {8, 4, 4, 4, 12};
    size_t n;
    *ret_form = "mac";
    if ((n = match_groups(p, mac, 6, ':')) || (n = match_groups(p, mac, 6, '-')))
        return n;
    *ret_form = "uuid";
    if ((n = match_groups(p, uuid, 5, '-')))
        return n;
    *ret_form = "ipv4";
    if ((n = match_ipv4(p)))
        return n;
    *ret_form = "x";
    return match_id(p);
}

char *wtl_gather_replace(struct wtl_gather *gather, const char *text, bool *ret_changed)
{
    char *out = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&out, &size);
    if (!stream)
        return NULL;
    *ret_changed = false;
    char before = '\0';
    for (const char *p = text; *p;) {
        const char *form;
        bool word = isalnum((unsigned char)before) || before == '.' || before == ':';
        size_t n = word ? 0 : match(p, &form);
        const char *to = n ? stand_in(gather, p, n, form) : NULL;
        if (to) {
            (void)fputs(to, stream);
            *ret_changed = true;
        } else {
            n = 1;
            (void)fputc(*p, stream);
        }
        before = p[n - 1];
        p += n;
    }
    bool failed = ferror(stream) != 0;
    if (fclose(stream) != 0 || failed) {
        free(out);
        return NULL;
    }
    return out;
}

void wtl_gather_replaced_free(struct wtl_gather *gather)
{
    free(gather->replaced);
    gather->replaced = NULL;
}

/* The length of the host in the column PEER of a row; 0 = none, or one that identifies nothing. */
static size_t host_of(const char *row, const char **ret_name)
{
    static const char *const kept[] = {"127.",     "localhost:", "::1]",
                                       "192.0.2.", "host-",      "2001:db8::"};
    const char *peer = row + strcspn(row, "\t\n");
    if (strncmp(peer, "\ttcp:", 5) != 0 && strncmp(peer, "\tudp:", 5) != 0)
        return 0;
    bool bracketed = peer[5] == '[';
    const char *name = peer + 5 + bracketed;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        if (strncmp(name, kept[i], strlen(kept[i])) == 0)
            return 0;
    }
    *ret_name = name;
    return strcspn(name, bracketed ? "]\t\n" : ":\t\n");
}

/* Text with one name replaced wherever it is a word, ignoring case. NULL if out of memory. */
static char *replace_name(const char *text, const char *name, const char *to)
{
    char *out = NULL;
    size_t size = 0, n = strlen(name);
    FILE *stream = open_memstream(&out, &size);
    if (!stream)
        return NULL;
    for (const char *p = text; *p;) {
        bool is = strncasecmp(p, name, n) == 0 && !isalnum((unsigned char)p[n]) &&
                  (p == text || !isalnum((unsigned char)p[-1]));
        if (is)
            (void)fputs(to, stream);
        else
            (void)fputc(*p, stream);
        p += is ? n : 1;
    }
    bool failed = ferror(stream) != 0;
    if (fclose(stream) != 0 || failed) {
        free(out);
        return NULL;
    }
    return out;
}

/* A row of values that wattle-gpu read. */
static bool has_times(const char *row, size_t n)
{
    const char *peer = memchr(row, '\t', n);
    return peer && strncmp(peer, "\texec:wattle-gpu ", 17) == 0 && memmem(row, n, "\t= ", 3);
}

/* Values of GPUs have times of this machine's clock. A recorded host has another one: there they are those of the answer. NULL if
 * out of memory. */
static char *follow_clock(const char *text)
{
    char *out = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&out, &size);
    if (!stream)
        return NULL;
    for (const char *row = text; *row;) {
        size_t n = strcspn(row, "\n");
        uint64_t us = 0;
        bool timed = has_times(row, n) && wtl_scan_u64(row, n, &us) > 0; /* "0", or "N" us */
        for (const char *p = row; p < row + n; p++) {
            (void)fputc(*p, stream);
            size_t digits = timed && *p == '@' ? strspn(p + 1, "0123456789") : 0;
            if (digits > 0)
                (void)fprintf(stream, "\\{%" PRIu64 "+1000000000/s}",
                              WTL_RECORDED_START_NS + us * 1000);
            p += digits;
        }
        row += n + (row[n] == '\n');
        (void)fputc('\n', stream);
    }
    bool failed = ferror(stream) != 0;
    if (fclose(stream) != 0 || failed) {
        free(out);
        return NULL;
    }
    return out;
}

int wtl_gather_clean_dialogues(struct wtl_gather *gather)
{
    bool changed = false;
    const char *name = NULL;
    if (!gather->dialogues)
        return 0;
    char *clocked = follow_clock(gather->dialogues);
    char *text = clocked ? wtl_gather_replace(gather, clocked, &changed) : NULL;
    free(clocked);
    for (const char *row = text; row && *row; row += strcspn(row, "\n"), row += *row == '\n') {
        char host[TOKEN];
        size_t n = host_of(row, &name);
        if (n == 0 || n >= sizeof host)
            continue;
        (void)snprintf(host, sizeof host, "%.*s", (int)n, name);
        const char *form = match_ipv4(host) ? "ipv4" : name[-1] == '[' ? "6" : "host";
        const char *to = stand_in(gather, host, n, form);
        char *next = to ? replace_name(text, host, to) : NULL;
        free(text);
        row = text = next; /* from the start: the rows have moved */
        changed = true;
        if (!text)
            break;
    }
    if (!text)
        return -ENOMEM;
    free(gather->dialogues);
    gather->dialogues = text;
    gather->changed += changed;
    return 0;
}

/* Keep the lines that contain one of the words (with keep false: those that contain none). */
static void filter_lines(char *text, const char *const *words, bool keep)
{
    char *to = text;
    for (char *line = text, *next; *line; line = next) {
        size_t n = strcspn(line, "\n");
        next = line + n + (line[n] == '\n');
        char after = *next;
        bool has = false;
        *next = '\0';
        for (const char *const *w = words; *w; w++)
            has |= strstr(line, *w) != NULL;
        *next = after;
        if (has == keep) {
            memmove(to, line, (size_t)(next - line));
            to += next - line;
        }
    }
    *to = '\0';
}

/* Mounts of sysfs, proc and devices: where, and of what type. Sources may name servers and users. */
static char *clean_mounts(const char *text)
{
    char *out = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&out, &size);
    if (!stream)
        return NULL;
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t n = strcspn(line, "\n");
        const char *p = line, *dash = memmem(line, n, " - ", 3);
        for (int i = 0; i < 4 && p < line + n; i++)
            p += strcspn(p, " \n") + 1;
        size_t mount = strcspn(p, " \n");
        bool wanted = strncmp(p, "/sys", 4) == 0 || strncmp(p, "/proc", 5) == 0 ||
                      strncmp(p, "/dev ", 5) == 0;
        if (dash && wanted)
            (void)fprintf(stream, "1 1 0:1 / %.*s rw - %.*s none rw\n", (int)mount, p,
                          (int)strcspn(dash + 3, " \n"), dash + 3);
    }
    if (fclose(stream) != 0) {
        free(out);
        return NULL;
    }
    return out;
}

/* A control group may be named after a user, job or container: keep only the marker of the engine. */
static void clean_cgroup(char **text)
{
    static const char *const marks[] = {"docker", "kubepods",   "lxc",
                                        "libpod", "containerd", "machine.slice"};
    char line[64] = "0::/\n";
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (strstr(*text, marks[i])) {
            (void)snprintf(line, sizeof line, "0::/%s\n", marks[i]);
            break;
        }
    }
    char *copy = strdup(line);
    free(*text);
    *text = copy;
}

/* Files of which only some rows are kept. */
static const char *clean_rows(const char *path, char **text)
{
    static const char *const status[] = {"CapEff:", "Seccomp:", "NoNewPrivs:", NULL};
    static const char *const serial[] = {"Serial\t", NULL}; /* not the flag "serialize" */
    static const char *const options[] = {"RAPL", "X86_MSR", "POWERCAP", NULL};
    if (strcmp(path, "/proc/self/status") == 0) {
        filter_lines(*text, status, true);
        return "only capabilities and seccomp are kept";
    }
    if (strncmp(path, "/boot/config-", 13) == 0) {
        filter_lines(*text, options, true);
        return "only energy drivers are kept";
    }
    if (strcmp(path, "/proc/self/mountinfo") == 0) {
        char *mounts = clean_mounts(*text);
        free(*text);
        *text = mounts;
        return "only mounts of sysfs, proc and devices are kept, without their sources";
    }
    if (strcmp(path, "/proc/self/cgroup") == 0) {
        clean_cgroup(text);
        return "group names are removed";
    }
    if (strcmp(path, "/proc/cpuinfo") == 0 && strstr(*text, "Serial\t")) {
        filter_lines(*text, serial, false);
        return "serial numbers are removed";
    }
    return NULL;
}

int wtl_gather_clean(struct wtl_gather *gather, struct wtl_gathered *entry)
{
    bool changed = false;
    char *path = wtl_gather_replace(gather, entry->path, &changed);
    if (!path)
        return -ENOMEM;
    free(entry->path);
    entry->path = path;
    entry->remark = changed ? "an address in the path is replaced" : NULL;
    if (entry->text) {
        const char *rows =
            entry->kind == WTL_GATHERED_FILE ? clean_rows(entry->path, &entry->text) : NULL;
        char *text = entry->text ? wtl_gather_replace(gather, entry->text, &changed) : NULL;
        if (!text)
            return -ENOMEM;
        free(entry->text);
        entry->text = text;
        entry->size = strlen(text);
        if (changed)
            entry->remark = "addresses or IDs are replaced";
        if (rows)
            entry->remark = rows;
    }
    gather->changed += entry->remark != NULL;
    return 0;
}
