/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing sections to a calibration file: see calibration.h. Under the lock the file is read, the new text is
 * assembled from pieces of the old one and the new sections, parsed as a check, and put in place by a rename.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/config/ini.h"
#include "base/fail.h"
#include "base/lock_file.h"
#include "model/calibration/calibration.h"

/* The lock is held for milliseconds, or longer on a network file system that has to recover. */
#define PATIENCE_NS 10000000000U

/* ---- text ---- */

/* Whether it can be stored in the file and read back. */
static bool is_plain(const char *text)
{
    size_t n = strlen(text);
    for (size_t i = 0; i < n; i++) {
        if (iscntrl((unsigned char)text[i]))
            return false;
    }
    return n < WTL_INI_LINE_MAX / 4 && text[0] != ' ' && (n == 0 || text[n - 1] != ' ');
}

static bool is_word(const char *text)
{
    return *text && is_plain(text) && !strchr(text, ' ');
}

static int check_section(const struct wtl_calibration_section *section, struct wattle_error *err)
{
    if (!is_word(section->kind) || !is_word(section->host) || !*section->item ||
        !is_plain(section->item))
        return wtl_fail(err, -EINVAL, "calibration: invalid section name [%s %s %s]", section->kind,
                        section->host, section->item);
    for (size_t i = 0; i < section->count; i++) {
        const struct wtl_calibration_entry *entry = &section->entries[i];
        bool comment = strcmp(entry->key, "#") == 0;
        if (!is_plain(entry->value) ||
            (!comment && (!is_word(entry->key) || strpbrk(entry->key, "=#;["))))
            return wtl_fail(err, -EINVAL, "calibration: cannot write \"%.60s = %.60s\"", entry->key,
                            entry->value);
    }
    return 0;
}

static void write_section(FILE *out, const struct wtl_calibration_section *section)
{
    (void)fprintf(out, "[%s %s %s]\n", section->kind, section->host, section->item);
    for (size_t i = 0; i < section->count; i++) {
        const struct wtl_calibration_entry *entry = &section->entries[i];
        (void)fprintf(out, "%s%s%s\n", entry->key, strcmp(entry->key, "#") == 0 ? " " : " = ",
                      entry->value);
    }
}

/* A range of the old text, and the section that replaces it. */
struct stretch {
    size_t start, end;
};

/*
 * End of the section that begins in the line `at` of the text: after its last pair and the comments that
 * immediately follow, except a comment that introduces the next section.
 */
static size_t end_of_section(const char *text, size_t size, size_t at)
{
    struct wattle_error err;
    struct wtl_ini ini = wtl_ini_of("", text + at, size - at);
    struct wtl_ini_line line;
    size_t end = 0, with_comments = 0;
    bool comments_follow = true;
    if (wtl_ini_next(&ini, &line, &err) > 0)
        end = with_comments = line.size;
    while (wtl_ini_next(&ini, &line, &err) > 0 && line.kind != WTL_INI_SECTION) {
        if (line.kind == WTL_INI_PAIR) {
            comments_follow = true;
            end = with_comments = line.offset + line.size;
        } else if (line.kind == WTL_INI_EMPTY) {
            comments_follow = false;
        } else if (comments_follow) {
            with_comments = line.offset + line.size;
        }
    }
    bool leads = comments_follow && line.kind == WTL_INI_SECTION;
    return at + (leads ? end : with_comments);
}

/* Find the range of the section in a text that has been parsed; false: not in the text. */
static bool find_stretch(const char *text,
                         size_t size,
                         const struct wtl_calibration_section *section,
                         struct stretch *ret_stretch)
{
    struct wattle_error err;
    struct wtl_ini ini = wtl_ini_of("", text, size);
    struct wtl_ini_line line;
    while (wtl_ini_next(&ini, &line, &err) > 0) {
        struct wtl_calibration *one = NULL;
        if (line.kind != WTL_INI_SECTION ||
            wtl_calibration_text("", text + line.offset, line.size, &one, &err) < 0)
            continue;
        bool found = wtl_calibration_find(one, section->kind, section->host, section->item);
        wtl_calibration_destroy(one);
        if (found) {
            *ret_stretch = (struct stretch){line.offset, end_of_section(text, size, line.offset)};
            return true;
        }
    }
    return false;
}

/* The text with one section inserted or replaced; malloc'ed. */
static int put_section(const char *text,
                       size_t size,
                       const struct wtl_calibration_section *section,
                       char **ret_text,
                       size_t *ret_size)
{
    struct stretch stretch = {size, size};
    FILE *out = open_memstream(ret_text, ret_size);
    if (!out)
        return -ENOMEM;
    if (!find_stretch(text, size, section, &stretch) && size > 0) {
        (void)fwrite(text, 1, size, out);
        (void)fputs(text[size - 1] == '\n' ? "\n" : "\n\n", out);
    } else {
        (void)fwrite(text, 1, stretch.start, out);
    }
    write_section(out, section);
    if (stretch.end < size && !strchr("\r\n", text[stretch.end]))
        (void)fputc('\n', out); /* a comment that follows immediately would be taken as part of
                                   the section */
    (void)fwrite(text + stretch.end, 1, size - stretch.end, out);
    bool bad = ferror(out) != 0;
    if (fclose(out) != 0 || bad) {
        free(*ret_text);
        *ret_text = NULL;
        return -ENOMEM;
    }
    return 0;
}

/* Put all sections; *text, malloc'ed, is replaced. */
static int put_sections(const char *path,
                        const struct wtl_calibration_section *sections,
                        size_t count,
                        char **text,
                        size_t *size,
                        struct wattle_error *err)
{
    struct wtl_calibration *check = NULL;
    int rc = wtl_calibration_text(path, *text ? *text : "", *size, &check, err);
    wtl_calibration_destroy(check);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        char *next = NULL;
        size_t next_size = 0;
        rc = put_section(*text ? *text : "", *size, &sections[i], &next, &next_size);
        if (rc < 0)
            return wtl_no_memory_for(err, "%s", path);
        free(*text);
        *text = next;
        *size = next_size;
    }
    if (rc == 0 && *size > WTL_INI_FILE_MAX)
        rc = wtl_fail(err, -EFBIG, "%s: would exceed 1 MiB; remove old sections", path);
    return rc;
}

/* ---- files ---- */

int wtl_calibration_target(const char *path, char *buf, size_t n, struct wattle_error *err)
{
    if (!*path)
        return wtl_fail(err, -EINVAL, "calibration: the name of its file is empty");
    if ((size_t)snprintf(buf, n, "%s", path) >= n)
        return wtl_fail(err, -ENAMETOOLONG, "%s: the path is too long", path);
    for (int i = 0; i < 40; i++) {
        char target[PATH_MAX], next[2 * PATH_MAX];
        ssize_t length = readlink(buf, target, sizeof target - 1);
        if (length < 0)
            return 0; /* not a link: opening it will report any other problem */
        target[length] = '\0';
        const char *slash = strrchr(buf, '/');
        int folder = target[0] == '/' || !slash ? 0 : (int)(slash - buf) + 1;
        (void)snprintf(next, sizeof next, "%.*s%s", folder, buf, target);
        if ((size_t)snprintf(buf, n, "%s", next) >= n)
            return wtl_fail(err, -ENAMETOOLONG, "%s: the path is too long", path);
    }
    return wtl_fail(err, -ELOOP, "%s: %s", path, wtl_strerror(ELOOP));
}

static int make_folders(const char *path, struct wattle_error *err)
{
    char folder[PATH_MAX];
    (void)snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(folder, 0777) < 0 && errno != EEXIST && access(folder, F_OK) < 0)
            return wtl_fail(err, -errno, "%s: %s", folder, wtl_strerror(errno));
        *slash = '/';
    }
    return 0;
}

/* Load the existing file: its text and attributes to keep; *text NULL when it does not exist. */
static int load(const char *path,
                char **text,
                size_t *size,
                struct stat *about,
                struct wattle_error *err)
{
    int rc = stat(path, about) < 0 ? -errno : 0;
    if (rc == -ENOENT)
        return 0;
    if (rc == 0 && !S_ISREG(about->st_mode))
        return wtl_fail(err, -EINVAL,
                        "%s: not a regular file; choose another file for the calibration", path);
    if (rc == 0 && access(path, W_OK) < 0)
        rc = -errno; /* a rename would ignore this */
    if (rc < 0)
        return wtl_fail(err, rc, "%s: %s", path, wtl_strerror(rc));
    return wtl_ini_load(wtl_world_real(), path, text, size, err);
}

static int write_all(int fd, const char *text, size_t size)
{
    for (size_t used = 0; used < size;) {
        ssize_t n = write(fd, text + used, size - used);
        if (n < 0 && errno != EINTR)
            return -errno;
        used += n < 0 ? 0 : (size_t)n;
    }
    return fsync(fd) < 0 && errno != EINVAL ? -errno : 0;
}

/* Write a complete file next to the other one and sync it to disk. */
static int write_part(const char *part,
                      const char *text,
                      size_t size,
                      const struct stat *old,
                      struct wattle_error *err)
{
    (void)unlink(part); /* left by a process that was killed: we hold the lock */
    int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return wtl_fail(err, -errno, "%s: %s", part, wtl_strerror(errno));
    int rc = write_all(fd, text, size);
    if (rc == 0 && old->st_ino) {
        if (fchown(fd, old->st_uid, old->st_gid) < 0) {
            /* The new file belongs to us: only root can give it away. */
        }
        rc = fchmod(fd, old->st_mode & 0777) < 0 ? -errno : 0;
    }
    if (close(fd) < 0 && rc == 0)
        rc = -errno;
    if (rc < 0) {
        (void)unlink(part);
        return wtl_fail(err, rc, "%s: %s", part, wtl_strerror(rc));
    }
    return 0;
}

static void flush_folder(const char *path)
{
    char folder[PATH_MAX];
    (void)snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    (void)snprintf(slash ? slash + 1 : folder, 2, "%s", slash ? "" : ".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)fsync(fd); /* the file is intact in any case, possibly still the old one */
    (void)close(fd);
}

/* Called under the lock. 0; -EAGAIN: the lock was lost in the meantime. */
static int replace(const char *path,
                   const struct wtl_lock_file *lock,
                   const struct wtl_calibration_section *sections,
                   size_t count,
                   struct wattle_error *err)
{
    struct stat old = {.st_ino = 0};
    char *text = NULL, part[PATH_MAX + 8];
    size_t size = 0;
    (void)snprintf(part, sizeof part, "%s.part", path);
    int rc = load(path, &text, &size, &old, err);
    rc = rc < 0 ? rc : put_sections(path, sections, count, &text, &size, err);
    rc = rc < 0 ? rc : write_part(part, text, size, &old, err);
    free(text);
    if (rc < 0)
        return rc;
    if (!wtl_lock_file_held(lock))
        return -EAGAIN; /* the present holder is writing the .part file now */
    if (rename(part, path) < 0) {
        rc = wtl_fail(err, -errno, "%s: %s", path, wtl_strerror(errno));
        (void)unlink(part);
        return rc;
    }
    flush_folder(path);
    return 0;
}

int wtl_calibration_store(const char *path,
                          const struct wtl_calibration_section *sections,
                          size_t count,
                          struct wattle_error *err)
{
    char target[PATH_MAX], lock_path[PATH_MAX + 8];
    int rc = wtl_calibration_target(path, target, sizeof target, err);
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = check_section(&sections[i], err);
    rc = rc < 0 ? rc : make_folders(target, err);
    if (rc < 0)
        return rc;
    (void)snprintf(lock_path, sizeof lock_path, "%s.lock", target);
    do {
        struct wtl_lock_file lock;
        rc = wtl_lock_file_take(lock_path, PATIENCE_NS, &lock, err);
        if (rc < 0)
            return rc;
        rc = replace(target, &lock, sections, count, err);
        wtl_lock_file_release(&lock);
    } while (rc == -EAGAIN);
    return rc;
}
