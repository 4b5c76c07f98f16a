/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loading a recorded host: see recorded_host.h and docs/format/host.md. Nothing outside the folder is ever
 * opened: paths are resolved here, link by link, below root/.
 */
#define _GNU_SOURCE
#include "base/world/recorded_host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"

#define LINKS_MAX 40 /* like the kernel's MAXSYMLINKS */

enum { FILE_MAX = 16 << 20 };

int wtl_recorded_host_open(int folder_fd, const char *name, int flags)
{
    struct stat about;
    /* The folder is untrusted: a FIFO would block us, and a link could point outside. */
    int fd =
        openat(folder_fd, name,
               (flags & O_DIRECTORY) | O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int rc = fstat(fd, &about) < 0 ? -errno : 0;
    if (rc == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
        rc = -EINVAL;
    if (rc == 0 && S_ISREG(about.st_mode) && about.st_size > FILE_MAX)
        rc = -EFBIG;
    if (rc == 0)
        return fd;
    (void)close(fd); /* read only */
    return rc;
}

/* Read a file from its start, NUL-terminated: its length. */
static ssize_t read_whole(int fd, char **ret_text)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return -errno;
    if (!S_ISREG(st.st_mode))
        return -EISDIR;
    char *text = malloc((size_t)st.st_size + 1);
    if (!text)
        return -ENOMEM;
    size_t used = 0;
    ssize_t got = 0;
    while (used < (size_t)st.st_size &&
           (got = read(fd, text + used, (size_t)st.st_size - used)) > 0)
        used += (size_t)got;
    if (got < 0) {
        got = -errno;
        free(text);
        return got;
    }
    text[used] = '\0';
    *ret_text = text;
    return (ssize_t)used;
}

static ssize_t refuse_file(const char *name, ssize_t code, struct wattle_error *err)
{
    const char *why =
        code == -EINVAL || code == -ELOOP ? "not a regular file; put one there, or remove it"
        : code == -EFBIG ? "longer than 16 MiB, the limit for recorded hosts; shorten it"
                         : wtl_strerror((int)code);
    return wtl_fail(err, (int)code, "recorded host: %s: %s", name, why);
}

/* Read a file next to root/: its length; 0 and no text if it does not exist. */
static ssize_t slurp_at(int folder_fd, const char *name, char **ret_text, struct wattle_error *err)
{
    *ret_text = NULL;
    int fd = wtl_recorded_host_open(folder_fd, name, O_RDONLY);
    if (fd == -ENOENT)
        return 0;
    ssize_t n = fd < 0 ? fd : read_whole(fd, ret_text);
    if (fd >= 0)
        (void)close(fd); /* read only */
    return n < 0 ? refuse_file(name, n, err) : n;
}

static int load_script(int folder_fd, struct wtl_recorded_host *host, struct wattle_error *err)
{
    char *text;
    ssize_t n = slurp_at(folder_fd, "script.tsv", &text, err);
    if (!text)
        return (int)n;
    int rc = wtl_script_parse(text, (size_t)n, &host->script, err);
    free(text);
    return rc;
}

static int load_dialogue(int folder_fd, struct wtl_recorded_host *host, struct wattle_error *err)
{
    char *text;
    ssize_t n = slurp_at(folder_fd, "dialogues.tsv", &text, err);
    if (!text)
        return (int)n;
    int rc = wtl_dialogue_parse(text, (size_t)n, &host->dialogue, err);
    free(text);
    return rc;
}

static int load_env(int folder_fd, struct wtl_recorded_host *host, struct wattle_error *err)
{
    ssize_t n = slurp_at(folder_fd, "env", &host->env, err);
    if (!host->env)
        return (int)n;
    size_t room = (size_t)n + 1;
    if (wtl_reserve(&host->env, &room, room + 1, 1) < 0)
        return -ENOMEM;
    host->env[n + 1] = '\0';
    for (ssize_t i = 0; i < n; i++) {
        if (host->env[i] == '\n')
            host->env[i] = '\0';
    }
    return 0;
}

/* Lines "release 6.1.0": fields of struct utsname. */
static int load_uname(int folder_fd, struct wtl_recorded_host *host, struct wattle_error *err)
{
    struct utsname *name = &host->name;
    const struct {
        const char *key;
        char *value;
        size_t size;
    } fields[] = {
        {"sysname ", name->sysname, sizeof name->sysname},
        {"nodename ", name->nodename, sizeof name->nodename},
        {"release ", name->release, sizeof name->release},
        {"version ", name->version, sizeof name->version},
        {"machine ", name->machine, sizeof name->machine},
    };
    *name = (struct utsname){.sysname = "Linux",
                             .nodename = "recorded",
                             .release = "6.1.0",
                             .version = "#1 SMP",
                             .machine = "x86_64"};
    char *text;
    ssize_t n = slurp_at(folder_fd, "uname", &text, err);
    if (!text)
        return (int)n;
    int rc = 0;
    char *next = text;
    for (char *line; rc == 0 && (line = strsep(&next, "\n"));) {
        size_t i = 0, count = sizeof fields / sizeof *fields;
        while (i < count && strncmp(line, fields[i].key, strlen(fields[i].key)) != 0)
            i++;
        if (i < count)
            (void)snprintf(fields[i].value, fields[i].size, "%s", line + strlen(fields[i].key));
        else if (line[0])
            rc = wtl_fail(err, -EBADMSG, "recorded host: uname: '%.40s' is not a field", line);
    }
    free(text);
    return rc;
}

/* "leaf subleaf eax ebx ecx edx" */
static int parse_cpuid(char *line, struct wtl_cpuid_row *row)
{
    uint64_t numbers[6];
    for (size_t i = 0; i < 6; i++) {
        char *word = strsep(&line, " ");
        if (!word || wtl_parse_hex_u64(word, &numbers[i]) < 0 || numbers[i] > UINT32_MAX)
            return -EBADMSG;
    }
    if (line)
        return -EBADMSG;
    row->leaf = (uint32_t)numbers[0];
    row->subleaf = (uint32_t)numbers[1];
    for (size_t i = 0; i < 4; i++)
        row->regs[i] = (uint32_t)numbers[2 + i];
    return 0;
}

static int load_cpuid(int folder_fd, struct wtl_recorded_host *host, struct wattle_error *err)
{
    char *text;
    ssize_t n = slurp_at(folder_fd, "cpuid", &text, err);
    if (!text)
        return (int)n;
    size_t lines = 1;
    for (ssize_t i = 0; i < n; i++)
        lines += text[i] == '\n';
    host->cpuid = calloc(lines, sizeof *host->cpuid);
    int rc = host->cpuid ? 0 : -ENOMEM;
    char *next = text;
    for (char *line; rc == 0 && (line = strsep(&next, "\n"));) {
        if (line[0] == '\0' || line[0] == '#')
            continue;
        rc = parse_cpuid(line, &host->cpuid[host->cpuid_count]);
        if (rc < 0)
            (void)wtl_fail(err, rc, "recorded host: cpuid: row %zu: expected six numbers",
                           host->cpuid_count + 1);
        else
            host->cpuid_count++;
    }
    free(text);
    return rc;
}

static int load_euid(int folder_fd, struct wtl_recorded_host *host, struct wattle_error *err)
{
    char *text;
    uint64_t value;
    host->euid = 1000;
    ssize_t n = slurp_at(folder_fd, "euid", &text, err);
    if (!text)
        return (int)n;
    int used = wtl_scan_u64(text, (size_t)n, &value);
    free(text);
    if (used < 0 || value > UINT32_MAX)
        return wtl_fail(err, -EBADMSG, "recorded host: euid: expected a number, 0 for root");
    host->euid = (uid_t)value;
    return 0;
}

/* A path being resolved: the resolved part and the rest. */
struct walk {
    char *out;
    size_t used;
    char rest[2 * PATH_MAX];
    char *next;
};

/* Insert the target of a link before the rest; parent = length of out before the link's name. */
static int follow(struct walk *walk, const char *target, size_t parent)
{
    char joined[2 * PATH_MAX];
    int n = snprintf(joined, sizeof joined, "%s/%s", target, walk->next);
    if (n < 0 || (size_t)n >= sizeof joined)
        return -ENAMETOOLONG;
    memcpy(walk->rest, joined, (size_t)n + 1);
    walk->next = walk->rest;
    walk->used = target[0] == '/' ? 0 : parent;
    return 0;
}

/* Append one component, n bytes at next, to out; ".." removes one. 1 when out grew. */
static int step(struct walk *walk, size_t n)
{
    const char *name = walk->next;
    walk->next += n;
    if (n == 1 && name[0] == '.')
        return 0;
    if (n == 2 && name[0] == '.' && name[1] == '.') {
        while (walk->used > 0 && walk->out[--walk->used] != '/')
            ;
        return 0;
    }
    if (walk->used + n + 2 > PATH_MAX)
        return -ENAMETOOLONG;
    walk->out[walk->used++] = '/';
    memcpy(walk->out + walk->used, name, n);
    walk->used += n;
    walk->out[walk->used] = '\0';
    return 1;
}

int wtl_recorded_resolve(const struct wtl_recorded_host *host,
                         const char *path,
                         int keep_last,
                         char out[PATH_MAX])
{
    struct walk walk = {.out = out, .next = walk.rest};
    char target[PATH_MAX];
    unsigned links = 0;
    if (path[0] != '/')
        return -EINVAL;
    if (strlen(path) >= PATH_MAX)
        return -ENAMETOOLONG;
    (void)snprintf(walk.rest, sizeof walk.rest, "%s", path);
    for (;;) {
        walk.next += strspn(walk.next, "/");
        size_t n = strcspn(walk.next, "/"), parent = walk.used;
        if (n == 0)
            break;
        int rc = step(&walk, n);
        if (rc < 0)
            return rc;
        int last = walk.next[strspn(walk.next, "/")] == '\0';
        if (rc == 0 || (keep_last && last))
            continue;
        ssize_t got = readlinkat(host->root_fd, out + 1, target, sizeof target - 1);
        if (got < 0)
            continue; /* not a link, or missing: opening it will report that */
        target[got] = '\0';
        rc = ++links > LINKS_MAX ? -ELOOP : follow(&walk, target, parent);
        if (rc < 0)
            return rc;
    }
    if (walk.used == 0)
        out[walk.used++] = '/';
    out[walk.used] = '\0';
    return 0;
}

size_t wtl_recorded_rows(const struct wtl_recorded_host *host,
                         const char *path,
                         const struct wtl_script_row **ret_rows)
{
    size_t low = 0, high = host->script.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(host->script.rows[middle].path, path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    size_t n = 0;
    while (low + n < host->script.count && strcmp(host->script.rows[low + n].path, path) == 0)
        n++;
    *ret_rows = n ? host->script.rows + low : NULL;
    return n;
}

/* A script must name files by paths without links, so that a row cannot miss its file. */
static int check_script(const struct wtl_recorded_host *host, struct wattle_error *err)
{
    char out[PATH_MAX];
    for (size_t i = 0; i < host->script.count; i++) {
        const struct wtl_script_row *row = &host->script.rows[i];
        struct stat st;
        int rc = wtl_recorded_resolve(host, row->path, 0, out);
        if (rc == 0 && strcmp(out, row->path) != 0)
            return wtl_fail(err, -EBADMSG, "script: line %u: %s is a link; use %s", row->line,
                            row->path, out);
        if (rc < 0 || fstatat(host->root_fd, row->path + 1, &st, AT_SYMLINK_NOFOLLOW) < 0)
            return wtl_fail(err, -EBADMSG, "script: line %u: %s is not in root/", row->line,
                            row->path);
    }
    return 0;
}

int wtl_recorded_host_load(const char *folder,
                           struct wtl_recorded_host *ret_host,
                           struct wattle_error *err)
{
    struct wtl_recorded_host host = {.root_fd = -1};
    int folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder_fd < 0)
        return wtl_fail(err, -errno, "recorded host: %s: %s", folder, wtl_strerror(errno));
    int rc = 0;
    host.root_fd = openat(folder_fd, "root", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (host.root_fd < 0)
        rc = wtl_fail(err, -errno, "recorded host: %s/root: %s", folder, wtl_strerror(errno));
    if (rc == 0)
        rc = load_script(folder_fd, &host, err);
    if (rc == 0)
        rc = check_script(&host, err);
    if (rc == 0)
        rc = load_dialogue(folder_fd, &host, err);
    if (rc == 0)
        rc = load_env(folder_fd, &host, err);
    if (rc == 0)
        rc = load_uname(folder_fd, &host, err);
    if (rc == 0)
        rc = load_cpuid(folder_fd, &host, err);
    if (rc == 0)
        rc = load_euid(folder_fd, &host, err);
    (void)close(folder_fd); /* read only */
    if (rc < 0) {
        wtl_recorded_host_fini(&host);
        return rc;
    }
    *ret_host = host;
    return 0;
}

void wtl_recorded_host_fini(struct wtl_recorded_host *host)
{
    if (host->root_fd >= 0)
        (void)close(host->root_fd); /* read only */
    wtl_script_fini(&host->script);
    wtl_dialogue_fini(&host->dialogue);
    free(host->env);
    free(host->cpuid);
    *host = (struct wtl_recorded_host){.root_fd = -1};
}
