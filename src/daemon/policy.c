/* SPDX-License-Identifier: BSD-3-Clause */
/* Who may read which page: see policy.h. */
#define _GNU_SOURCE
#include "daemon/policy.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/parse.h"

enum {
    USERS_MAX = 4096,
    GROUPS_MAX = 128,
    DEPTH_MAX = 12,     /* of cgroups below the batch system's */
    FOLDERS_MAX = 4096, /* that one look visits */
    LIST_MAX = 64 * 1024,
    ANSWERS = 1024
};
static const uint64_t ANSWER_NS = 60000000000;

struct users {
    size_t count;
    uid_t list[USERS_MAX];
};

struct answer {
    uid_t uid;
    bool member;
    uint64_t until_ns; /* 0 = none */
};

struct wtl_policy {
    const struct wtl_world *world;
    struct wtl_daemon_settings settings;
    char path[160];       /* of the allowed users */
    struct users allowed; /* by root */
    struct users placed;  /* by the batch system, at the last look */
    char refusal[220];
    struct answer *answers; /* [ANSWERS]: who is in the group */
};

static bool has(const struct users *users, uid_t uid)
{
    for (size_t i = 0; i < users->count; i++) {
        if (users->list[i] == uid)
            return true;
    }
    return false;
}

static bool add(struct users *users, uid_t uid)
{
    if (has(users, uid))
        return true;
    if (users->count == USERS_MAX)
        return false;
    users->list[users->count++] = uid;
    return true;
}

static void drop(struct users *users, uid_t uid)
{
    for (size_t i = 0; i < users->count; i++) {
        if (users->list[i] == uid)
            users->list[i--] = users->list[--users->count];
    }
}

/* ---- the list of allowed users ---- */

/* One number per line, written whole. */
static int store(const struct wtl_policy *policy)
{
    char fresh[176];
    (void)snprintf(fresh, sizeof fresh, "%s.new", policy->path);
    (void)unlink(fresh); /* left by a wattled that was killed */
    int fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    int rc = 0;
    for (size_t i = 0; i < policy->allowed.count && rc == 0; i++)
        rc = dprintf(fd, "%lu\n", (unsigned long)policy->allowed.list[i]) < 0 ? -errno : 0;
    if (close(fd) < 0 && rc == 0)
        rc = -errno;
    if (rc == 0 && rename(fresh, policy->path) < 0)
        rc = -errno;
    if (rc < 0)
        (void)unlink(fresh);
    return rc;
}

/* A line that is not a user is left out: nobody gets a right by a damaged file. */
static void load(struct wtl_policy *policy)
{
    static const char seps[] = "\n";
    struct stat about;
    char text[LIST_MAX + 1], *rest = NULL;
    int fd = open(policy->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return;
    bool ours = fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid();
    ssize_t got = ours ? pread(fd, text, LIST_MAX, 0) : 0;
    (void)close(fd); /* read only */
    text[got > 0 ? got : 0] = '\0';
    for (char *line = strtok_r(text, seps, &rest); line; line = strtok_r(NULL, seps, &rest)) {
        uint64_t uid;
        if (wtl_parse_u64(line, &uid) == 0 && uid < UINT32_MAX)
            (void)add(&policy->allowed, (uid_t)uid);
    }
}

int wtl_policy_allow(struct wtl_policy *policy, uid_t uid)
{
    bool had = has(&policy->allowed, uid);
    int rc = add(&policy->allowed, uid) ? store(policy) : -ENOSPC;
    if (rc < 0 && !had)
        drop(&policy->allowed, uid); /* a right that is refused is not given */
    return rc;
}

int wtl_policy_deny(struct wtl_policy *policy, uid_t uid)
{
    drop(&policy->allowed, uid);
    return store(policy);
}

/* ---- the batch system's cgroup ---- */

/* The user of a process: from its status, since /proc/PID may belong to root. */
static bool user_of(const struct wtl_world *world, const char *pid, uid_t *ret_uid)
{
    char path[64], text[4096];
    (void)snprintf(path, sizeof path, "/proc/%s/status", pid);
    int fd = world->ops->open(world, path, O_RDONLY);
    if (fd < 0)
        return false;
    ssize_t got = world->ops->pread(world, fd, text, sizeof text - 1, 0);
    world->ops->close(world, fd);
    text[got > 0 ? got : 0] = '\0';
    static const char label[] = "\nUid:\t";
    const char *line = strstr(text, label);
    uint64_t uid;
    if (!line)
        return false;
    line += sizeof label - 1;
    if (wtl_scan_u64(line, strspn(line, "0123456789"), &uid) < 0 || uid >= UINT32_MAX)
        return false;
    *ret_uid = (uid_t)uid;
    return true;
}

static void look_at_processes(const struct wtl_policy *policy,
                              const char *folder,
                              struct users *users)
{
    static const char seps[] = "\n";
    char path[600], text[16384], *rest = NULL;
    const struct wtl_world *world = policy->world;
    (void)snprintf(path, sizeof path, "%s/cgroup.procs", folder);
    int fd = world->ops->open(world, path, O_RDONLY);
    if (fd < 0)
        return;
    ssize_t got = world->ops->pread(world, fd, text, sizeof text - 1, 0);
    world->ops->close(world, fd);
    text[got > 0 ? got : 0] = '\0';
    for (char *pid = strtok_r(text, seps, &rest); pid; pid = strtok_r(NULL, seps, &rest)) {
        uid_t uid;
        uint64_t number;
        if (wtl_parse_u64(pid, &number) == 0 && user_of(world, pid, &uid) && uid != 0)
            (void)add(users, uid);
    }
}

static void look_below(const struct wtl_policy *policy,
                       const char *folder,
                       int depth,
                       size_t *visits,
                       struct users *users)
{
    char **names, path[600];
    look_at_processes(policy, folder, users);
    if (depth == DEPTH_MAX)
        return;
    int count = policy->world->ops->list(policy->world, folder, &names);
    for (int i = 0; i < count; i++) {
        if (strchr(names[i], '.') && strncmp(names[i], "cgroup.", 7) == 0)
            continue;
        int n = snprintf(path, sizeof path, "%s/%s/cgroup.procs", folder, names[i]);
        if (n < 0 || (size_t)n >= sizeof path || !policy->world->ops->exists(policy->world, path))
            continue;
        path[strlen(path) - strlen("/cgroup.procs")] = '\0';
        if (++*visits < FOLDERS_MAX)
            look_below(policy, path, depth + 1, visits, users);
    }
    if (count >= 0)
        free(names);
}

static bool same(const struct users *a, const struct users *b)
{
    bool equal = a->count == b->count;
    for (size_t i = 0; equal && i < a->count; i++)
        equal = has(b, a->list[i]);
    return equal;
}

bool wtl_policy_refresh(struct wtl_policy *policy)
{
    static const char root[] = "/sys/fs/cgroup/";
    char folder[300];
    size_t visits = 0;
    struct users *now = calloc(1, sizeof *now);
    if (!now)
        return false;
    (void)snprintf(folder, sizeof folder, "%s%s", root, policy->settings.batch_cgroup);
    if (policy->settings.batch_cgroup[0])
        look_below(policy, folder, 0, &visits, now);
    bool changed = !same(now, &policy->placed);
    policy->placed = *now;
    free(now);
    return changed;
}

/* ---- the answer ---- */

int wtl_policy_create(const struct wtl_world *world,
                      const struct wtl_daemon_settings *settings,
                      struct wtl_policy **ret_policy)
{
    struct wtl_policy *policy = calloc(1, sizeof *policy);
    if (policy)
        policy->answers = calloc(ANSWERS, sizeof *policy->answers);
    if (!policy || !policy->answers) {
        free(policy);
        return -ENOMEM;
    }
    policy->world = world;
    policy->settings = *settings;
    (void)snprintf(policy->path, sizeof policy->path, "%s/allowed", settings->run_dir);
    (void)snprintf(policy->refusal, sizeof policy->refusal,
                   "only %s may read energy on this node; ask the administrator for \"wattle "
                   "allow\" or another setting of readers",
                   wtl_policy_text(policy));
    load(policy);
    (void)wtl_policy_refresh(policy);
    *ret_policy = policy;
    return 0;
}

void wtl_policy_destroy(struct wtl_policy *policy)
{
    if (policy)
        free(policy->answers);
    free(policy);
}

const char *wtl_policy_text(const struct wtl_policy *policy)
{
    switch (policy->settings.readers) {
    case WTL_READERS_ALL:
        return "everybody";
    case WTL_READERS_GROUP:
        return "users with jobs here and members of a group";
    default:
        return "users with jobs here";
    }
}

static bool ask_group(uid_t uid, const char *group)
{
    gid_t groups[GROUPS_MAX];
    int count = GROUPS_MAX;
    const struct group *wanted = getgrnam(group);
    const struct passwd *user = wanted ? getpwuid(uid) : NULL;
    gid_t gid = wanted ? wanted->gr_gid : 0;
    if (!user || getgrouplist(user->pw_name, user->pw_gid, groups, &count) < 0)
        return false;
    for (int i = 0; i < count; i++) {
        if (groups[i] == gid)
            return true;
    }
    return false;
}

/* Answers are kept for a minute: a name service may be slow, and everybody waits for it. */
static bool is_member(const struct wtl_policy *policy, uid_t uid)
{
    struct answer *answers = policy->answers;
    uint64_t now_ns = wtl_world_monotonic(policy->world);
    struct answer *answer = &answers[uid % ANSWERS];
    if (answer->until_ns <= now_ns || answer->uid != uid)
        *answer = (struct answer){.uid = uid,
                                  .member = ask_group(uid, policy->settings.group),
                                  .until_ns = now_ns + ANSWER_NS};
    return answer->member;
}

size_t wtl_policy_users(const struct wtl_policy *policy)
{
    size_t count = policy->placed.count;
    for (size_t i = 0; i < policy->allowed.count; i++)
        count += policy->allowed.list[i] != 0 && !has(&policy->placed, policy->allowed.list[i]);
    return count;
}

enum wtl_grant wtl_policy_grant(const struct wtl_policy *policy, uid_t uid)
{
    if (uid == 0)
        return WTL_GRANT_FULL;
    bool works = has(&policy->allowed, uid) || has(&policy->placed, uid);
    bool may = works || policy->settings.readers == WTL_READERS_ALL ||
               (policy->settings.readers == WTL_READERS_GROUP && is_member(policy, uid));
    if (!may)
        return WTL_GRANT_NONE;
    /* The others on the node: whoever has no job here himself shares it with anybody who has. */
    size_t others = wtl_policy_users(policy) - (works ? 1 : 0);
    return others > 0 && !policy->settings.shared_full ? WTL_GRANT_COARSE : WTL_GRANT_FULL;
}

const char *wtl_policy_refusal(const struct wtl_policy *policy)
{
    return policy->refusal;
}
