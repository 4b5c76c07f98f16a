/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that no output may replace: see inputs.h. Arguments are examined only if an output exists, which is
 * rare: a folder may contain thousands of traces. */
#define _GNU_SOURCE
#include "cli/inputs.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/cluster/run_result.h"
#include "analysis/traces/trace_list.h"
#include "base/fail.h"
#include "base/grow.h"

static struct {
    const char **words;
    size_t word_count, seen; /* seen: arguments whose files are in ids */
    struct file {
        dev_t device;
        ino_t inode;
    } * files;
    size_t file_count;
    bool failed; /* out of memory: no existing file is replaced */
} inputs;

void wtl_input_note(const char *word)
{
    if (wtl_grow(&inputs.words, inputs.word_count, sizeof *inputs.words) < 0)
        inputs.failed = true;
    else
        inputs.words[inputs.word_count++] = word;
}

static void add_file(const char *path)
{
    struct stat about;
    if (stat(path, &about) < 0 || !S_ISREG(about.st_mode))
        return;
    if (wtl_grow(&inputs.files, inputs.file_count, sizeof *inputs.files) < 0)
        inputs.failed = true;
    else
        inputs.files[inputs.file_count++] = (struct file){about.st_dev, about.st_ino};
}

static void add_word(const char *word)
{
    struct wtl_trace_list list = {0};
    add_file(word);
    if (wtl_trace_list_add(&list, word, NULL) == -ENOMEM)
        inputs.failed = true;
    for (size_t i = 0; i < list.count; i++)
        add_file(list.paths[i]);
    wtl_trace_list_fini(&list);
}

static void look_at_words(void)
{
    for (; inputs.seen < inputs.word_count; inputs.seen++) {
        const char *word = inputs.words[inputs.seen], *equals = strchr(word, '=');
        static const char replay[] = "replay:";
        add_word(word);
        if (equals)
            add_word(equals + 1);
        if (strncmp(word, replay, sizeof replay - 1) == 0)
            add_word(word + sizeof replay - 1);
    }
}

/* The place of a file among the inputs; their number if it is none. */
static size_t find_file(const struct stat *about)
{
    size_t i = 0;
    while (i < inputs.file_count &&
           (inputs.files[i].device != about->st_dev || inputs.files[i].inode != about->st_ino))
        i++;
    return i;
}

void wtl_input_release(const char *path)
{
    struct stat about;
    size_t i;
    if (stat(path, &about) < 0)
        return;
    look_at_words();
    while ((i = find_file(&about)) < inputs.file_count)
        inputs.files[i] = inputs.files[--inputs.file_count];
}

int wtl_input_spare(const char *path, struct wattle_error *err)
{
    struct stat about;
    if (stat(path, &about) < 0 || !S_ISREG(about.st_mode))
        return 0;
    look_at_words();
    if (inputs.failed)
        return wtl_no_memory_for(err, "a look at %s", path);
    return find_file(&about) == inputs.file_count
               ? 0
               : wtl_fail(err, -EINVAL, "%s is one of the input files; choose another output",
                          path);
}

/* A name without trailing slashes, which a folder may have. False: too long. */
static bool bare_name(const char *path, char *name, size_t n)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length >= n)
        return false;
    memcpy(name, path, length);
    name[length] = '\0';
    return true;
}

/* The folder of a name. */
static bool look_at_folder(const char *path, struct stat *ret_about)
{
    char folder[4096];
    const char *slash = strrchr(path, '/');
    size_t size = slash ? (size_t)(slash - path) + 1 : 0;
    if (size + 2 > sizeof folder)
        return false;
    memcpy(folder, path, size);
    memcpy(folder + size, ".", 2);
    return stat(folder, ret_about) == 0;
}

int wtl_outputs_differ(const char *a, const char *b, struct wattle_error *err)
{
    struct stat about[2];
    char one[4096], other[4096];
    if (!a || !b || !bare_name(a, one, sizeof one) || !bare_name(b, other, sizeof other))
        return 0;
    if (stat(one, &about[0]) == 0 && stat(other, &about[1]) == 0) {
        if (!S_ISREG(about[0].st_mode) && !S_ISDIR(about[0].st_mode))
            return 0; /* /dev/null takes both */
    } else if (strcmp(basename(one), basename(other)) != 0 || !look_at_folder(one, &about[0]) ||
               !look_at_folder(other, &about[1])) {
        return 0;
    }
    if (about[0].st_dev != about[1].st_dev || about[0].st_ino != about[1].st_ino)
        return 0;
    return wtl_fail(err, -EINVAL, "%s and %s are the same file; choose different files", a, b);
}

void wtl_input_tell(const struct wtl_command *command,
                    const char *path,
                    const struct wtl_trace_reader *reader)
{
    struct wtl_result result = {.flag_count = 0};
    if (wtl_run_result_flag(reader, &result) < 0)
        wtl_complain(command, WTL_NO_MEMORY);
    for (size_t i = 0; i < result.flag_count; i++)
        wtl_complain(command, "%s: %s", path, result.flags[i].text);
    wtl_result_fini(&result);
}
