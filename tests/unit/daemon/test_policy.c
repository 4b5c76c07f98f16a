/* SPDX-License-Identifier: BSD-3-Clause */
/* Who may read what: by the batch system's cgroup, by root, by settings; alone on the node, and with others. */
#define _GNU_SOURCE
#include "daemon/policy.h"

#include <stddef.h>

#include "folder_world.h"
#include "tap.h"

enum { ALICE = 1001, BOB = 1002, EVE = 1003 };

#define BATCH "/sys/fs/cgroup/system.slice/slurmstepd.scope"

static struct wtl_daemon_settings settings = {.batch_cgroup = "system.slice/slurmstepd.scope"};

static void put_process(const char *cgroup, int pid, int uid)
{
    char path[300], text[200] = "";
    (void)snprintf(path, sizeof path, BATCH "%s/cgroup.procs", cgroup);
    if (pid)
        (void)snprintf(text, sizeof text, "%d\n", pid);
    put_file(path, text);
    (void)snprintf(path, sizeof path, "/proc/%d/status", pid);
    (void)snprintf(text, sizeof text, "Name:\tUid:\t0\nState:\tR\nUid:\t%d\t%d\t%d\t%d\n", uid, uid,
                   uid, uid);
    if (pid)
        put_file(path, text);
}

static struct wtl_policy *create(void)
{
    struct wtl_policy *policy = NULL;
    (void)snprintf(settings.run_dir, sizeof settings.run_dir, "%s", run_dir);
    ok(wtl_policy_create(&folder_world, &settings, &policy) == 0, "a policy: %s",
       policy ? wtl_policy_text(policy) : "");
    return policy;
}

static void test_batch(void)
{
    put_process("", 0, 0);
    put_process("/job_1/step_0/user/task_0", 0, 0);
    struct wtl_policy *policy = create();
    is_int(wtl_policy_grant(policy, 0), WTL_GRANT_FULL, "root");
    is_int(wtl_policy_grant(policy, ALICE), WTL_GRANT_NONE, "nobody has a job");
    ok(!wtl_policy_refresh(policy), "nothing has changed");
    put_process("", 0, 0);
    put_process("/job_1", 0, 0);
    put_process("/job_1/step_0", 0, 0);
    put_process("/job_1/step_0/user", 0, 0);
    put_process("/job_1/step_0/user/task_0", 4711, ALICE);
    ok(wtl_policy_refresh(policy), "a job starts");
    is_int(wtl_policy_grant(policy, ALICE), WTL_GRANT_FULL, "alone: the full page");
    is_int(wtl_policy_grant(policy, EVE), WTL_GRANT_NONE, "others: none");
    put_process("/job_2", 4712, BOB);
    ok(wtl_policy_refresh(policy), "a second one");
    is_int((int)wtl_policy_users(policy), 2, "two users");
    is_int(wtl_policy_grant(policy, ALICE), WTL_GRANT_COARSE, "each the coarse page");
    is_int(wtl_policy_grant(policy, BOB), WTL_GRANT_COARSE, "each");
    is_int(wtl_policy_grant(policy, 0), WTL_GRANT_FULL, "root the full one");
    put_process("/job_2", 4712, 0);
    ok(wtl_policy_refresh(policy), "root's processes there");
    is_int(wtl_policy_grant(policy, ALICE), WTL_GRANT_FULL, "are no job of another user");
    wtl_policy_destroy(policy);
}

static void put_list(const char *cgroup, int first, int count)
{
    char path[300], line[20];
    (void)snprintf(path, sizeof path, BATCH "%s/cgroup.procs", cgroup);
    char *text = calloc((size_t)count + 1, sizeof line);
    if (!text)
        exit(done_testing());
    char *end = text;
    for (int i = 0; i < count; i++)
        end += snprintf(end, sizeof line, "%d\n", first + i);
    put_file(path, text);
    free(text);
}

/* A cgroup with 4200 others in it, without processes. */
static int list_many(const struct wtl_world *world, const char *path, char ***ret_names)
{
    enum { COUNT = 4200, SIZE = 8 };
    if (strcmp(path, BATCH "/job_2") != 0)
        return folder_list(world, path, ret_names);
    char **names = calloc(COUNT, sizeof *names + SIZE);
    if (!names)
        return -ENOMEM;
    for (int i = 0; i < COUNT; i++) {
        names[i] = (char *)(names + COUNT) + (ptrdiff_t)i * SIZE;
        (void)snprintf(names[i], SIZE, "c%d", i);
    }
    *ret_names = names;
    return COUNT;
}

static bool exists_many(const struct wtl_world *world, const char *path)
{
    return strncmp(path, BATCH "/job_2/c", sizeof BATCH + 7) == 0 || folder_exists(world, path);
}

/* Another user's process is the last of very many, all others of which have ended. */
static void test_many(void)
{
    put_process("/job_2", 4712, 0);
    put_process("/job_2", 1003000, BOB);
    put_list("/job_2", 1000001, 3000);
    struct wtl_policy *policy = create();
    is_int(wtl_policy_grant(policy, ALICE), WTL_GRANT_COARSE,
           "the last of 3000 processes is another user's");
    is_int(wtl_policy_grant(policy, BOB), WTL_GRANT_COARSE, "who may read as well");
    put_list("/job_2", 2000001, 3000);
    ok(wtl_policy_refresh(policy), "they end");
    is_int(wtl_policy_grant(policy, ALICE), WTL_GRANT_FULL, "alone again");
    put_list("/job_2", 2000001, 20000);
    ok(wtl_policy_refresh(policy), "more than a look takes");
    is_int(wtl_policy_grant(policy, ALICE), WTL_GRANT_COARSE, "the node counts as shared");
    put_process("/job_2", 0, 0);
    (void)wtl_policy_allow(policy, ALICE);
    (void)wtl_policy_refresh(policy);
    folder_ops.list = list_many;
    folder_ops.exists = exists_many;
    ok(wtl_policy_refresh(policy), "more cgroups than a look takes");
    is_int(wtl_policy_grant(policy, ALICE), WTL_GRANT_COARSE, "the same");
    (void)wtl_policy_deny(policy, ALICE);
    folder_ops.list = folder_list;
    folder_ops.exists = folder_exists;
    wtl_policy_destroy(policy);
}

static void test_allowed(void)
{
    char path[120];
    settings.batch_cgroup[0] = '\0';
    struct wtl_policy *policy = create();
    is_int(wtl_policy_grant(policy, ALICE), WTL_GRANT_NONE, "without a batch system");
    is_int(wtl_policy_allow(policy, ALICE), 0, "allow");
    is_int(wtl_policy_allow(policy, ALICE), 0, "twice");
    is_int((int)wtl_policy_users(policy), 1, "is once");
    wtl_policy_destroy(policy);
    policy = create();
    is_int(wtl_policy_grant(policy, ALICE), WTL_GRANT_FULL, "after a restart");
    is_int(wtl_policy_deny(policy, ALICE), 0, "deny");
    is_int(wtl_policy_deny(policy, BOB), 0, "who was not allowed");
    wtl_policy_destroy(policy);
    policy = create();
    is_int(wtl_policy_grant(policy, ALICE), WTL_GRANT_NONE, "also after a restart");
    wtl_policy_destroy(policy);
    put_file("/run/allowed", "1001x\n-1\n4294967295\n99999999999\n\n1002\nroot\n");
    policy = create();
    is_int((int)wtl_policy_users(policy), 1, "of a damaged list, the one line that is a user");
    is_int(wtl_policy_grant(policy, BOB), WTL_GRANT_FULL, "counts");
    is_int(wtl_policy_grant(policy, ALICE), WTL_GRANT_NONE, "the others do not");
    (void)wtl_policy_deny(policy, BOB);
    int rc = 0;
    for (uid_t uid = 1; uid <= 4096 && rc == 0; uid++)
        rc = uid == BOB ? 0 : uid > 3 ? 0 : wtl_policy_allow(policy, uid);
    is_int(rc, 0, "more users");
    wtl_policy_destroy(policy);
    (void)snprintf(path, sizeof path, "%s/allowed", run_dir);
    (void)unlink(path);
}

static void test_settings(void)
{
    settings.readers = WTL_READERS_ALL;
    struct wtl_policy *policy = create();
    is_int(wtl_policy_grant(policy, EVE), WTL_GRANT_FULL, "everybody may read");
    (void)wtl_policy_allow(policy, ALICE);
    is_int(wtl_policy_grant(policy, EVE), WTL_GRANT_COARSE, "coarse where somebody has a job");
    is_int(wtl_policy_grant(policy, ALICE), WTL_GRANT_FULL, "who is alone with it");
    wtl_policy_destroy(policy);
    settings.shared_full = true;
    policy = create();
    is_int(wtl_policy_grant(policy, EVE), WTL_GRANT_FULL, "shared = full");
    wtl_policy_destroy(policy);
    settings.readers = WTL_READERS_GROUP;
    (void)snprintf(settings.group, sizeof settings.group, "nosuchgroup");
    policy = create();
    is_int(wtl_policy_grant(policy, EVE), WTL_GRANT_NONE, "not a member of a group");
    ok(strstr(wtl_policy_refusal(policy), "wattle allow"), "%s", wtl_policy_refusal(policy));
    wtl_policy_destroy(policy);
}

int main(void)
{
    make_world();
    test_batch();
    test_many();
    test_allowed();
    test_settings();
    remove_world();
    return done_testing();
}
