/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file that makes a sweep resumable: what was asked, written before the first run. What has been done is known from
 * the traces in the same folder, so that nothing is lost however it ends.
 *
 *     wattle-sweep 1
 *     seed 17
 *     blocks 5
 *     freq 1.2-2.3GHz:0.1
 *     word ./prog               the command, word by word; % and control characters as %XX
 *     end
 */
#ifndef WTL_TUNING_SWEEP_FILE_H
#define WTL_TUNING_SWEEP_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include <wattle/error.h>

#include "tuning/sweep_plan.h"

#define WTL_SWEEP_FILE "sweep.plan"

enum { WTL_SWEEP_WORDS = 1024, WTL_SWEEP_BLOCKS = 10000 };

struct wtl_sweep_order_form {
    uint64_t seed;
    unsigned blocks, warmup;
    bool ignore_failure;
    double slowdown;
    uint64_t interval_ns, cooldown_ns;
    char *frequencies, *threads, *limits, *metric, *sensors; /* NULL = not given; owned */
    enum wtl_sweep_turbo turbo;
    char *words[WTL_SWEEP_WORDS + 1]; /* of the command; owned */
    size_t word_count;
};

extern const char *const wtl_sweep_turbo_names[]; /* "leave", "on", "off", "both", NULL */

/* Copy a text into a member: 0 or -ENOMEM. */
int wtl_sweep_form_text(char **place, const char *text);
int wtl_sweep_form_word(struct wtl_sweep_order_form *form, const char *word);
void wtl_sweep_form_fini(struct wtl_sweep_order_form *form);

/* Write it to FOLDER/sweep.plan, replacing it at once and flushed. 0 or -errno with a sentence. */
int wtl_sweep_file_write(const char *folder,
                         const struct wtl_sweep_order_form *form,
                         struct wattle_error *err);
/* Read it; the file is of unknown origin. 0; -ENOENT; -EBADMSG with the line. Freed by fini in any case. */
int wtl_sweep_file_read(const char *folder,
                        struct wtl_sweep_order_form *ret_form,
                        struct wattle_error *err);
/* The same from text. */
int wtl_sweep_file_parse(const char *text,
                         size_t n,
                         struct wtl_sweep_order_form *ret_form,
                         struct wattle_error *err);

#endif
