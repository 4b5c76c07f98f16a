/* SPDX-License-Identifier: BSD-3-Clause */
/* Accessed paths as entries: files with contents, folders with names, links on the path: see gather.h. */
#define _GNU_SOURCE
#include "cli/gather/gather.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

enum { LINKS = 40, CONTENT_MAX = 1 << 20 };

/* Is it a link? Its target, and an entry for it. -ENOENT when it is none. */
static int take_link(struct wtl_gather *gather, const char *path, char target[PATH_MAX])
{
    ssize_t n = gather->world->ops->readlink(gather->world, path, target, PATH_MAX);
    if (n < 0)
        return -ENOENT;
    struct wtl_gathered *entry = wtl_gather_entry(gather, path);
    if (!entry)
        return -ENOMEM;
    if (entry->kind == WTL_GATHERED_LINK)
        return 0;
    entry->kind = WTL_GATHERED_LINK;
    free(entry->text);
    entry->text = strdup(target);
    return entry->text ? 0 : -ENOMEM;
}

/* Append one part of a path to out; "." and ".." are resolved. Returns 0 or -ENAMETOOLONG. */
static int append_part(char out[PATH_MAX], const char *part, size_t n)
{
    size_t used = strlen(out);
    if (n == 1 && part[0] == '.')
        return 0;
    if (n == 2 && part[0] == '.' && part[1] == '.') {
        if (used > 0)
            *strrchr(out, '/') = '\0';
        return 0;
    }
    if (used + n + 2 > PATH_MAX)
        return -ENAMETOOLONG;
    (void)snprintf(out + used, PATH_MAX - used, "/%.*s", (int)n, part);
    return 0;
}

/* The path without links, which become entries on the way. Returns 0, -ELOOP, -ENAMETOOLONG, -ENOMEM. */
static int canonical(struct wtl_gather *gather, const char *path, char out[PATH_MAX])
{
    char rest[PATH_MAX], target[PATH_MAX], joined[2 * PATH_MAX];
    int links = 0;
    out[0] = '\0';
    if ((size_t)snprintf(rest, sizeof rest, "%s", path) >= sizeof rest)
        return -ENAMETOOLONG;
    for (char *p = rest; *(p += strspn(p, "/"));) {
        size_t n = strcspn(p, "/"), used = strlen(out);
        int rc = append_part(out, p, n);
        p += n;
        if (rc == 0 && strlen(out) > used && strcmp(out, "/proc/self") != 0)
            rc = take_link(gather, out, target);
        else if (rc == 0)
            rc = -ENOENT;
        if (rc == -ENOENT)
            continue;
        if (rc < 0 || ++links > LINKS)
            return rc < 0 ? rc : -ELOOP;
        (void)snprintf(joined, sizeof joined, "%s/%s", target, p);
        if (strlen(joined) >= sizeof rest)
            return -ENAMETOOLONG;
        memcpy(rest, joined, strlen(joined) + 1);
        out[target[0] == '/' ? 0 : used] = '\0';
        p = rest;
    }
    return 0;
}

/* The failure as the script writes it. */
static const char *failure_word(int error)
{
    static const struct {
        int error;
        const char *word;
    } words[] = {{EACCES, "!EACCES"},      {EPERM, "!EPERM"},   {ENODEV, "!ENODEV"},
                 {ENODATA, "!ENODATA"},    {EINVAL, "!EINVAL"}, {EAGAIN, "!EAGAIN"},
                 {ETIMEDOUT, "!ETIMEDOUT"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (words[i].error == error)
            return words[i].word;
    }
    return "!EIO";
}

void wtl_gather_fails(struct wtl_gathered *entry, int status)
{
    (void)snprintf(entry->script, sizeof entry->script, "%s", failure_word(-status));
}

/* Is the number in this file a counter, so that two readings give its rate? */
static bool is_counter(const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    return strstr(name, "energy") != NULL || strcmp(name, "freshness") == 0;
}

static int take_content(struct wtl_gather *gather, struct wtl_gathered *entry)
{
    const struct wtl_world *world = gather->world;
    char *text;
    uint64_t now_ns = wtl_world_monotonic(world);
    ssize_t n = wtl_world_slurp(world, entry->path, &text);
    if (n == -ENOMEM)
        return (int)n;
    if (n == -EISDIR) {
        entry->kind = WTL_GATHERED_FOLDER;
        return 0;
    }
    if (n < 0 && n != -ENOENT)
        wtl_gather_fails(entry, (int)n);
    if (n < 0)
        return 0;
    if (n > CONTENT_MAX)
        text[CONTENT_MAX] = '\0';
    free(entry->text);
    entry->text = text;
    entry->size = strlen(text);
    entry->counts = is_counter(entry->path) && wtl_scan_u64(text, entry->size, &entry->number) > 0;
    entry->number_ns = now_ns;
    return 0;
}

/* Resolve the path: 1 with its entry if it exists and may be saved, else 0, or -ENOMEM. */
static int place(struct wtl_gather *gather, const char *path, struct wtl_gathered **ret_entry)
{
    char real[PATH_MAX];
    if (!wtl_gather_allows(path)) {
        gather->left_out++;
        return 0;
    }
    int rc = canonical(gather, path, real);
    if (rc < 0 || !real[0] || !wtl_gather_allows(real))
        return rc == -ENOMEM ? rc : 0;
    if (!gather->world->ops->exists(gather->world, real))
        return 0; /* a link that leads nowhere is an entry already */
    *ret_entry = wtl_gather_entry(gather, real);
    return *ret_entry ? 1 : -ENOMEM;
}

static bool is_folder(const struct wtl_world *world, const char *path)
{
    char **names;
    int count = world->ops->list(world, path, &names);
    if (count >= 0)
        free(names);
    return count >= 0;
}

int wtl_gather_file(struct wtl_gather *gather, const char *path, int status, bool content)
{
    struct wtl_gathered *entry;
    if (status == -ENOENT || status == -ENOTDIR || status == -ENODEV || status == -ENXIO)
        return 0;
    int rc = place(gather, path, &entry);
    if (rc <= 0)
        return rc;
    if (status == 0 && entry->kind == WTL_GATHERED_FILE && !entry->text &&
        is_folder(gather->world, entry->path))
        entry->kind = WTL_GATHERED_FOLDER;
    if (entry->kind != WTL_GATHERED_FILE)
        return 0;
    if (status < 0)
        wtl_gather_fails(entry, status);
    return status == 0 && content && !entry->text ? take_content(gather, entry) : 0;
}

/* The names in a folder, not their contents. */
static int take_names(struct wtl_gather *gather, const char *folder)
{
    char child[PATH_MAX + 256], **names;
    int rc = 0, count = gather->world->ops->list(gather->world, folder, &names);
    for (int i = 0; i < count && rc == 0; i++) {
        (void)snprintf(child, sizeof child, "%s/%s", folder, names[i]);
        if (wtl_gather_allows(child))
            rc = wtl_gather_file(gather, child, 0, false);
    }
    if (count >= 0)
        free(names);
    return rc;
}

int wtl_gather_folder(struct wtl_gather *gather, const char *path, int status)
{
    struct wtl_gathered *entry;
    char real[PATH_MAX];
    if (status < 0 && status != -EACCES && status != -EPERM)
        return 0;
    int rc = place(gather, path, &entry);
    if (rc <= 0)
        return rc;
    entry->kind = WTL_GATHERED_FOLDER;
    if (status < 0)
        wtl_gather_fails(entry, status);
    if (status < 0 || (size_t)snprintf(real, sizeof real, "%s", entry->path) >= sizeof real)
        return 0;
    return take_names(gather, real); /* entries move */
}
