/* SPDX-License-Identifier: BSD-3-Clause */
/* Detection of the launcher: each launcher's environment, and the ancestors if it names no job. */
#define _GNU_SOURCE
#include <sys/wait.h>
#include <unistd.h>

#include "record/launcher.h"
#include "tap.h"

static const char *const *environment; /* name, value, ..., NULL */

static const char *table_getenv(const struct wtl_world *world, const char *name)
{
    (void)world;
    for (size_t i = 0; environment[i]; i += 2) {
        if (strcmp(environment[i], name) == 0)
            return environment[i + 1];
    }
    return NULL;
}

/* This machine, with an environment from a table. */
static struct wtl_launcher look(const char *const *table)
{
    struct wtl_world_ops ops = *wtl_world_real()->ops;
    struct wtl_world world = *wtl_world_real();
    struct wtl_launcher launcher;
    environment = table;
    ops.getenv = table_getenv;
    world.ops = &ops;
    wtl_launcher_of(&world, &launcher);
    return launcher;
}

#define ENV(...)          \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }

static void test_environments(void)
{
    static const struct {
        int line;
        const char *env[16], *job, *run_id;
        int ranks_here;
    } rows[] = {
        {__LINE__, {NULL}, "", "", 0},
        {__LINE__, {"WATTLE_JOB", "mine", "PMIX_NAMESPACE", "7"}, "job:mine", "mine", 0},
        {__LINE__, {"WATTLE_JOB", ""}, "", "", 0},
        {__LINE__,
         {"PMIX_NAMESPACE", "125698049", "PMIX_RANK", "3", "OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
         "pmix:125698049",
         "pmix-125698049",
         4},
        /* in a container the namespace equals that of another mpirun, the address does not (FNV-1a
         * of "a") */
        {__LINE__,
         {"PMIX_NAMESPACE", "125698049", "OMPI_MCA_orte_hnp_uri", "a"},
         "pmix:125698049.af63dc4c8601ec8c",
         "pmix-125698049-af63dc4c8601ec8c",
         0},
        {__LINE__,
         {"SLURM_JOB_ID", "24", "SLURM_STEP_ID", "1", "SLURM_PROCID", "0",
          "SLURM_STEP_TASKS_PER_NODE", "2(x3)"},
         "slurm:24.1",
         "slurm-24.1",
         2},
        {__LINE__,
         {"SLURM_JOB_ID", "24", "SLURM_STEP_ID", "1", "SLURM_PROCID", "0",
          "SLURM_STEP_TASKS_PER_NODE", "2,1"},
         "slurm:24.1",
         "slurm-24.1",
         0},
        /* a batch script: not launched by srun, so it is not part of a job */
        {__LINE__, {"SLURM_JOB_ID", "24", "SLURM_PROCID", "0"}, "", "", 0},
        {__LINE__,
         {"SLURM_JOB_ID", "24", "SLURM_STEP_ID", "4294967291", "SLURM_PROCID", "0"},
         "",
         "",
         0},
        /* mpirun within a batch script is a separate job */
        {__LINE__,
         {"SLURM_JOB_ID", "24", "SLURM_PROCID", "0", "PMIX_NAMESPACE", "9", "PMIX_RANK", "0"},
         "pmix:9",
         "pmix-9",
         0},
        {__LINE__, {"FLUX_JOB_ID", "fAb", "FLUX_TASK_RANK", "0"}, "flux:fAb", "flux-fAb", 0},
        {__LINE__, {"FLUX_JOB_ID", "fAb"}, "", "", 0},
        {__LINE__, {"PALS_APID", "a-1", "PALS_RANKID", "2"}, "pals:a-1", "pals-a-1", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_launcher got = look(rows[i].env);
        tap_line = rows[i].line;
        is_str(got.job, rows[i].job, "job");
        is_str(got.run_id, rows[i].run_id, "run id");
        is_int(got.ranks_here, rows[i].ranks_here, "ranks on this node");
    }
    tap_line = 0;
}

static void test_ancestors(void)
{
    char want[64];
    (void)snprintf(want, sizeof want, ":%d.", (int)getppid());
    struct wtl_launcher own = look(ENV("PMI_RANK", "0", "MPI_LOCALNRANKS", "16"));
    ok(own.job[0] != '\0', "a rank without a job's name has a launcher or a parent: %s", own.job);
    is_int(own.ranks_here, 16, "ranks on this node");
    if (strncmp(own.job, "parent:", 7) == 0)
        ok(strstr(own.job, want) != NULL, "the parent is told by its pid and start");
    int ends[2], status;
    (void)!pipe(ends);
    pid_t pid = fork();
    if (pid ==
        0) { /* a child has another parent, and so another job, unless there is a launcher above
              * both */
        struct wtl_launcher child = look(ENV("PMI_RANK", "0"));
        (void)!write(ends[1], &child, sizeof child);
        _exit(0);
    }
    struct wtl_launcher child = {.job = ""};
    (void)!read(ends[0], &child, sizeof child);
    (void)waitpid(pid, &status, 0);
    bool has_launcher = strncmp(own.job, "parent:", 7) != 0;
    is_int(strcmp(child.job, own.job) == 0, has_launcher, "%s and %s", own.job, child.job);
}

/* A process named like MPICH's proxy, which starts this program again: it is found, with its
 * address. */
static void test_proxy(const char *program)
{
    char folder[] = "/tmp/wattle-test-launcher-XXXXXX", path[128], command[1024], line[256] = "";
    if (!mkdtemp(folder))
        return;
    (void)snprintf(path, sizeof path, "%s/hydra_pmi_proxy", folder);
    (void)snprintf(command, sizeof command,
                   "cp /bin/sh %s && %s -c 'PMI_RANK=0 %s look; :' --control-port n1:4711", path,
                   path, program);
    FILE *out = popen(command, "r");
    if (out) {
        ok(fgets(line, sizeof line, out) != NULL, "a rank below a proxy");
        (void)pclose(out);
    }
    ok(strncmp(line, "hydra_pmi_proxy:", 16) == 0, "finds it: %s", line);
    ok(strstr(line, " mpich-n1:4711") != NULL, "and the address that all nodes share");
    (void)unlink(path);
    (void)rmdir(folder);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        struct wtl_launcher got;
        wtl_launcher_of(wtl_world_real(), &got);
        printf("%s %s\n", got.job, got.run_id);
        return 0;
    }
    test_environments();
    test_ancestors();
    test_proxy(argv[0]);
    return done_testing();
}
