/* SPDX-License-Identifier: BSD-3-Clause */
/* Models: what follows from their runs, and their file, good and bad. */
#define _GNU_SOURCE
#include "analysis/phases/model.h"

#include <errno.h>
#include <math.h>

#include "tap.h"

#define HEAD                                                                            \
    "wattle phase model\t1\nset\tpaper\nmethod\tfocus\nstep\t0\nalike\t0.15\nidle\t-\n" \
    "counter\tCPU_CYCLES\t1\t10\t0\t5e9\ncounter\tCACHE_MISSES\t2\t10\t0.5\t-0\n"
#define LETTERS                                              \
    "letter\tA\t0\t0\t10\t10\t2\t100\t1\t10\t20\t4e9\t1e6\n" \
    "letter\tXXX\t0\t1\t10\t10\t2\t-\t-\t0\t0\t1e7\t-\n"
#define RUN                                                      \
    "run\tlu\tXeon\t2\tmeasured\t0\ndna\t0:10000000:1000000000 " \
    "1:5000000:0:0\ndna\t0:15000000:1650000000:12000000\n"
#define SECOND                                                                        \
    "run\tlu\tEPYC\t1\testimated\t1\ndna\t0:10000000:1040000000 ?:2000000:200000000 " \
    "0:10000000:960000000\n"

static int parse(const char *text,
                 size_t n,
                 struct wtl_phase_model *model,
                 struct wattle_error *err)
{
    return wtl_phase_model_parse("m", text, n, model, err);
}

static void good(void)
{
    static const char text[] = HEAD LETTERS RUN SECOND "end\t2\n";
    struct wtl_phase_model model;
    struct wattle_error err = {""};
    if (!ok(parse(text, sizeof text - 1, &model, &err) == 0, "a model is read: %s", err.text))
        return;
    is_int((int)model.run_count, 2, "its runs");
    is_double(model.runs[0].duration_s, 15, 1e-9, "as long as their longest node");
    is_double(model.runs[0].energy_j, 2650, 1e-6, "with the energy of both nodes");
    is_double(model.runs[0].known_s, 22, 1e-6, "as far as it is known");
    ok(model.runs[0].quality == WATTLE_MEASURED && !model.runs[0].simulated, "that is measured");
    ok(model.runs[1].quality == WATTLE_ESTIMATED && model.runs[1].simulated,
       "estimated, simulated");
    ok(model.alphabet.letters[1].idle && isnan(model.alphabet.letters[1].mean_w), "idle, unknown");

    struct wtl_letter_power *powers = NULL;
    is_int(wtl_phase_model_powers(&model, &powers, NULL), 0, "power of letters");
    is_int((int)powers[0].occurrences, 4, "occurrences with known energy");
    is_double(powers[0].energy_j, 4650, 1e-6, "energy of A");
    is_double(powers[0].mean_w, 4650.0 / 42, 1e-9, "mean power of A");
    ok(powers[0].low_w < powers[0].mean_w && powers[0].low_w > 70 && powers[0].high_w < 150,
       "in an interval: %.1f to %.1f", powers[0].low_w, powers[0].high_w);
    ok(powers[1].occurrences == 0 && isnan(powers[1].mean_w), "unknown is not 0");
    free(powers);

    struct wtl_transitions transitions;
    is_int(wtl_phase_model_transitions(&model, 0, &transitions, NULL), 0, "transitions");
    is_int((int)transitions.runs, 2, "of both runs");
    is_double(wtl_transition_probability(&transitions, 0, 1), 1, 1e-12, "all begin with A");
    is_double(wtl_transition_probability(&transitions, 1, 2), 1.0 / 3, 1e-12, "A to XXX");
    is_double(wtl_transition_probability(&transitions, 1, 3), 1.0 / 3, 1e-12, "A to unknown");
    is_double(wtl_transition_probability(&transitions, 1, 0), 1.0 / 3, 1e-12, "A to the end");
    is_double(wtl_transition_probability(&transitions, 3, 1), 1, 1e-12, "unknown to A");
    wtl_transitions_fini(&transitions);

    struct wtl_system_states states;
    is_int(wtl_model_run_states(&model.runs[0], &states, NULL), 0, "states of the system");
    ok(states.count == 2 && states.list[0].letters[0] == 0 && states.list[0].letters[1] == 0 &&
           states.list[1].letters[0] == 1 && states.list[1].letters[1] == 0,
       "vectors of both nodes' letters");
    is_double(states.list[1].begin_s, 10, 1e-9, "they change with any of them");
    is_double(states.list[1].end_s, 15, 1e-9, "to the end");
    wtl_system_states_fini(&states);

    char *again = NULL, *once_more = NULL;
    size_t n = 0, m = 0;
    FILE *out = open_memstream(&again, &n);
    wtl_phase_model_write(&model, out);
    (void)fclose(out);
    wtl_phase_model_fini(&model);
    ok(parse(again, n, &model, &err) == 0, "what is written is read: %s", err.text);
    out = open_memstream(&once_more, &m);
    wtl_phase_model_write(&model, out);
    (void)fclose(out);
    is_str(once_more, again, "and is the same");
    ok(strstr(again, "wattle phase model\t2\n") != NULL, "in the version that has intervals");
    free(again);
    free(once_more);
    wtl_phase_model_fini(&model);
}

static void bad(void)
{
    static const struct row {
        int line, rc;
        const char *text, *says;
    } rows[] = {
        {__LINE__, -EBADMSG, "", "m is empty"},
        {__LINE__, -EBADMSG, "time,power\n1,2\n", "not a model"},
        {__LINE__, -EBADMSG, "wattle phase model\tx\n", "no version"},
        {__LINE__, -ENOTSUP, "wattle phase model\t3\n", "newer wattle"},
        {__LINE__, -EBADMSG, "wattle phase model\t1\n", "cut off"},
        {__LINE__, -EBADMSG, HEAD LETTERS RUN, "cut off"},
        {__LINE__, -EBADMSG, HEAD LETTERS RUN "end\t2\n", "another number of runs"},
        {__LINE__, -EBADMSG, HEAD LETTERS RUN "end\t1\nend\t1\n", "follows the end"},
        {__LINE__, -EBADMSG, HEAD LETTERS LETTERS "end\t0\n", "letter is there twice"},
        {__LINE__, -EBADMSG, HEAD "letter\tA\t0\t0\nend\t0\n", "not a line"},
        {__LINE__, -EBADMSG, HEAD LETTERS "run\tlu\tX\t0\tmeasured\t0\nend\t1\n",
         "number of nodes"},
        {__LINE__, -EBADMSG, HEAD LETTERS "run\tlu\tX\t2\tmeasured\t0\ndna\t0:1:1\nend\t1\n",
         "fewer nodes"},
        {__LINE__, -EBADMSG, HEAD LETTERS RUN "dna\t0:1:1\nend\t1\n", "more nodes"},
        {__LINE__, -EBADMSG, HEAD LETTERS "power\t10\t0.1\t1e-300\t1\t60\nend\t0\n",
         "power of counters"},
        {__LINE__, -EBADMSG,
         HEAD LETTERS "power\t10\t0.1\t7\t1\t60\nwatts\tOTHER\t1\t0\t0\t1\nend\t0\n",
         "does not have"},
        {__LINE__, -EBADMSG,
         HEAD LETTERS "power\t10\t0.1\t7\t1\t60\nwatts\tCPU_CYCLES\t1e-9\t0\t0\t1e9\nwatts\tCPU_"
                      "CYCLES\t1e-9\t0\t0\t1e9\nend\t0\n",
         "has twice"},
        {__LINE__, -EBADMSG,
         HEAD LETTERS "power\t10\t0.1\t7\t1\t60\nwatts\tCPU_CYCLES\t-\t0\t0\t1\nend\t0\n",
         "power of a counter"},
        {__LINE__, -EBADMSG,
         HEAD LETTERS "power\t10\t0.1\t7\t1\t60\nwatts\tCPU_CYCLES\t1\t0\t2\t1\nend\t0\n",
         "power of a counter"},
        {__LINE__, -EBADMSG, HEAD LETTERS "run\tl\tX\t1\tgood\t0\ndna\t0:1:1\nend\t1\n", "quality"},
        {__LINE__, -EBADMSG, HEAD LETTERS "run\tl\tX\t1\tmeasured\t2\ndna\t0:1:1\nend\t1\n",
         "quality"},
        {__LINE__, -EBADMSG, HEAD LETTERS "run\tl\tX\t1\tmeasured\t0\ndna\t2:1:1\nend\t1\n",
         "not a letter"},
        {__LINE__, -EBADMSG, HEAD LETTERS "run\tl\tX\t1\tmeasured\t0\ndna\t0:0:1\nend\t1\n",
         "not a letter"},
        {__LINE__, -EBADMSG, HEAD LETTERS "run\tl\tX\t1\tmeasured\t0\ndna\t0:5:1:6\nend\t1\n",
         "not a letter"},
        {__LINE__, -EBADMSG, HEAD LETTERS "run\tl\tX\t1\tmeasured\t0\ndna\t0:5:1:0\nend\t1\n",
         "not a letter"},
        {__LINE__, -EBADMSG, HEAD LETTERS "run\tl\tX\t1\tmeasured\t0\ndna\t0:5:nan\nend\t1\n",
         "not a letter"},
        {__LINE__, -EBADMSG, HEAD LETTERS "run\tl\x1b\tX\t1\tmeasured\t0\ndna\t0:5:1\nend\t1\n",
         "not a name"},
        {__LINE__, -EBADMSG, "wattle phase model\t1\nset\tp\nmethod\tbest\n", "not a method"},
    };
    for (const struct row *row = rows; row < rows + sizeof rows / sizeof *rows; row++) {
        struct wtl_phase_model model;
        struct wattle_error err = {""};
        tap_line = row->line;
        is_int(parse(row->text, strlen(row->text), &model, &err), row->rc, "refused");
        ok(strstr(err.text, row->says), "in words: %s", err.text);
    }
    tap_line = 0;
}

int main(void)
{
    good();
    bad();
    return done_testing();
}
