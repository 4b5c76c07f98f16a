/* SPDX-License-Identifier: BSD-3-Clause */
/* Who may read what: by the batch system's cgroup, by root, by settings; alone on the node, and with others. */
#define _GNU_SOURCE
#include "daemon/policy.h"

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
    test_allowed();
    test_settings();
    remove_world();
    return done_testing();
}
