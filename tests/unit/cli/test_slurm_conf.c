/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists as Slurm writes them, and what its configuration says about a node. */
#include "cli/jobs/node/slurm_job.h"

#include "tap.h"

static void test_places(void)
{
    static const struct {
        int line;
        const char *list, *node;
        long place;
    } rows[] = {
        {__LINE__, "n1", "n1", 0},        {__LINE__, "n1,n2", "n2", 1},
        {__LINE__, "n[1-3]", "n3", 2},    {__LINE__, "n[1-3,7],x", "n7", 3},
        {__LINE__, "n[1-3,7],x", "x", 4}, {__LINE__, "n[01-12]", "n07", 6},
        {__LINE__, "n[01-12]", "n7", -1}, {__LINE__, "n[1-12]", "n07", -1},
        {__LINE__, "r[1-2]s", "r2s", 1},  {__LINE__, "n[1-3]", "n4", -1},
        {__LINE__, "n[1-3", "n2", -1},    {__LINE__, "n[3-1]", "n2", -1},
        {__LINE__, "n[]", "n", -1},       {__LINE__, "n[-]", "n1", -1},
        {__LINE__, "", "n1", -1},         {__LINE__, ",,", "n1", -1},
        {__LINE__, "n[1-3]", "", -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        is_int(wtl_slurm_node_place(rows[i].list, rows[i].node), rows[i].place, "%s in %s",
               rows[i].node, rows[i].list);
    }
    tap_line = 0;
}

static void test_counts(void)
{
    is_int((long)wtl_slurm_cpus_at("8(x2)", 1), 8, "the second of two");
    is_int((long)wtl_slurm_cpus_at("8(x2)", -1), 8, "all alike: whichever it is");
    is_int((long)wtl_slurm_cpus_at("4,8(x2),2", 0), 4, "the first");
    is_int((long)wtl_slurm_cpus_at("4,8(x2),2", 2), 8, "the third");
    is_int((long)wtl_slurm_cpus_at("4,8(x2),2", 3), 2, "the last");
    is_int((long)wtl_slurm_cpus_at("4,8(x2),2", 4), 0, "beyond");
    is_int((long)wtl_slurm_cpus_at("4,8", -1), 0, "they differ, and its place is not known");
    is_int((long)wtl_slurm_cpus_at("", 0), 0, "none");
    is_int((long)wtl_slurm_cpus_at("8(x", 0), 0, "cut off");
    is_int((long)wtl_slurm_cpus_at("x", 0), 0, "not a number");
}

static void test_conf(void)
{
    static const char conf[] = "# NodeName=n1 CPUs=1\n"
                               "NodeName=DEFAULT Sockets=2 CoresPerSocket=4 ThreadsPerCore=2\n"
                               "nodename=n[1-3] RealMemory=100 # CPUs=7\n"
                               "NodeName=n4 cpus=6\n"
                               "PartitionName=DEFAULT OverSubscribe=NO\n"
                               "PartitionName=all Nodes=n[1-4]\n"
                               "PartitionName=whole Nodes=n[1-4] OverSubscribe=EXCLUSIVE\n"
                               "PartitionName=old Nodes=n[1-4] Shared=EXCLUSIVE";
    is_int((long)wtl_slurm_conf_node(conf, "n2", "all").cpus, 16, "of the default");
    is_int((long)wtl_slurm_conf_node(conf, "n4", "all").cpus, 6, "its own");
    ok(!wtl_slurm_conf_node(conf, "n1", "all").whole, "nodes are shared");
    ok(wtl_slurm_conf_node(conf, "n1", "whole").whole, "whole nodes");
    ok(wtl_slurm_conf_node(conf, "n1", "old").whole, "by the old word");
    ok(wtl_slurm_conf_node("SelectType=select/linear\n", "n1", "x").whole, "always whole nodes");
    is_int((long)wtl_slurm_conf_node("", "n1", "x").cpus, 0, "nothing is known");
    is_int((long)wtl_slurm_conf_node("NodeName", "n1", "x").cpus, 0, "a line that ends");
    is_int((long)wtl_slurm_conf_node("NodeName=", "n1", "x").cpus, 0, "a key without a value");
}

int main(void)
{
    test_places();
    test_counts();
    test_conf();
    return done_testing();
}
