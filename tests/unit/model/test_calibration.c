/* SPDX-License-Identifier: BSD-3-Clause */
/* Calibration files: what is read, what is refused, which place takes precedence, and that storing
 * one section leaves everything else unchanged, even with concurrent writers. */
#define _GNU_SOURCE
#include "model/calibration/calibration.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

static char folder[] = "/tmp/wattle-calibration-XXXXXX";

/* ---- text ---- */

static void test_read(void)
{
    static const char text[] = "# nodes\n[pose node17 total]\ndate = 2026-11-22T05:01:00Z\n"
                               "fma_w = 345.57\nfma_how = fma avx512 24 threads\n"
                               "odd_w = 3,5\n\n"
                               "[pose node17 hwmon:my sensor]\n[other x]\nkey =\n";
    struct wattle_error err = {""};
    struct wtl_calibration *calibration = NULL;
    is_int(wtl_calibration_text("f", text, sizeof text - 1, &calibration, &err), 0, "read %s",
           err.text);
    if (!calibration)
        return;
    is_int(wtl_calibration_count(calibration), 3, "sections");
    const struct wtl_calibration_section *s =
        wtl_calibration_find(calibration, "pose", "node17", "total");
    ok(s && s->count == 4, "the section with its entries");
    is_str(wtl_calibration_get(s, "fma_how"), "fma avx512 24 threads", "a text");
    is_double(wtl_calibration_number(s, "fma_w"), 345.57, 0, "a number");
    ok(isnan(wtl_calibration_number(s, "odd_w")), "what is no number");
    ok(isnan(wtl_calibration_number(s, "no")) && !wtl_calibration_get(s, "no"), "what is absent");
    ok(wtl_calibration_find(calibration, "pose", "node17", "hwmon:my sensor"),
       "an item may have a blank");
    const struct wtl_calibration_section *other = wtl_calibration_section(calibration, 2);
    ok(strcmp(other->kind, "other") == 0 && strcmp(other->host, "x") == 0 && !*other->item,
       "a section of another form is kept");
    is_str(wtl_calibration_get(other, "key"), "", "an empty value");
    ok(!wtl_calibration_find(calibration, "pose", "node18", "total"), "another node has none");
    wtl_calibration_destroy(calibration);
    wtl_calibration_destroy(NULL);
}

static void test_refused(void)
{
    static const struct {
        int line;
        const char *text, *said;
    } rows[] = {
        {__LINE__, "a = 1\n", "f:1: missing [section] before the key \"a\""},
        {__LINE__, "[]\n", "f:1: not a valid section; write [KIND HOST ITEM]"},
        {__LINE__, "[pose a total]\n[x]\n[pose  a total]\n",
         "f:3: duplicate section [pose  a total], first in line 1"},
        {__LINE__, "[pose a total]\na = 1\na = 2\n", "f:3: duplicate key \"a\""},
        {__LINE__, "[pose a total]\n= 2\n", "f:2: missing key before ="},
        {__LINE__, "[pose a total\n", "f:1: expected [name]"},
        {__LINE__, "[pose a total]\nfma_w 7\n", "f:2: expected \"key = value\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        struct wattle_error err = {""};
        struct wtl_calibration *calibration = NULL;
        is_int(wtl_calibration_text("f", rows[i].text, strlen(rows[i].text), &calibration, &err),
               -EBADMSG, "refused");
        ok(strstr(err.text, rows[i].said), "says: %s", err.text);
    }
    tap_line = 0;
}

/* ---- places ---- */

struct place {
    const char *path, *text; /* text NULL: unreadable */
};
struct fake {
    struct place places[3];
    const char *variable; /* WATTLE_CALIBRATION */
};

static int fake_open(const struct wtl_world *world, const char *path, int flags)
{
    const struct fake *fake = world->impl;
    (void)flags;
    for (int i = 0; i < 3; i++) {
        if (fake->places[i].path && strcmp(path, fake->places[i].path) == 0)
            return fake->places[i].text ? i : -EACCES;
    }
    return -ENOENT;
}

static bool fake_exists(const struct wtl_world *world, const char *path)
{
    return fake_open(world, path, 0) != -ENOENT;
}

static void fake_close(const struct wtl_world *world, int fd)
{
    (void)world;
    (void)fd;
}

static ssize_t fake_pread(const struct wtl_world *world, int fd, void *buf, size_t n, off_t offset)
{
    const struct fake *fake = world->impl;
    const char *text = fake->places[fd].text;
    size_t size = strlen(text), left = (size_t)offset < size ? size - (size_t)offset : 0;
    n = n < left ? n : left;
    memcpy(buf, text + offset, n);
    return (ssize_t)n;
}

static const char *fake_getenv(const struct wtl_world *world, const char *name)
{
    const struct fake *fake = world->impl;
    if (strcmp(name, "WATTLE_CALIBRATION") == 0)
        return fake->variable;
    return strcmp(name, "HOME") == 0 ? "/home/u" : NULL;
}

static const struct wtl_world_ops fake_ops = {.open = fake_open,
                                              .close = fake_close,
                                              .pread = fake_pread,
                                              .exists = fake_exists,
                                              .getenv = fake_getenv};

#define USER    "/home/u/.config/wattle/calibration.conf"
#define SYSTEM  "/etc/wattle/calibration.conf"
#define OF(who) "[pose n total]\nfrom = " who "\n"

static void test_places(void)
{
    static const struct {
        int line;
        struct fake fake;
        const char *explicit_path;
        const char *from; /* NULL = refused */
        int rc;
        const char *said; /* or the path */
    } rows[] = {
        {__LINE__, {{{USER, OF("u")}, {SYSTEM, OF("s")}}, NULL}, NULL, "u", 0, USER},
        {__LINE__, {{{USER, "[pose m total]\n"}, {SYSTEM, OF("s")}}, NULL}, NULL, "s", 0, SYSTEM},
        {__LINE__, {{{"/v", OF("v")}, {USER, OF("u")}}, "/v"}, NULL, "v", 0, "/v"},
        {__LINE__, {{{"/v", "[x]\n"}, {USER, OF("u")}}, "/v"}, NULL, "u", 0, USER},
        {__LINE__, {{{"/v", "[x]\n"}, {USER, OF("u")}}, ""}, NULL, "u", 0, USER},
        {__LINE__, {{{"/v", OF("v")}, {"/e", OF("e")}}, "/v"}, "/e", "e", 0, "/e"},
        {__LINE__,
         {{{"/v", OF("v")}, {"/e", "[x]\n"}}, "/v"},
         "/e",
         NULL,
         -ENOENT,
         "no calibration [pose n total] in /e; create one with \"wattle pose calibrate\""},
        {__LINE__, {{{NULL, NULL}}, NULL}, "/e", NULL, -ENOENT, "in /e, which does not exist"},
        {__LINE__,
         {{{NULL, NULL}}, NULL},
         NULL,
         NULL,
         -ENOENT,
         "no calibration [pose n total]; create one with \"wattle pose calibrate\""},
        {__LINE__,
         {{{USER, "[pose n package]\n[pose n dram]\n"}, {SYSTEM, "[pose m total]\n"}}, NULL},
         NULL,
         NULL,
         -ENOENT,
         "in " USER ", " SYSTEM ", only of package, dram;"},
        {__LINE__,
         {{{USER, NULL}, {SYSTEM, OF("s")}}, NULL},
         NULL,
         NULL,
         -EACCES,
         USER ": Permission denied"},
        {__LINE__, {{{USER, "x"}, {SYSTEM, OF("s")}}, NULL}, NULL, NULL, -EBADMSG, USER ":1: "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        struct fake fake = rows[i].fake;
        struct wtl_world world = {.ops = &fake_ops, .impl = &fake};
        struct wattle_error err = {""};
        struct wtl_calibration *calibration = NULL;
        char path[64] = "";
        int rc = wtl_calibration_load(&world, rows[i].explicit_path, "pose", "n", "total",
                                      &calibration, path, sizeof path, &err);
        is_int(rc, rows[i].rc, "load %s", err.text);
        if (rc == 0 && rows[i].from) {
            is_str(path, rows[i].said, "its path");
            is_str(wtl_calibration_get(wtl_calibration_find(calibration, "pose", "n", "total"),
                                       "from"),
                   rows[i].from, "its section");
        } else {
            ok(strstr(err.text, rows[i].said), "says: %s", err.text);
        }
        wtl_calibration_destroy(calibration);
    }
    tap_line = 0;
}

/* ---- storing ---- */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        exit(1);
}

static char *read_file(const char *path)
{
    static char buf[1 << 16];
    FILE *file = fopen(path, "r");
    buf[0] = '\0';
    if (file) {
        buf[fread(buf, 1, sizeof buf - 1, file)] = '\0';
        (void)fclose(file);
    }
    return buf;
}

static const struct wtl_calibration_entry new_entries[] = {{"fma_w", "300"},
                                                           {"#", "mpi_serial: no mpirun"}};
static const struct wtl_calibration_section new_section = {"pose", "n", "total", new_entries, 2};
#define NEW "[pose n total]\nfma_w = 300\n# mpi_serial: no mpirun\n"

static void test_stays(void)
{
    static const struct {
        int line;
        const char *before, *after;
    } rows[] = {
        {__LINE__, "", NEW},
        {__LINE__, "# mine", "# mine\n\n" NEW},
        {__LINE__, "# mine\r\n[pose m total]\r\na=1\r\n",
         "# mine\r\n[pose m total]\r\na=1\r\n\n" NEW},
        {__LINE__, NEW, NEW},
        {__LINE__, "#1\n\n[pose n total]\nold = 1\n\n\n  #2\n[z]\n#3\n",
         "#1\n\n" NEW "\n\n  #2\n[z]\n#3\n"},
        {__LINE__, "[pose n total]\n#a\nold = 1\n#old\n", NEW},
        {__LINE__, "[pose n total]\nold = 1\n#old\n\n# of z\n[z]\n", NEW "\n# of z\n[z]\n"},
        {__LINE__, "[pose n total]\nold = 1\n# of z\n[z]\n", NEW "\n# of z\n[z]\n"},
        {__LINE__, "[pose n total]\n[z]\nk=v", NEW "\n[z]\nk=v"},
        {__LINE__, "[a]\n [ pose \t n   total ] \nold=1\n[pose n totals]\n",
         "[a]\n" NEW "\n[pose n totals]\n"},
        {__LINE__, "[a]\nfma_w = 3\n[pose n total]", "[a]\nfma_w = 3\n" NEW},
    };
    char path[96];
    (void)snprintf(path, sizeof path, "%s/stays.conf", folder);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        struct wattle_error err = {""};
        write_file(path, rows[i].before);
        is_int(wtl_calibration_store(path, &new_section, 1, &err), 0, "stored %s", err.text);
        is_str(read_file(path), rows[i].after, "all else stays");
        is_int(wtl_calibration_store(path, &new_section, 1, &err), 0, "again %s", err.text);
        is_str(read_file(path), rows[i].after, "twice is as once");
    }
    tap_line = 0;
    (void)unlink(path);
}

static void test_several(void)
{
    static const struct wtl_calibration_entry entries[] = {{"fma_w", "1"}};
    static const struct wtl_calibration_section sections[] = {
        {"pose", "n", "total", entries, 1}, {"pose", "n", "a channel", entries, 1}};
    char path[96];
    struct wattle_error err = {""};
    struct stat about;
    (void)snprintf(path, sizeof path, "%s/new/folder/c.conf", folder);
    is_int(wtl_calibration_store(path, sections, 2, &err), 0, "folders are made %s", err.text);
    is_str(read_file(path), "[pose n total]\nfma_w = 1\n\n[pose n a channel]\nfma_w = 1\n",
           "two sections");
    (void)chmod(path, 0640);
    is_int(wtl_calibration_store(path, &new_section, 1, &err), 0, "once more %s", err.text);
    ok(stat(path, &about) == 0 && (about.st_mode & 0777) == 0640, "the mode stays");

    char link[96], target[96];
    (void)snprintf(link, sizeof link, "%s/link.conf", folder);
    (void)snprintf(target, sizeof target, "%s/new/target.conf", folder);
    ok(symlink("new/target.conf", link) == 0, "a link to what is not there yet");
    is_int(wtl_calibration_store(link, &new_section, 1, &err), 0, "through a link %s", err.text);
    ok(lstat(link, &about) == 0 && S_ISLNK(about.st_mode), "the link stays one");
    is_str(read_file(target), NEW, "its target was written");
    (void)unlink(link);
    (void)unlink(target);
    (void)unlink(path);
    (void)snprintf(path, sizeof path, "%s/new/folder", folder);
    is_int(rmdir(path), 0, "nothing else is left there");
    (void)snprintf(path, sizeof path, "%s/new", folder);
    (void)rmdir(path);
}

static void test_store_refused(void)
{
    static const struct wtl_calibration_entry breaks[] = {{"a", "1\n[pose x y]"}},
                                              equals[] = {{"a=b", "1"}}, blank[] = {{"a", " 1"}};
    static const struct wtl_calibration_section bad[] = {
        {"pose", "n", "total", breaks, 1}, {"pose", "n", "total", equals, 1},
        {"pose", "n", "total", blank, 1},  {"pose", "n 1", "total", NULL, 0},
        {"pose", "", "total", NULL, 0},    {"pose", "n", "x\n", NULL, 0},
    };
    char path[96];
    struct wattle_error err = {""};
    (void)snprintf(path, sizeof path, "%s/refused.conf", folder);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        is_int(wtl_calibration_store(path, &bad[i], 1, &err), -EINVAL, "refused: %s", err.text);
        ok(access(path, F_OK) < 0, "nothing was written");
    }
    write_file(path, "broken\n");
    is_int(wtl_calibration_store(path, &new_section, 1, &err), -EBADMSG, "a broken file");
    ok(strstr(err.text, "refused.conf:1: expected"), "says: %s", err.text);
    is_str(read_file(path), "broken\n", "it stays as it was");
    is_int(wtl_calibration_store(folder, &new_section, 1, &err), -EINVAL, "a folder: %s", err.text);
    is_int(wtl_calibration_store("", &new_section, 1, &err), -EINVAL, "no name: %s", err.text);
    is_int(wtl_calibration_store("/dev/null/x", &new_section, 1, &err), -ENOTDIR,
           "below a file: %s", err.text);
    if (geteuid() != 0) {
        write_file(path, "[a]\n");
        (void)chmod(path, 0444);
        is_int(wtl_calibration_store(path, &new_section, 1, &err), -EACCES, "protected: %s",
               err.text);
        is_str(read_file(path), "[a]\n", "it stays as it was");
    }
    (void)unlink(path);
}

/* Nodes with a shared home that calibrate at the same time. */
static void test_many(void)
{
    enum { NODES = 6, TURNS = 8 };
    char path[96];
    pid_t pids[NODES];
    (void)snprintf(path, sizeof path, "%s/many.conf", folder);
    write_file(path, "# shared\n");
    for (int i = 0; i < NODES; i++) {
        pids[i] = fork();
        if (pids[i] != 0)
            continue;
        for (int turn = 0; turn < TURNS; turn++) {
            char host[16], value[16];
            (void)snprintf(host, sizeof host, "node%d", i);
            (void)snprintf(value, sizeof value, "%d", turn);
            struct wtl_calibration_entry entry = {"turn", value};
            struct wtl_calibration_section section = {"pose", host, "total", &entry, 1};
            if (wtl_calibration_store(path, &section, 1, NULL) < 0)
                _exit(1);
        }
        _exit(0);
    }
    for (int i = 0; i < NODES; i++) {
        int status = -1;
        (void)waitpid(pids[i], &status, 0);
        is_int(status, 0, "node %d stored", i);
    }
    struct wattle_error err = {""};
    struct wtl_calibration *calibration = NULL;
    const char *text = read_file(path);
    ok(strncmp(text, "# shared\n", 9) == 0, "the comment is there");
    is_int(wtl_calibration_text(path, text, strlen(text), &calibration, &err), 0, "whole %s",
           err.text);
    for (int i = 0; calibration && i < NODES; i++) {
        char host[16];
        (void)snprintf(host, sizeof host, "node%d", i);
        const struct wtl_calibration_section *section =
            wtl_calibration_find(calibration, "pose", host, "total");
        ok(section && wtl_calibration_number(section, "turn") == TURNS - 1, "%s is there", host);
    }
    wtl_calibration_destroy(calibration);
    (void)unlink(path);
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    test_read();
    test_refused();
    test_places();
    test_stays();
    test_several();
    test_store_refused();
    test_many();
    is_int(rmdir(folder), 0, "no lock and no half-written file is left");
    return done_testing();
}
