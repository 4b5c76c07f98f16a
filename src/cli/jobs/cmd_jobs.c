/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle jobs": the list of actions and the dispatch, as main.c does for verbs. */
#define _GNU_SOURCE
#include <string.h>

#include "base/nearest.h"
#include "cli/jobs/jobs.h"

static const struct wtl_command *const actions[] = {
    &wtl_jobs_list_command,   &wtl_jobs_show_command,      &wtl_jobs_top_command,
    &wtl_jobs_report_command, &wtl_jobs_energy_command,    &wtl_jobs_budget_command,
    &wtl_jobs_import_command, &wtl_jobs_post_command,      &wtl_jobs_verify_command,
    &wtl_jobs_send_command,   &wtl_jobs_health_command,    &wtl_jobs_init_command,
    &wtl_jobs_purge_command,  &wtl_jobs_anonymise_command, &wtl_jobs_begin_command,
    &wtl_jobs_end_command,    &wtl_jobs_open_command,
};
enum { ACTIONS = sizeof actions / sizeof actions[0] };

/* The word after "jobs". */
static const char *word_of(const struct wtl_command *action)
{
    return action->verb + sizeof "jobs";
}

static int unknown_action(const char *word)
{
    const char *words[ACTIONS];
    for (size_t i = 0; i < ACTIONS; i++)
        words[i] = word_of(actions[i]);
    const char *near = wtl_nearest(word, words, ACTIONS);
    if (near)
        return wtl_usage(&wtl_jobs_command, "unknown action \"%s\"; did you mean \"%s\"?", word,
                         near);
    return wtl_usage(&wtl_jobs_command, "unknown action \"%s\"", word);
}

static int run(int argc, char **argv)
{
    struct wtl_command_line line;
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        return wtl_command_read(&wtl_jobs_command, argc, argv, NULL, &line);
    if (argc < 2 || argv[1][0] == '-')
        return wtl_jobs_list_command.run(argc, argv);
    for (size_t i = 0; i < ACTIONS; i++) {
        if (strcmp(argv[1], word_of(actions[i])) == 0)
            return actions[i]->run(argc - 1, argv + 1);
    }
    return unknown_action(argv[1]);
}

static const struct wtl_option options_table[] = {WTL_OPTION_HELP, WTL_OPTIONS_END};

const struct wtl_command wtl_jobs_command = {
    .verb = "jobs",
    .run = run,
    .operands = "[ACTION]",
    .summary = "energy of jobs: what they used, and what it costs",
    .text = "Without an action, \"list\". \"wattle jobs ACTION --help\" has the options of each.\n"
            "\n"
            "Jobs in the database:\n"
            "  list      list jobs with their energy, the newest first\n"
            "  show      show all that is known of a job, by node and step\n"
            "  top       show the jobs, users or programs with the most energy\n"
            "  report    add up the energy of jobs, with price and CO2\n"
            "  energy    show the energy of jobs on nodes between two times\n"
            "  budget    show what is used and left of the budgets of accounts\n"
            "  import    record jobs of Slurm's accounting, as far as they can be believed\n"
            "  post      write the energy of jobs into Slurm's accounting\n"
            "  verify    find jobs whose energy in Slurm is not the ledger's\n"
            "\n"
            "The database, for those who keep it:\n"
            "  init      make or update its tables\n"
            "  health    show silent nodes, backlogs and unknown energy\n"
            "  purge     remove old jobs\n"
            "  anonymise remove users and programs from old jobs\n"
            "\n"
            "Jobs on this node, as root:\n"
            "  begin     begin to measure a batch job on this node\n"
            "  end       end a batch job on this node and print its energy\n"
            "  open      list the jobs that wattled on this node is measuring\n"
            "  send      send the records of this node to the database\n",
    .options = options_table,
    .examples = "wattle jobs\n"
                "wattle jobs show 4711\n"
                "wattle jobs report --by account --from month\n",
    .usage_exit = WTL_EXIT_USAGE,
};
