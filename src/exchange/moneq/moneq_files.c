/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the files and the node cards in them: see moneq_files.h. */
#define _GNU_SOURCE
#include "exchange/moneq/moneq_files.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/hash.h"
#include "base/natural.h"
#include "base/whole.h"
#include "exchange/import/text_source.h"
#include "exchange/moneq/moneq_line.h"
#include "exchange/moneq/moneq_note.h"

#define PREFIX "MonEQ-"

static int append_file(struct wtl_moneq_files *files,
                       const char *path,
                       const char *part,
                       const char *name,
                       struct wattle_error *err)
{
    if (wtl_grow(&files->parts, files->count, sizeof *files->parts) < 0)
        return wtl_no_memory_for(err, "the list of files");
    struct wtl_moneq_part *to = &files->parts[files->count++];
    *to = (struct wtl_moneq_part){
        .path = strdup(path), .part = part ? strdup(part) : NULL, .name = strdup(name)};
    return to->path && to->name && (!part || to->part)
               ? 0
               : wtl_no_memory_for(err, "the list of files");
}

/* The name of a file without the part that all share. */
static char *stem(const char *path)
{
    static const char *const ends[] = {".gz", ".zst", ".txt", ".csv", ".dat"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (strncmp(name, PREFIX, strlen(PREFIX)) == 0 && name[strlen(PREFIX)])
        name += strlen(PREFIX);
    char *text = strdup(name);
    for (size_t i = 0; text && i < sizeof ends / sizeof *ends; i++) {
        size_t n = strlen(text), end = strlen(ends[i]);
        if (n > end && strcmp(text + n - end, ends[i]) == 0)
            text[n - end] = '\0';
    }
    return text;
}

/* ---- what a file holds ---- */

struct holding {
    struct wtl_moneq_place *places;
    size_t count;
};

static int learn(struct holding *holding, const struct wtl_moneq_place *place)
{
    for (size_t i = holding->count; i-- > 0;) { /* usually that of the previous line */
        if (memcmp(&holding->places[i], place, sizeof *place) == 0)
            return 0;
    }
    if (wtl_grow(&holding->places, holding->count, sizeof *holding->places) < 0)
        return -ENOMEM;
    holding->places[holding->count++] = *place;
    return 0;
}

/* Find the node cards of a file, in order of appearance; its first sample goes into the hash. Read
 * errors are reported when it is imported. */
static int look_into(const char *path,
                     struct holding *holding,
                     uint64_t *hash,
                     struct wattle_error *err)
{
    struct wtl_text_source *source = NULL;
    struct wtl_moneq_line line;
    const char *why;
    char *text;
    size_t n;
    bool any = false;
    int rc = wtl_text_source_open(path, &source, err);
    while (rc >= 0 && (rc = wtl_text_source_next(source, &text, &n, err)) > 0) {
        if (wtl_moneq_line_parse(text, n, &line, &why) < 0 || line.what != WTL_MONEQ_SAMPLE)
            continue;
        if (!any)
            *hash = wtl_hash_bytes(*hash, text, n);
        any = true;
        if (line.has_place && learn(holding, &line.place) < 0)
            rc = wtl_no_memory_for(err, "the list of files");
    }
    wtl_text_source_close(source);
    return rc < 0 ? rc : 0;
}

static int add_file(struct wtl_moneq_files *files,
                    const char *path,
                    uint64_t *hash,
                    struct wattle_error *err)
{
    struct holding holding = {.count = 0};
    char *name = stem(path), place[48];
    struct wtl_moneq_note note;
    int rc =
        name ? look_into(path, &holding, hash, err) : wtl_no_memory_for(err, "the list of files");
    if (rc == 0 && holding.count < 2)
        rc = append_file(files, path, NULL, name, err);
    for (size_t i = 0; rc == 0 && holding.count >= 2 && i < holding.count; i++) {
        wtl_moneq_place_print(&holding.places[i], place);
        rc = append_file(files, path, place, place, err);
    }
    if (rc == 0 && !files->run_id[0] && wtl_moneq_note_find(path, &note) && note.run_id[0])
        memcpy(files->run_id, note.run_id, sizeof files->run_id);
    free(holding.places);
    free(name);
    return rc;
}

/* ---- folders ---- */

static int is_data(const struct dirent *entry)
{
    return strncmp(entry->d_name, PREFIX, strlen(PREFIX)) == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return wtl_natural_compare((*a)->d_name, (*b)->d_name);
}

static int add_folder(struct wtl_moneq_files *files,
                      const char *folder,
                      uint64_t *hash,
                      struct wattle_error *err)
{
    static const char *const reduced[] = {"original.csv", "moneq_output/original.csv"};
    struct dirent **entries = NULL;
    char *path = NULL;
    int count = scandir(folder, &entries, is_data, by_name);
    int rc = count < 0 ? wtl_fail(err, -errno, "%s: %s", folder, wtl_strerror(errno)) : 0;
    for (int i = 0; i < count; i++) {
        if (rc == 0 && asprintf(&path, "%s/%s", folder, entries[i]->d_name) < 0)
            rc = wtl_no_memory_for(err, "the list of files");
        else if (rc == 0) {
            rc = add_file(files, path, hash, err);
            free(path);
        }
        free(entries[i]);
    }
    free(entries);
    for (size_t i = 0; rc == 0 && count == 0 && i < 2; i++) {
        if (asprintf(&path, "%s/%s", folder, reduced[i]) < 0)
            return wtl_no_memory_for(err, "the list of files");
        bool there = access(path, F_OK) == 0;
        rc = there ? add_file(files, path, hash, err) : 0;
        free(path);
        if (there)
            return rc;
    }
    if (rc == 0 && count == 0)
        return wtl_fail(err, -ENOENT,
                        "%s contains no file \"" PREFIX "...\" and no original.csv; give the files",
                        folder);
    return rc;
}

static int compare(const void *a, const void *b)
{
    const struct wtl_moneq_part *x = a, *y = b;
    return wtl_natural_compare(x->name, y->name);
}

int wtl_moneq_files_find(const char *const *words,
                         size_t n,
                         struct wtl_moneq_files *ret_files,
                         struct wattle_error *err)
{
    uint64_t hash = WTL_HASH_START;
    struct stat about;
    int rc = 0;
    *ret_files = (struct wtl_moneq_files){.count = 0};
    for (size_t i = 0; rc == 0 && i < n; i++) {
        if (stat(words[i], &about) == 0 && S_ISDIR(about.st_mode))
            rc = add_folder(ret_files, words[i], &hash, err);
        else
            rc = add_file(ret_files, words[i], &hash, err);
    }
    if (rc < 0)
        return rc;
    wtl_sort(ret_files->parts, ret_files->count, sizeof *ret_files->parts, compare);
    for (size_t i = 1; i < ret_files->count; i++) {
        const struct wtl_moneq_part *a = &ret_files->parts[i - 1], *b = a + 1;
        if (strcmp(a->name, b->name) == 0)
            return wtl_fail(err, -EEXIST,
                            "%s and %s are from the same node card (%s); import them one by one",
                            a->path, b->path, a->name);
    }
    if (!ret_files->run_id[0])
        (void)snprintf(ret_files->run_id, sizeof ret_files->run_id, "moneq-%016" PRIx64, hash);
    return 0;
}

void wtl_moneq_files_fini(struct wtl_moneq_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->parts[i].path);
        free(files->parts[i].part);
        free(files->parts[i].name);
    }
    free(files->parts);
    *files = (struct wtl_moneq_files){.count = 0};
}
