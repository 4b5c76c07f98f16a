/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of a hold: see journal.h. Written under another name, flushed, then renamed. */
#define _GNU_SOURCE
#include "control/journal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/own_file.h"
#include "base/parse.h"

#define HEAD "wattle-control 2"
enum {
    SEEN = 2 + WTL_KNOB_TEXT,
    SUM = 8,
    MARK = SEEN + SUM + 1,
    MOST_BYTES = 16 << 20,
    MOST_ENTRIES = 1 << 16
};

int wtl_journal_init(struct wtl_journal *journal, size_t count)
{
    *journal = (struct wtl_journal){.fd = -1};
    if (count == 0)
        return 0;
    void *at = mmap(NULL, count * sizeof *journal->entries, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return -ENOMEM;
    journal->entries = at;
    journal->count = count;
    return 0;
}

void wtl_journal_fini(struct wtl_journal *journal)
{
    if (journal->entries)
        (void)munmap(journal->entries, journal->count * sizeof *journal->entries);
    if (journal->fd >= 0)
        (void)close(journal->fd); /* the marks are written */
    *journal = (struct wtl_journal){.fd = -1};
}

void wtl_boot_id(const struct wtl_world *world, char text[40])
{
    if (wtl_world_text(world, "/proc/sys/kernel/random/boot_id", text, 40) < 0)
        text[0] = '\0';
}

uint64_t wtl_process_start(pid_t pid)
{
    char path[32], text[1024];
    uint64_t start = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        (void)close(fd); /* read only */
    text[got > 0 ? got : 0] = '\0';
    char *at = strrchr(text, ')'); /* the name may contain anything */
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    bool dead = at && strrchr(text, ')')[2] == 'Z';
    if (at && !dead)
        (void)wtl_scan_u64(at + 1, strlen(at + 1), &start);
    return start;
}

static uint64_t digest_entry(uint64_t hash, const struct wtl_journal_entry *e)
{
    const char *const texts[] = {wtl_knob_rows[e->kind].name, e->old, e->ask, e->path, e->id};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        hash = wtl_hash_bytes(hash, texts[i], strlen(texts[i]) + 1);
    return hash;
}

/* Of what changes in place: the line that it is in, and what it says. */
static uint32_t digest_mark(const struct wtl_journal_entry *e)
{
    uint64_t hash = wtl_hash_bytes(WTL_HASH_START, &(char){(char)e->state}, 1);
    hash = wtl_hash_bytes(hash, e->seen, strlen(e->seen) + 1);
    return (uint32_t)(digest_entry(hash, e) >> 32);
}

/* Without stdio: also in a forked process. */
static void put_hex(uint32_t value, char text[SUM])
{
    for (int i = SUM - 1; i >= 0; i--, value >>= 4)
        text[i] = "0123456789abcdef"[value & 15];
}

static void format_mark(const struct wtl_journal_entry *entry, char text[MARK + 1])
{
    size_t n = strlen(entry->seen);
    memset(text, ' ', MARK);
    text[0] = (char)entry->state;
    text[1] = '\t';
    memcpy(text + 2, entry->seen, n);
    text[SEEN - 1] = text[MARK - 1] = '\t';
    put_hex(digest_mark(entry), text + SEEN);
    text[MARK] = '\0';
}

/* Of whose settings they are. */
static uint64_t digest_head(const struct wtl_journal *j)
{
    char text[128];
    int n = snprintf(text, sizeof text, "%s %d %" PRIu64 " %" PRIu64, j->boot, (int)j->holder,
                     j->holder_start, j->begin_s);
    return wtl_hash_bytes(WTL_HASH_START, text, (size_t)n);
}

/* The text of the file; the offsets of the entries are noted. */
static char *compose(struct wtl_journal *j, size_t *ret_n)
{
    char *text = NULL, mark[MARK + 1];
    size_t n = 0;
    uint64_t hash = digest_head(j);
    FILE *out = open_memstream(&text, &n);
    if (!out)
        return NULL;
    (void)fprintf(out, HEAD "\nboot %s\nholder %d %" PRIu64 "\nbegin %" PRIu64 "\n", j->boot,
                  (int)j->holder, j->holder_start, j->begin_s);
    for (size_t i = 0; i < j->count; i++) {
        struct wtl_journal_entry *e = &j->entries[i];
        format_mark(e, mark);
        (void)fputs("knob ", out);
        (void)fflush(out); /* to memory; a failure is that of fclose() */
        e->offset = n;
        (void)fprintf(out, "%s%d\t%s\t%s\t%s\t%s\n", mark, (int)e->kind, e->old, e->ask, e->path,
                      e->id);
        hash = digest_entry(hash, e);
    }
    (void)fprintf(out, "end %zu %016" PRIx64 "\n", j->count, hash);
    bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
        free(text);
        return NULL;
    }
    *ret_n = n;
    return text;
}

static int write_all(int fd, const char *text, size_t n)
{
    if (!wtl_file_may_have(n))
        return -EFBIG;
    while (n > 0) {
        ssize_t put = write(fd, text, n);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return put < 0 ? -errno : -EIO;
        text += put;
        n -= (size_t)put;
    }
    return fsync(fd) < 0 ? -errno : 0;
}

static void sync_folder(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)fsync(fd); /* of a power failure the settings would not survive either */
    (void)close(fd);
}

int wtl_journal_create(const struct wtl_world *world,
                       const char *folder,
                       struct wtl_journal *j,
                       struct wattle_error *err)
{
    char temporary[sizeof j->path];
    size_t n = 0;
    j->holder = getpid();
    j->holder_start = wtl_process_start(j->holder);
    j->begin_s = world->ops->now_ns(world, CLOCK_REALTIME) / 1000000000u;
    wtl_boot_id(world, j->boot);
    for (unsigned i = 0; i < 1000; i++) { /* a process may hold several */
        (void)snprintf(j->path, sizeof j->path, "%.200s/%d-%u.journal", folder, (int)j->holder, i);
        if (access(j->path, F_OK) < 0)
            break;
    }
    (void)snprintf(temporary, sizeof temporary, "%.200s/%d.unfinished", folder, (int)j->holder);
    char *text = compose(j, &n);
    if (!text)
        return wtl_no_memory_for(err, "the journal");
    int rc = unlink(temporary) < 0 && errno != ENOENT ? -errno : 0;
    j->fd = rc < 0 ? rc : open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    rc = j->fd < 0 ? (rc < 0 ? rc : -errno) : flock(j->fd, LOCK_EX | LOCK_NB) < 0 ? -errno : 0;
    rc = rc < 0 ? rc : write_all(j->fd, text, n);
    rc = rc < 0 ? rc : rename(temporary, j->path) < 0 ? -errno : 0;
    free(text);
    if (rc == 0) {
        sync_folder(folder);
        return 0;
    }
    if (j->fd >= 0) {
        (void)unlink(temporary); /* nothing was changed yet */
        (void)close(j->fd);
        j->fd = -1;
    }
    return wtl_fail(err, rc, "cannot write the journal %s: %s; nothing was changed", j->path,
                    wtl_strerror(rc));
}

int wtl_journal_mark(struct wtl_journal *journal,
                     struct wtl_journal_entry *entry,
                     enum wtl_entry_state state)
{
    char text[MARK + 1];
    entry->state = state;
    format_mark(entry, text);
    if (journal->fd < 0)
        return 0;
    ssize_t put = pwrite(journal->fd, text, MARK, (off_t)entry->offset);
    return put < 0 ? -errno : put < MARK ? -EIO : 0;
}

/* Cut the next field, ended by `end`, from *at. NULL = no more fields. */
static char *cut(char **at, char end)
{
    char *field = *at, *stop = field ? strchr(field, end) : NULL;
    if (!stop)
        return NULL;
    *stop = '\0';
    *at = stop + 1;
    return field;
}

static bool take_text(char *field, char *into, size_t n)
{
    size_t length = field ? strlen(field) : n;
    if (length >= n)
        return false;
    memcpy(into, field, length + 1);
    return true;
}

/* Files of knobs only: a journal is no way to write anywhere else. */
static bool is_knob_path(const char *path)
{
    static const char *const roots[] = {"/sys/devices/system/cpu/", "/sys/class/powercap/"};
    if (strstr(path, "/../") || strstr(path, "//"))
        return false;
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        if (strncmp(path, roots[i], strlen(roots[i])) == 0)
            return true;
    }
    return false;
}

/* What is the same for the life of the journal. */
static bool parse_rest(char *line, struct wtl_journal_entry *e)
{
    return take_text(cut(&line, '\t'), e->old, sizeof e->old) &&
           take_text(cut(&line, '\t'), e->ask, sizeof e->ask) &&
           take_text(cut(&line, '\t'), e->path, sizeof e->path) &&
           take_text(line, e->id, sizeof e->id) && is_knob_path(e->path);
}

static bool parse_entry(char *line, struct wtl_journal_entry *e)
{
    uint64_t kind;
    char expected[SUM];
    char *state = cut(&line, '\t'), *seen = cut(&line, '\t'), *sum = cut(&line, '\t'),
         *number = cut(&line, '\t');
    if (!number || !state[0] || state[1] || !strchr("pswfr", state[0]) ||
        wtl_parse_u64(number, &kind) < 0 || kind >= WTL_KNOB_KINDS)
        return false;
    for (size_t n = strlen(seen); n > 0 && seen[n - 1] == ' ';)
        seen[--n] = '\0';
    e->kind = (enum wtl_knob_kind)kind;
    e->state = (enum wtl_entry_state)state[0];
    if (!take_text(seen, e->seen, sizeof e->seen) || !parse_rest(line, e))
        return false;
    put_hex(digest_mark(e), expected);
    return strlen(sum) == SUM && memcmp(sum, expected, SUM) == 0;
}

static bool parse_head(char **at, struct wtl_journal *j)
{
    uint64_t pid, start;
    char *head = cut(at, '\n'), *boot = cut(at, '\n'), *holder = cut(at, '\n'),
         *begin = cut(at, '\n');
    if (!begin || strcmp(head, HEAD) != 0 || strncmp(boot, "boot ", 5) != 0 ||
        strncmp(holder, "holder ", 7) != 0 || strncmp(begin, "begin ", 6) != 0 ||
        !take_text(boot + 5, j->boot, sizeof j->boot) || wtl_parse_u64(begin + 6, &j->begin_s) < 0)
        return false;
    holder += 7;
    char *number = cut(&holder, ' ');
    if (!number || wtl_parse_u64(number, &pid) < 0 || pid > INT32_MAX ||
        wtl_parse_u64(holder, &start) < 0)
        return false;
    j->holder = (pid_t)pid;
    j->holder_start = start;
    return true;
}

static bool is_end(char *line, const struct wtl_journal *j)
{
    char expected[64];
    uint64_t hash = digest_head(j);
    for (size_t i = 0; i < j->count; i++)
        hash = digest_entry(hash, &j->entries[i]);
    (void)snprintf(expected, sizeof expected, "end %zu %016" PRIx64, j->count, hash);
    return line && strcmp(line, expected) == 0;
}

static size_t count_entries(const char *text)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, "\nknob ")) != NULL; at++)
        count++;
    return count;
}

int wtl_journal_parse(char *text, size_t n, struct wtl_journal *ret_journal)
{
    struct wtl_journal j;
    char *at = text;
    size_t count = strlen(text) == n ? count_entries(text) : 0;
    if (count > MOST_ENTRIES)
        return -EBADMSG;
    int rc = wtl_journal_init(&j, count);
    if (rc < 0)
        return rc;
    bool good = strlen(text) == n && parse_head(&at, &j);
    for (size_t i = 0; good && i < count; i++) {
        char *line = cut(&at, '\n');
        good = line && strncmp(line, "knob ", 5) == 0;
        if (!good)
            break;
        j.entries[i].offset = (size_t)(line + 5 - text);
        good = parse_entry(line + 5, &j.entries[i]);
    }
    good = good && is_end(cut(&at, '\n'), &j) && *at == '\0';
    if (!good) {
        wtl_journal_fini(&j);
        return -EBADMSG;
    }
    *ret_journal = j;
    return 0;
}

static int read_whole(int fd, char **ret_text, size_t *ret_n)
{
    struct stat about;
    if (fstat(fd, &about) < 0)
        return -errno;
    if (!S_ISREG(about.st_mode) || about.st_size > MOST_BYTES || about.st_uid != geteuid())
        return -EBADMSG;
    char *text = malloc((size_t)about.st_size + 1);
    ssize_t got = text ? pread(fd, text, (size_t)about.st_size, 0) : -1;
    if (got < 0) {
        int rc = text ? -errno : -ENOMEM;
        free(text);
        return rc;
    }
    text[got] = '\0';
    *ret_text = text;
    *ret_n = (size_t)got;
    return 0;
}

/* Whether the name still refers to the open file: its guard may just have removed it. */
static bool is_still(int fd, const char *path)
{
    struct stat here, there;
    return fstat(fd, &here) == 0 && stat(path, &there) == 0 && here.st_ino == there.st_ino;
}

static int fail_to_read(struct wattle_error *err, int rc, const char *path)
{
    if (rc == -ENOENT)
        return rc;
    if (rc == -EBADMSG)
        return wtl_fail(err, rc, "the journal %s is damaged; \"wattle restore --force\" removes it",
                        path);
    return wtl_fail(err, rc, "cannot read the journal %s: %s", path, wtl_strerror(rc));
}

int wtl_journal_open(const char *path, struct wtl_journal *ret_journal, struct wattle_error *err)
{
    char *text = NULL;
    size_t n = 0;
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return fail_to_read(err, -errno, path);
    bool lives = flock(fd, LOCK_EX | LOCK_NB) < 0;
    int rc = is_still(fd, path) ? read_whole(fd, &text, &n) : -ENOENT;
    assert(rc < 0 || text);
    rc = rc < 0 ? rc : wtl_journal_parse(text, n, ret_journal);
    free(text);
    if (rc < 0 || lives)
        (void)close(fd); /* read only */
    if (rc < 0)
        return fail_to_read(err, rc, path);
    ret_journal->fd = lives ? -1 : fd;
    (void)snprintf(ret_journal->path, sizeof ret_journal->path, "%s", path);
    return lives ? -EWOULDBLOCK : 0;
}
