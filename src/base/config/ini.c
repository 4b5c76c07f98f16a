/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of an INI file: see ini.h. Each line is copied, split and parsed separately. */
#include "base/config/ini.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

struct wtl_ini wtl_ini_of(const char *file, const char *text, size_t size)
{
    return (struct wtl_ini){.file = file, .text = text, .size = size};
}

static int refuse(const struct wtl_ini *ini,
                  const char *what,
                  const char *word,
                  struct wattle_error *err)
{
    return wtl_fail(err, -EBADMSG, "%s:%u: %s%s%s%s", ini->file, ini->number, what,
                    word ? " \"" : "", word ? word : "", word ? "\"" : "");
}

static char *trim(char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    size_t n = strlen(text);
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t' || text[n - 1] == '\r'))
        text[--n] = '\0';
    return text;
}

/* Copy the line at `at` into ini->line; *ret_size is set to its size in the text. */
static int read_line(struct wtl_ini *ini, size_t *ret_size, struct wattle_error *err)
{
    const char *start = ini->text + ini->at;
    const char *end = memchr(start, '\n', ini->size - ini->at);
    size_t n = end ? (size_t)(end - start) : ini->size - ini->at;
    if (n >= sizeof ini->line)
        return refuse(ini, "the line is longer than 4095 bytes", NULL, err);
    if (memchr(start, '\0', n))
        return refuse(ini, "NUL byte; the file must be plain text", NULL, err);
    memcpy(ini->line, start, n);
    ini->line[n] = '\0';
    *ret_size = n + (end ? 1 : 0);
    return 0;
}

static int take_section(struct wtl_ini *ini,
                        char *text,
                        struct wtl_ini_line *line,
                        struct wattle_error *err)
{
    size_t n = strlen(text);
    if (text[n - 1] != ']')
        return refuse(ini, "expected [name], found", text, err);
    text[n - 1] = '\0';
    line->kind = WTL_INI_SECTION;
    line->name = trim(text + 1);
    ini->in_section = true;
    return 0;
}

static int take_pair(struct wtl_ini *ini,
                     char *text,
                     struct wtl_ini_line *line,
                     struct wattle_error *err)
{
    char *equals = strchr(text, '=');
    if (!equals)
        return refuse(ini, "expected \"key = value\" or \"[section]\", found", text, err);
    *equals = '\0';
    line->kind = WTL_INI_PAIR;
    line->name = trim(text);
    line->value = trim(equals + 1);
    return ini->in_section ? 0 : refuse(ini, "missing [section] before the key", line->name, err);
}

/* The text at this position, without surrounding blanks. */
static int take_text(struct wtl_ini *ini,
                     char *text,
                     struct wtl_ini_line *line,
                     struct wattle_error *err)
{
    line->kind = WTL_INI_COMMENT;
    if (*text == '#' || *text == ';')
        return 0;
    for (const char *p = text; *p; p++) {
        if (iscntrl((unsigned char)*p) && *p != '\t')
            return refuse(ini, "control character; the file must be plain text", NULL, err);
    }
    line->kind = WTL_INI_EMPTY;
    if (*text == '[')
        return take_section(ini, text, line, err);
    return *text ? take_pair(ini, text, line, err) : 0;
}

int wtl_ini_next(struct wtl_ini *ini, struct wtl_ini_line *ret_line, struct wattle_error *err)
{
    struct wtl_ini_line line = {.offset = ini->at};
    if (ini->at >= ini->size)
        return 0;
    ini->number++;
    int rc = read_line(ini, &line.size, err);
    rc = rc < 0 ? rc : take_text(ini, trim(ini->line), &line, err);
    if (rc < 0)
        return rc;
    ini->at += line.size;
    *ret_line = line;
    return 1;
}

bool wtl_ini_skip(struct wtl_ini *ini)
{
    const char *start = ini->text + ini->at, *all = ini->text + ini->size;
    const char *end = memchr(start, '\n', ini->size - ini->at);
    ini->at = end ? (size_t)(end - ini->text) + 1 : ini->size;
    while (start < all && (*start == ' ' || *start == '\t'))
        start++;
    return start < all && *start == '[';
}

int wtl_ini_load(const struct wtl_world *world,
                 const char *path,
                 char **ret_text,
                 size_t *ret_size,
                 struct wattle_error *err)
{
    int fd = world->ops->open(world, path, O_RDONLY | O_NONBLOCK);
    if (fd == -ENOENT || fd == -ENOTDIR)
        return -ENOENT;
    if (fd == -EACCES && !world->ops->exists(world, path))
        return -ENOENT; /* the home folder of another user: it contains no settings of ours */
    if (fd < 0)
        return wtl_fail(err, fd, "%s: %s", path, wtl_strerror(fd));
    char *text = malloc(WTL_INI_FILE_MAX + 1);
    size_t used = 0;
    ssize_t got = text ? 0 : -ENOMEM;
    while (text && used <= WTL_INI_FILE_MAX &&
           (got = world->ops->pread(world, fd, text + used, WTL_INI_FILE_MAX + 1 - used,
                                    (off_t)used)) > 0)
        used += (size_t)got;
    world->ops->close(world, fd);
    int rc = 0;
    if (got < 0)
        rc = wtl_fail(err, (int)got, "%s: %s", path, wtl_strerror((int)got));
    else if (used > WTL_INI_FILE_MAX)
        rc =
            wtl_fail(err, -EBADMSG, "%s: too large for a configuration file (at most 1 MiB)", path);
    if (rc < 0) {
        free(text);
        return rc;
    }
    *ret_text = text;
    *ret_size = used;
    return 0;
}
