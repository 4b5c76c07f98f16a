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
    DEPTH_MAX = 12,        /* of cgroups below the batch system's */
    FOLDERS_MAX = 4096,    /* that one look visits */
    PROCESSES_MAX = 16384, /* and so many processes; beyond its limits, the node counts as shared */
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
    bool partial;         /* which did not see everything: there may be others */
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

/* A line that is not a user is left out: a damaged file grants no rights. */
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

/* What a look has found so far. */
struct look {
    const struct wtl_world *world;
    struct users users;
    size_t folders, processes;
    bool partial; /* something could not be looked at */
};

static bool is_gone(int rc)
{
    return rc == -ENOENT || rc == -ESRCH || rc == -ENODEV;
}

/* The user of a process: from its status, since /proc/PID may belong to root. 0; -ESRCH: it has ended; other errors. */
static int user_of(const struct wtl_world *world, uint64_t pid, uid_t *ret_uid)
{
    char path[64], text[4096];
    (void)snprintf(path, sizeof path, "/proc/%llu/status", (unsigned long long)pid);
    int fd = world->ops->open(world, path, O_RDONLY);
    if (fd < 0)
        return is_gone(fd) ? -ESRCH : fd;
    ssize_t got = world->ops->pread(world, fd, text, sizeof text - 1, 0);
    world->ops->close(world, fd);
    if (got < 0)
        return is_gone((int)got) ? -ESRCH : (int)got;
    text[got] = '\0';
    static const char label[] = "\nUid:\t";
    const char *line = strstr(text, label);
    uint64_t uid;
    if (!line)
        return -EBADMSG;
    line += sizeof label - 1;
    if (wtl_scan_u64(line, strspn(line, "0123456789"), &uid) < 0 || uid >= UINT32_MAX)
        return -EBADMSG;
    *ret_uid = (uid_t)uid;
    return 0;
}

static void look_at_process(struct look *look, uint64_t pid)
{
    uid_t uid = 0;
    int rc = look->processes < PROCESSES_MAX ? user_of(look->world, pid, &uid) : -E2BIG;
    look->processes++;
    if (rc == 0 && uid != 0 && !add(&look->users, uid))
        rc = -ENOSPC;
    look->partial |= rc < 0 && rc != -ESRCH;
}

/* The list of processes, a part at a time; a number may be cut by the end of a part. */
static void look_at_processes(struct look *look, const char *folder)
{
    const struct wtl_world *world = look->world;
    char path[600], text[16384];
    uint64_t pid = 0;
    ssize_t got = 0;
    off_t at = 0;
    (void)snprintf(path, sizeof path, "%s/cgroup.procs", folder);
    int fd = world->ops->open(world, path, O_RDONLY);
    if (fd < 0) {
        look->partial |= !is_gone(fd);
        return;
    }
    while (look->processes <= PROCESSES_MAX &&
           (got = world->ops->pread(world, fd, text, sizeof text, at)) > 0) {
        at += got;
        for (ssize_t i = 0; i < got; i++) {
            bool digit = text[i] >= '0' && text[i] <= '9';
            if (!digit && pid > 0)
                look_at_process(look, pid);
            pid = digit && pid < UINT32_MAX ? pid * 10 + (uint64_t)(text[i] - '0') : 0;
        }
    }
    world->ops->close(world, fd);
    /* That of a threaded cgroup cannot be read: its processes are in the list of the one above. */
    look->partial |= got < 0 && got != -EOPNOTSUPP && !is_gone((int)got);
}

static void look_below(struct look *look, const char *folder, int depth)
{
    char **names, path[600];
    if (depth > DEPTH_MAX || look->folders++ >= FOLDERS_MAX || look->processes > PROCESSES_MAX) {
        look->partial = true;
        return;
    }
    look_at_processes(look, folder);
    int count = look->world->ops->list(look->world, folder, &names);
    look->partial |= count < 0 && !is_gone(count);
    for (int i = 0; i < count; i++) {
        if (strchr(names[i], '.') && strncmp(names[i], "cgroup.", 7) == 0)
            continue;
        int n = snprintf(path, sizeof path, "%s/%s/cgroup.procs", folder, names[i]);
        bool fits = n > 0 && (size_t)n < sizeof path;
        look->partial |= !fits;
        if (!fits || !look->world->ops->exists(look->world, path))
            continue;
        path[strlen(path) - strlen("/cgroup.procs")] = '\0';
        look_below(look, path, depth + 1);
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
    struct look *look = calloc(1, sizeof *look);
    if (!look) {
        bool changed = !policy->partial;
        policy->partial = true;
        return changed;
    }
    look->world = policy->world;
    (void)snprintf(folder, sizeof folder, "%s%s", root, policy->settings.batch_cgroup);
    if (policy->settings.batch_cgroup[0])
        look_below(look, folder, 0);
    bool changed = look->partial != policy->partial || !same(&look->users, &policy->placed);
    policy->placed = look->users;
    policy->partial = look->partial;
    free(look);
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
        return "users with jobs on this node and members of a group";
    default:
        return "users with jobs on this node";
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
    bool shared = others > 0 || policy->partial;
    return shared && !policy->settings.shared_full ? WTL_GRANT_COARSE : WTL_GRANT_FULL;
}

const char *wtl_policy_refusal(const struct wtl_policy *policy)
{
    return policy->refusal;
}
