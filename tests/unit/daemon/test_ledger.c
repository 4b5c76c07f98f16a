/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ledger of wattled: what is stored is found by the next wattled of this boot, whatever single byte of the file was
 * damaged or wherever it was cut: the value before, or none; never another one.
 */
#define _GNU_SOURCE
#include "daemon/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder_world.h"
#include "tap.h"

#define BOOT "11111111-2222-3333-4444-555555555555"

static char path[100];

static struct wtl_ledger *open_ledger(const char *boot, bool created, const char *text)
{
    struct wtl_ledger *ledger = NULL;
    struct wattle_error err = {""};
    bool is_new = false;
    int rc = wtl_ledger_open(run_dir, boot, &ledger, &is_new, &err);
    ok(rc == 0 && is_new == created && strstr(err.text, text), "%d, %s: %s", rc,
       is_new ? "new" : "known", err.text);
    return ledger;
}

static struct wtl_ledger_entry entry(const char *name, double energy_j)
{
    struct wtl_ledger_entry entry = {.scale = 1e-6,
                                     .now = {.energy_j = energy_j, .raw = 17, .time_ns = 99}};
    (void)snprintf(entry.name, sizeof entry.name, "%s", name);
    return entry;
}

static double find(const struct wtl_ledger *ledger, const char *name)
{
    struct wtl_ledger_entry found;
    return wtl_ledger_find(ledger, name, 1e-6, &found) ? found.now.energy_j : -1;
}

static void put(struct wtl_ledger *ledger, const char *name, double energy_j)
{
    const struct wtl_ledger_entry now = entry(name, energy_j);
    is_int(wtl_ledger_store(ledger, &now), 0, "%s: store %g J", name, energy_j);
}

static void test_kept(void)
{
    struct wtl_ledger_entry found;
    struct wtl_ledger *ledger = open_ledger(BOOT, true, "");
    is_double(find(ledger, "a"), -1, 0, "nothing is in a new one");
    put(ledger, "a", 1);
    put(ledger, "b", 2);
    put(ledger, "a", 3);
    is_int((int)wtl_ledger_generation(ledger), 1, "the first generation");
    struct wtl_ledger *second = NULL;
    struct wattle_error err = {""};
    bool created;
    is_int(wtl_ledger_open(run_dir, BOOT, &second, &created, &err), -EBUSY, "held: %s", err.text);
    wtl_ledger_close(ledger);
    ledger = open_ledger(BOOT, false, "");
    is_double(find(ledger, "a"), 3, 0, "the newest value");
    is_double(find(ledger, "b"), 2, 0, "and the other");
    ok(!wtl_ledger_find(ledger, "a", 2e-6, &found), "not with another scale");
    is_int((int)wtl_ledger_generation(ledger), 2, "the next generation");
    wtl_ledger_close(ledger);
    ledger = open_ledger("another", true, "of an earlier boot");
    is_double(find(ledger, "a"), -1, 0, "nothing of another boot");
    wtl_ledger_close(ledger);
}

static void put_bytes(const char *bytes, size_t n)
{
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (fd < 0 || write(fd, bytes, n) != (ssize_t)n)
        (void)ok(false, "cannot write %s", path);
    (void)close(fd);
}

/* With each byte of the file damaged, and with the file cut after it. */
static void test_damaged(void)
{
    static char bytes[4096], copy[4096];
    struct wtl_ledger *ledger = open_ledger(BOOT, true, "");
    put(ledger, "a", 1);
    put(ledger, "a", 2);
    put(ledger, "b", 5);
    wtl_ledger_close(ledger);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = read(fd, bytes, sizeof bytes);
    (void)close(fd);
    int wrong = 0, failed = 0, kept = 0;
    for (ssize_t at = 0; at < 2 * n; at += 1 + at % 7) {
        struct wattle_error err = {""};
        bool created;
        memcpy(copy, bytes, (size_t)n);
        copy[at % n] ^= 0x40;
        put_bytes(at < n ? copy : bytes, (size_t)(at < n ? n : at - n));
        if (wtl_ledger_open(run_dir, BOOT, &ledger, &created, &err) < 0) {
            failed++;
            continue;
        }
        double a = find(ledger, "a"), b = find(ledger, "b");
        bool good = (a < 0 || a == 1 || a == 2) && (b < 0 || b == 5); /* exact values */
        wrong += !good;
        kept += a == 2 && b == 5;
        wtl_ledger_close(ledger);
    }
    is_int(failed, 0, "each can be opened");
    is_int(wrong, 0, "no other value is found");
    ok(kept > 0, "%d of %d keep both", kept, (int)(2 * n));
}

static void test_refused(void)
{
    struct wtl_ledger *ledger;
    struct wattle_error err = {""};
    bool created;
    (void)unlink(path);
    ok(symlink("/etc/passwd", path) == 0 &&
           wtl_ledger_open(run_dir, BOOT, &ledger, &created, &err) == -ELOOP,
       "a link: %s", err.text);
    (void)unlink(path);
    ok(mkfifo(path, 0600) == 0 &&
           wtl_ledger_open(run_dir, BOOT, &ledger, &created, &err) == -EINVAL,
       "a pipe: %s", err.text);
    (void)unlink(path);
    is_int(wtl_ledger_open("/none", BOOT, &ledger, &created, &err), -ENOENT, "no folder: %s",
           err.text);
}

static void test_full(void)
{
    struct wtl_ledger *ledger = open_ledger(BOOT, true, "");
    int rc = 0;
    for (int i = 0; i < WATTLE_PAGE_CHANNELS_MAX && rc == 0; i++) {
        char name[24];
        (void)snprintf(name, sizeof name, "c%d", i);
        const struct wtl_ledger_entry now = entry(name, i);
        rc = wtl_ledger_store(ledger, &now);
    }
    is_int(rc, 0, "1024 channels");
    const struct wtl_ledger_entry more = entry("one more", 1);
    is_int(wtl_ledger_store(ledger, &more), -ENOSPC, "and no more");
    wtl_ledger_close(ledger);
}

int main(void)
{
    make_world();
    (void)snprintf(path, sizeof path, "%s/ledger", run_dir);
    test_kept();
    (void)unlink(path);
    test_damaged();
    test_refused();
    test_full();
    remove_world();
    return done_testing();
}
