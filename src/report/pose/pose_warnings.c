/* SPDX-License-Identifier: BSD-3-Clause */
/* Warnings for the codes of a table: see pose_text.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/pose/pose_text.h"
#include "report/table.h"

enum { KINDS = 40, NAMED = 4, LABEL = 10 };

/* Warnings with the same name. */
struct kind {
    struct wtl_pose_warning_text first;
    size_t subjects[NAMED]; /* the first ones that it is of */
    size_t count;           /* of all of them */
    bool same;              /* the text of all */
};

struct kinds {
    struct kind of[KINDS];
    size_t count;
    bool more;
};

static void add(struct kinds *kinds, size_t s, const struct wtl_pose_warning_text *warning)
{
    size_t i = 0;
    while (i < kinds->count && strcmp(kinds->of[i].first.name, warning->name) != 0)
        i++;
    if (i == KINDS) {
        kinds->more = true;
        return;
    }
    struct kind *kind = &kinds->of[i];
    if (i == kinds->count) {
        kinds->count++;
        *kind = (struct kind){.first = *warning, .same = true};
    }
    kind->same &= strcmp(kind->first.text, warning->text) == 0;
    if (kind->count < NAMED)
        kind->subjects[kind->count] = s;
    kind->count++;
}

/* The same warning under several metrics counts once. */
static void add_subject(struct kinds *kinds, const struct wtl_pose_study *study, size_t s)
{
    const struct wtl_pose_subject *subject = &study->subjects[s];
    struct wtl_pose_warning_text warning, before;
    for (size_t m = 0; m < study->metric_count; m++) {
        const struct wtl_pose_model *model = wtl_pose_study_model(study, s, m);
        for (size_t i = 0; wtl_pose_warning_at(subject, model, i, &warning); i++) {
            bool seen = false;
            for (size_t k = 0; k < m && !seen; k++)
                for (size_t j = 0;
                     !seen &&
                     wtl_pose_warning_at(subject, wtl_pose_study_model(study, s, k), j, &before);
                     j++)
                    seen = strcmp(before.name, warning.name) == 0;
            if (!seen)
                add(kinds, s, &warning);
        }
    }
    if (subject->simulated)
        add(kinds, s,
            &(struct wtl_pose_warning_text){"SIMULATED", "the energy is that of a simulated node"});
}

static void print_name(FILE *out, const struct wtl_pose_study *study, size_t s)
{
    const struct wtl_pose_subject *subject = &study->subjects[s];
    if (!subject->label && !subject->group)
        (void)fprintf(out, "code %zu", s + 1);
    else
        (void)fprintf(out, "%.60s%s%.40s", subject->label ? subject->label : "",
                      subject->label && subject->group ? " on " : "",
                      subject->group ? subject->group : "");
}

/* "NAME: text (A, B and 3 more)"; if the texts differ, that of A. */
static void print_warning(FILE *out, const struct wtl_pose_study *study, const struct kind *kind)
{
    size_t named = kind->count < NAMED ? kind->count : NAMED;
    (void)fprintf(out, "%s: %s (", kind->first.name, kind->first.text);
    if (kind->same && kind->count == study->subject_count) {
        (void)fprintf(out, "all %zu codes)", kind->count);
        return;
    }
    for (size_t i = 0; i < named; i++) {
        (void)fputs(i == 0 ? "" : i == 1 && !kind->same ? "; likewise " : ", ", out);
        print_name(out, study, kind->subjects[i]);
    }
    if (kind->count > named)
        (void)fprintf(out, " and %zu more", kind->count - named);
    (void)fputc(')', out);
}

static int print(FILE *out,
                 const struct wtl_style *style,
                 const struct wtl_pose_study *study,
                 const struct kind *kind)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (stream)
        print_warning(stream, study, kind);
    int rc = stream && fclose(stream) == 0 ? 0 : -ENOMEM;
    if (rc == 0)
        wtl_print_paragraph(out, style, WTL_CAUTION, LABEL, "warning", text);
    free(text);
    return rc;
}

int wtl_pose_print_codes_warnings(FILE *out,
                                  const struct wtl_style *style,
                                  const struct wtl_pose_study *study)
{
    struct kinds *kinds = calloc(1, sizeof *kinds);
    int rc = kinds ? 0 : -ENOMEM;
    for (size_t s = 0; rc == 0 && s < study->subject_count; s++)
        add_subject(kinds, study, s);
    if (rc == 0 && kinds->count > 0)
        (void)fputc('\n', out);
    for (size_t i = 0; rc == 0 && i < kinds->count; i++)
        rc = print(out, style, study, &kinds->of[i]);
    if (rc == 0 && kinds->more)
        (void)fputs(" There are more warnings; see --format csv for all.\n", out);
    free(kinds);
    return rc;
}
