/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "model/program_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What starts another program, or runs a script. taking: its options that have their value in the next word; twice: in
 * the next two. A word of `operands` more stands before the program. own: options of an interpreter that are followed by
 * its program's text, so that it is the program itself; "-m" is followed by a module. */
static const struct launcher {
    const char *name;
    bool begins; /* names that begin with it, such as mpirun.openmpi */
    const char *taking, *twice;
    int operands;
    const char *own;
} launchers[] = {
    {"mpirun", true,
     " -n -np -c -N -H -host -hosts -hostlist -hostfile -machinefile -f -ppn -perhost -npernode"
     " -npersocket -x -wdir -wd -path -prefix -output-filename -launcher -launcher-exec -iface"
     " -bind-to -map-by -rank-by -am -tune -app -configfile -genvlist -envlist -timeout "
     "-max-restarts"
     " -report-uri -rankfile -rf -cpu-set -cpu-list -display -stdin -personality -output"
     " -runtime-options -rmk -usize -demux ",
     " -mca -gmca -pmca -omca -prtemca -pmixmca -genv -env ", 0, NULL},
    {"mpiexec", true, NULL, NULL, 0, NULL}, /* as mpirun */
    {"orterun", false, NULL, NULL, 0, NULL},
    {"prterun", false, NULL, NULL, 0, NULL},
    {"srun", false,
     " -A -B -b -C -c -D -d -e -G -i -J -L -M -m -N -n -o -p -P -q -r -S -t -T -W -w -x"
     " -account -acctg-freq -bcast -begin -cluster-constraint -clusters -comment -constraint"
     " -container -core-spec -cores-per-socket -cpu-bind -cpu-freq -cpus-per-gpu -cpus-per-task"
     " -deadline -delay-boot -dependency -chdir -distribution -epilog -error -exclude -export"
     " -extra-node-info -gid -gpu-bind -gpu-freq -gpus -gpus-per-node -gpus-per-socket"
     " -gpus-per-task -gres -gres-flags -hint -input -jobid -job-name"
     " -licenses -mem -mem-bind -mem-per-cpu -mem-per-gpu -mincpus -mpi -msg-timeout -network"
     " -nodefile -nodelist -nodes -ntasks -ntasks-per-core -ntasks-per-gpu -ntasks-per-node"
     " -ntasks-per-socket -open-mode -output -partition -power -priority -profile -prolog -qos"
     " -relative -reservation -signal -slurmd-debug -sockets-per-node -switches -task-epilog"
     " -task-prolog -thread-spec -threads -threads-per-core -time -time-min -tmp -uid -wait "
     "-wckey ",
     " ", 0, NULL},
    {"aprun", false, " -n -N -d -S -j -cc -L -m -e -D -r ", " ", 0, NULL},
    {"jsrun", false, " -n -r -a -c -g -d -b -E -p -l -K -k -o -e -h ", " ", 0, NULL},
    {"env", false, " -u -C -S -unset -chdir ", " ", 0, NULL},
    {"nice", false, " -n -adjustment ", " ", 0, NULL},
    {"numactl", false,
     " -i -p -P -m -N -C -l -w -interleave -preferred -preferred-many -membind -cpunodebind"
     " -physcpubind -weighted-interleave ",
     " ", 0, NULL},
    {"taskset", false, " ", " ", 1, NULL},
    {"timeout", false, " -k -s -kill-after -signal ", " ", 1, NULL},
    {"time", false, " -f -o -format -output ", " ", 0, NULL},
    {"nohup", false, " ", " ", 0, NULL},
    {"stdbuf", false, " -i -o -e -input -output -error ", " ", 0, NULL},
    {"python", true, " -W -X -m ", " ", 0, " -c "},
    {"bash", false, " -o -O -rcfile -init-file ", " ", 0, " -c -lc -ic -ec -xc "},
    {"sh", false, " -o ", " ", 0, " -c -lc -ic -ec -xc "},
    {"perl", false, " ", " ", 0, " -e -E "},
    {"ruby", false, " -I -r -C ", " ", 0, " -e "},
    {"julia", false, " -t -p -L -J -C -threads -procs -load -sysimage ", " ", 0,
     " -e -E -eval -print "},
    {"Rscript", false, " ", " ", 0, " -e "},
    {"node", false, " -r -require ", " ", 0, " -e -p -eval -print "},
};

/* The words of a command line, one at a time: quotes as wtl_shell_word() writes them, and as a person may. */
struct words {
    const char *at;
    char *word; /* room for all of the line */
};

static bool next_word(struct words *words)
{
    const char *at = words->at;
    char *to = words->word, quote = '\0';
    while (isspace((unsigned char)*at))
        at++;
    bool any = *at != '\0';
    for (; *at && (quote || !isspace((unsigned char)*at)); at++) {
        if (*at == quote)
            quote = '\0';
        else if (!quote && (*at == '\'' || *at == '"'))
            quote = *at;
        else if (*at == '\\' && quote != '\'' && at[1])
            *to++ = *++at;
        else
            *to++ = *at;
    }
    *to = '\0';
    words->at = at;
    return any;
}

/* Without its folder. */
static const char *base_of(const char *word)
{
    const char *slash = strrchr(word, '/');
    return slash && slash[1] ? slash + 1 : word;
}

static const struct launcher *launcher_of(const char *word)
{
    const char *base = base_of(word);
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const struct launcher *one = &launchers[i];
        if (one->begins ? strncmp(base, one->name, strlen(one->name)) == 0
                        : strcmp(base, one->name) == 0)
            return one->taking ? one : &launchers[0];
    }
    return NULL;
}

/* "--name" is "-name" in the lists. */
static bool is_in(const char *list, const char *option)
{
    const char *name = option[1] == '-' ? option + 1 : option;
    size_t n = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at++)
        if (at[-1] == ' ' && at[n] == ' ')
            return true;
    return false;
}

/* How many words an option takes with it. */
static int values_of(const struct launcher *launcher, const char *option)
{
    return is_in(launcher->twice, option) ? 2 : is_in(launcher->taking, option) ? 1 : 0;
}

static bool is_option(const char *word)
{
    return word[0] == '-' && word[1];
}

enum { NOTHING, PROGRAM, ITSELF };

/* The options of a launcher: they end with the word that is not one, which is then in words->word; *ret_more: there is
 * one. ITSELF: the interpreter is the program; PROGRAM: a module follows. */
static int skip_options(const struct launcher *launcher, struct words *words, bool *ret_more)
{
    while ((*ret_more = next_word(words)) && is_option(words->word)) {
        if (strcmp(words->word, "--") == 0) {
            *ret_more = next_word(words);
            break;
        }
        if (launcher->own && strcmp(words->word, "-m") == 0)
            return next_word(words) ? PROGRAM : NOTHING;
        if (launcher->own && is_in(launcher->own, words->word))
            return ITSELF;
        for (int values = values_of(launcher, words->word); values > 0; values--)
            (void)next_word(words);
    }
    return NOTHING;
}

/* What stands before the program: options with their values, settings of env, operands. */
static int skip(const struct launcher *launcher, struct words *words)
{
    bool env = strcmp(launcher->name, "env") == 0, more = false;
    int operands = launcher->operands, found = skip_options(launcher, words, &more);
    if (found != NOTHING)
        return found;
    while (more && (operands > 0 || (env && strchr(words->word, '=')) || is_option(words->word))) {
        if (is_option(words->word) && operands == launcher->operands)
            for (int values = values_of(launcher, words->word); values > 0; values--)
                (void)next_word(words);
        else if (operands > 0)
            operands--;
        more = next_word(words);
    }
    return more ? PROGRAM : launcher->own ? ITSELF : NOTHING;
}

char *wtl_program_name(const char *command)
{
    struct words words = {.at = command, .word = malloc(strlen(command) + 1)};
    const struct launcher *launcher;
    char *name;
    if (!words.word)
        return NULL;
    int found = next_word(&words) ? PROGRAM : NOTHING;
    while (found == PROGRAM && (launcher = launcher_of(words.word))) {
        char *itself = strdup(base_of(words.word));
        found = skip(launcher, &words);
        if (found == ITSELF) {
            free(words.word);
            return itself;
        }
        free(itself);
    }
    if (found == NOTHING) { /* only a launcher */
        words.at = command;
        (void)next_word(&words);
    }
    name = strdup(base_of(words.word));
    free(words.word);
    return name;
}
