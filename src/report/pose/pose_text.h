/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a POSE study as text. */
#ifndef WTL_REPORT_POSE_TEXT_H
#define WTL_REPORT_POSE_TEXT_H

#include "report/pose/pose_forms.h"

extern const char *const wtl_pose_insight_titles[WTL_POSE_INSIGHTS];

/* What machine i is called in tables and figures: its name or group; "machine" for one without. */
const char *wtl_pose_system_name(const struct wtl_pose_study *study, size_t i, char *buf, size_t n);

/* Decimals of numbers as large as scale: two, as the paper has them; more for what is small, none beyond what a double shows. */
int wtl_pose_decimals(double scale);

/* A number with the decimals that its scale deserves, and a ratio, "1.34x"; buf is returned. */
char *wtl_pose_number(char *buf, size_t n, double value, double scale);
char *wtl_pose_ratio(char *buf, size_t n, double ratio);
/* The same with its interval where that is known: "1.20 +- 0.04 x". */
char *wtl_pose_ratio_known(char *buf, size_t n, double ratio, struct wtl_pose_range range);

/* A power with the half width of its interval, if that is above 0. */
char *wtl_pose_watts(char *buf, size_t n, double power_w, double half_w);

/* What stands for a bound that leaves nothing, "nothing" or "none needed"; NULL = it leaves something. */
const char *wtl_pose_nothing(const struct wtl_pose_model *model, enum wtl_pose_insight i);

/* Subject s: who it is and where its numbers are from; and all that metric m says of it. */
void wtl_pose_print_code(FILE *out,
                         const struct wtl_style *style,
                         const struct wtl_pose_study *study,
                         size_t s);
void wtl_pose_print_model(FILE *out,
                          const struct wtl_style *style,
                          const struct wtl_pose_study *study,
                          size_t s,
                          size_t m);

/* What there is to warn of several codes, each warning once, with the codes that it is of. 0 or -ENOMEM. */
int wtl_pose_print_codes_warnings(FILE *out,
                                  const struct wtl_style *style,
                                  const struct wtl_pose_study *study);

/* What every metric warns of, each once. */
void wtl_pose_print_warnings(FILE *out,
                             const struct wtl_style *style,
                             const struct wtl_pose_study *study,
                             size_t s);

/* All metrics of a subject beside each other. These return 0 or -ENOMEM. */
int wtl_pose_print_metrics(FILE *out,
                           const struct wtl_style *style,
                           const struct wtl_pose_study *study,
                           size_t s);
/* Codes, those with most to win from power first; candidates; machines. */
int wtl_pose_print_codes(FILE *out,
                         const struct wtl_style *style,
                         const struct wtl_pose_study *study);
int wtl_pose_print_candidates(FILE *out,
                              const struct wtl_style *style,
                              const struct wtl_pose_study *study);
int wtl_pose_print_systems(FILE *out,
                           const struct wtl_style *style,
                           const struct wtl_pose_study *study);

#endif
