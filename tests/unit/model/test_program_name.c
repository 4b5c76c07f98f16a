/* SPDX-License-Identifier: BSD-3-Clause */
/* The program of a command line: launchers and their options are not part of its name. */
#include <stdlib.h>

#include "model/program_name.h"
#include "tap.h"

static const struct row {
    const char *command, *name;
} rows[] = {
    {"./lu -i big", "lu"},
    {"/opt/apps/lu.C.16", "lu.C.16"},
    {"mpirun -n 16 ./lu.C", "lu.C"},
    {"mpirun -np 16 --mca btl self,vader --bind-to core -x A=B /opt/lu big", "lu"},
    {"/usr/bin/mpirun.openmpi --allow-run-as-root --oversubscribe ./is", "is"},
    {"mpiexec.hydra -genv OMP_NUM_THREADS 4 -ppn 2 ./ft", "ft"},
    {"mpirun -n 1 ./a : -n 3 ./b", "a"},
    {"srun -N 4 --mpi=pmix --cpu-bind cores --exclusive ./cg", "cg"},
    {"srun -n4 numactl --interleave=all ./cg", "cg"},
    {"srun --nice -J job -I --kill-on-bad-exit ./cg", "cg"},
    {"srun --label -- ./cg -n 3", "cg"},
    {"env OMP_NUM_THREADS=4 -u X mpirun -n 2 taskset -c 0-3 ./mg", "mg"},
    {"timeout -k 5s 60s nice -n 10 ./mg", "mg"},
    {"mpirun -n 2 '/my programs/lu solver' x", "lu solver"},
    {"'it'\\''s'", "it's"},
    {"python3 train.py --epochs 3", "train.py"},
    {"srun -n 4 /usr/bin/python3.11 -u -X dev jobs/train.py", "train.py"},
    {"python3 -m torch.distributed.run x.py", "torch.distributed.run"},
    {"mpirun -n 2 python3 -c 'import x' y", "python3"},
    {"python3", "python3"},
    {"bash -e steps/run.sh", "run.sh"},
    {"/bin/sh -c './lu; ./is'", "sh"},
    {"julia --project -t 4 heat.jl", "heat.jl"},
    {"mpirun", "mpirun"},
    {"mpirun -n 2", "mpirun"},
    {"/usr/bin/time -v ./lu", "lu"},
    {"", ""},
    {"   ", ""},
    {"a/", "a/"},
    {"-", "-"},
    {"mpirun -mca a", "mpirun"},
    {"env", "env"},
    {"'open", "open"},
    {"\\", "\\"},
};

int main(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *name = wtl_program_name(rows[i].command);
        is_str(name, rows[i].name, "%s", rows[i].command);
        free(name);
    }
    return done_testing();
}
