/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Giving up privileges: see privilege.h. After each step the kernel is asked whether it has happened. Sets of
 * capabilities belong to a thread, so a thread that was started earlier would keep them: there must be none.
 */
#define _GNU_SOURCE
#include "daemon/privilege.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/world/world.h"
#include "daemon/privilege_table.h"

enum { WORDS = _LINUX_CAPABILITY_U32S_3 };

struct capabilities {
    struct __user_cap_data_struct words[WORDS];
};

static int get_capabilities(struct capabilities *ret)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    return syscall(SYS_capget, &header, ret->words) < 0 ? -errno : 0;
}

static bool is_empty(const struct capabilities *held)
{
    uint32_t any = 0;
    for (size_t i = 0; i < WORDS; i++)
        any |= held->words[i].effective | held->words[i].permitted | held->words[i].inheritable;
    return any == 0;
}

/* Empty the bounding set: possible with CAP_SETPCAP only, and without it no_new_privs has the same effect. */
static bool empty_bounding_set(void)
{
    bool all = true;
    for (int cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
        all = prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0 && all;
    return all;
}

static int drop_capabilities(struct wattle_error *err)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct capabilities held, none;
    memset(&none, 0, sizeof none);
    memset(&held, 0xff, sizeof held); /* what is not filled in is not empty */
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); /* before 4.3 there are none */
    int rc = syscall(SYS_capset, &header, none.words) < 0 ? -errno : get_capabilities(&held);
    if (rc < 0)
        return wtl_fail(err, -EPERM, "cannot drop capabilities: %s", wtl_strerror(rc));
    return is_empty(&held) ? 0 : wtl_fail(err, -EPERM, "cannot drop capabilities");
}

static int find_user(const char *name, struct passwd *ret_user, struct wattle_error *err)
{
    errno = 0;
    const struct passwd *found = getpwnam(name);
    if (!found)
        return wtl_fail(err, -ENOENT,
                        "user \"%s\" does not exist; create it (systemd-sysusers, useradd -r), or "
                        "set user in section [wattled]",
                        name);
    *ret_user = *found;
    return 0;
}

static int become(const char *name,
                  const struct passwd *user,
                  bool with_groups,
                  struct wattle_error *err)
{
    int rc = with_groups ? initgroups(name, user->pw_gid) : setgroups(0, NULL);
    if (rc < 0 || setresgid(user->pw_gid, user->pw_gid, user->pw_gid) < 0 ||
        setresuid(user->pw_uid, user->pw_uid, user->pw_uid) < 0)
        return wtl_fail(err, -EPERM,
                        "cannot become user \"%s\": %s; allow CAP_SETUID and CAP_SETGID, or start "
                        "wattled as that user",
                        name, wtl_strerror(errno));
    uid_t uids[3];
    gid_t gids[3];
    if (getresuid(&uids[0], &uids[1], &uids[2]) < 0 || getresgid(&gids[0], &gids[1], &gids[2]) < 0)
        return wtl_fail(err, -EPERM, "cannot become user \"%s\"", name);
    for (size_t i = 0; i < 3; i++) {
        if (uids[i] != user->pw_uid || gids[i] != user->pw_gid)
            return wtl_fail(err, -EPERM, "cannot become user \"%s\"", name);
    }
    return 0;
}

/* Threads of this process; 1 where /proc is not mounted. */
static int count_threads(void)
{
    const struct wtl_world *world = wtl_world_real();
    char **names;
    int count = world->ops->list(world, "/proc/self/task", &names);
    if (count < 0)
        return 1;
    free(names);
    return count;
}

int wtl_privilege_drop(const char *user,
                       bool with_groups,
                       struct wtl_privilege_report *ret_report,
                       struct wattle_error *err)
{
    struct passwd wanted = {.pw_uid = geteuid()};
    const bool changes = geteuid() == 0 && user[0];
    int threads = WTL_HAS_SANITIZER ? 1 : count_threads(); /* that of tsan has a thread */
    if (threads > 1)
        return wtl_fail(err, -EBUSY,
                        "cannot give up privileges: %d threads are already running, perhaps of a "
                        "name service; use a local user",
                        threads);
    int rc = changes ? find_user(user, &wanted, err) : 0;
    bool bounded = rc == 0 && empty_bounding_set();
    if (rc == 0 && changes)
        rc = become(user, &wanted, with_groups, err);
    if (rc == 0)
        rc = drop_capabilities(err);
    if (rc < 0)
        return rc;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return wtl_fail(err, -EPERM, "cannot set no_new_privs: %s", wtl_strerror(errno));
    if (!WTL_HAS_SANITIZER && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
        return wtl_fail(err, -EPERM, "cannot become undumpable: %s", wtl_strerror(errno));
    *ret_report =
        (struct wtl_privilege_report){.user_changed = changes, .capabilities_dropped = true};
    (void)snprintf(ret_report->log, sizeof ret_report->log,
                   "runs as user %lu without capabilities%s%s", (unsigned long)wanted.pw_uid,
                   bounded ? "" : " (the bounding set stays, without effect)",
                   wanted.pw_uid == 0 ? "; root's files stay open to it: set user" : "");
    return 0;
}
