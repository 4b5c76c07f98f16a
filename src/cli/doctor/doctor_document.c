/* SPDX-License-Identifier: BSD-3-Clause */
/* The findings of the doctor for people, and as JSON "wattle.doctor/1" (docs/format/json.md). */
#include "cli/doctor/doctor.h"

#include <errno.h>
#include <string.h>

#include "cli/documents.h"
#include "model/quality.h"
#include "report/json_value.h"
#include "report/table.h"

enum { LABEL = 16 };

static bool is_simulated(const struct wtl_doctor *doctor)
{
    return wtl_channels_are_simulated(doctor->selection->channels, doctor->selection->count);
}

/* "measured", "simulated", ..., or NULL if nothing can be summed. */
static const char *quality_of(const struct wtl_doctor *doctor)
{
    const struct wtl_total *total = &doctor->selection->total;
    return total->count ? wtl_quality_word(total->quality, is_simulated(doctor)) : NULL;
}

static void print_cures(FILE *out, const struct wtl_style *style, const struct wtl_finding *finding)
{
    for (size_t i = 0; i < finding->cure_count; i++) {
        /* Commands are not wrapped, so that they can be copied. */
        (void)fprintf(out, "%*s%s: ", WTL_TEXT_INDENT + LABEL, "", finding->cures[i].where);
        wtl_print_clean(out, finding->cures[i].command, strlen(finding->cures[i].command));
        (void)fputc('\n', out);
    }
    if (finding->gain[0]) {
        char text[sizeof finding->gain + 16];
        (void)snprintf(text, sizeof text, "gain: %s", finding->gain);
        wtl_print_paragraph(out, style, WTL_PLAIN, LABEL, "", text);
    }
}

static void print_group(FILE *out,
                        const struct wtl_style *style,
                        const struct wtl_doctor *doctor,
                        enum wtl_health health,
                        const char *title)
{
    bool any = false;
    for (size_t i = 0; i < doctor->count; i++) {
        const struct wtl_finding *finding = &doctor->findings[i];
        if (finding->health != health)
            continue;
        if (!any)
            (void)fprintf(out, "\n %s\n\n", title);
        any = true;
        wtl_print_paragraph(out, style, health == WTL_HEALTH_BLOCKED ? WTL_CAUTION : WTL_PLAIN,
                            LABEL, finding->check, finding->what);
        print_cures(out, style, finding);
    }
}

int wtl_doctor_text(FILE *out,
                    const struct wtl_style *style,
                    const struct wtl_doctor *doctor,
                    bool all)
{
    const struct wtl_total *total = &doctor->selection->total;
    char text[512] = "nothing, not even an estimate";
    size_t in_order = 0;
    if (total->count)
        (void)snprintf(text, sizeof text, "%s (%s)%s%s", total->contains, quality_of(doctor),
                       total->excludes[0] ? "; not " : "", total->excludes);
    (void)fputc('\n', out);
    wtl_print_paragraph(out, style, WTL_STRONG, LABEL, "host",
                        doctor->host[0] ? doctor->host : "this machine");
    wtl_print_paragraph(out, style, doctor->measured ? WTL_STRONG : WTL_CAUTION, LABEL,
                        "can measure", text);
    print_group(out, style, doctor, WTL_HEALTH_BLOCKED, "Prevents measuring:");
    print_group(out, style, doctor, WTL_HEALTH_BETTER, "Could be better:");
    for (size_t i = 0; i < doctor->count; i++)
        in_order += doctor->findings[i].health == WTL_HEALTH_OK;
    if (all) {
        print_group(out, style, doctor, WTL_HEALTH_OK, "In order:");
        print_group(out, style, doctor, WTL_HEALTH_NONE, "Not applicable:");
    } else {
        (void)fprintf(out, "\n %zu other check%s passed; --all shows them.\n", in_order,
                      in_order == 1 ? "" : "s");
    }
    (void)fputc('\n', out);
    return 0;
}

/* ---- JSON ---- */

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
static const struct wtl_member of_cure[] = {
    {"where", WTL_NAME_AT(struct wtl_cure, where), .meaning = "now, for good, docker, ..."},
    {"command", WTL_NAME_AT(struct wtl_cure, command), .meaning = "for a shell"},
    {.key = NULL}};
static const struct wtl_noun cure = {"remedy", of_cure};

WTL_MEMBER_GET(get_state)
{
    wtl_value_text(ret, wtl_health_name(((const struct wtl_finding *)of)->health));
}

static bool next_cure(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_finding *finding = of;
    return wtl_next_struct(ret, cursor, finding->cures, finding->cure_count,
                           sizeof *finding->cures);
}

static const struct wtl_member of_finding[] = {
    {"group", WTL_TEXT_AT(struct wtl_finding, group),
     .meaning = "sensors, container, machine, kernel, limits"},
    {"check", WTL_NAME_AT(struct wtl_finding, check),
     .meaning = "name of the check; in the group sensors, name of the driver. Masked paths of one "
                "kind share a name"},
    {"state", WTL_MEMBER_TEXT, .get = get_state,
     .meaning = "ok, could be better, stands in the way, not applicable"},
    {"what", WTL_NAME_AT(struct wtl_finding, what), .meaning = "one sentence"},
    {"remedies", WTL_MEMBER_LIST, .next = next_cure, .of = &cure,
     .meaning = "list of `where` and `command`"},
    {"gain", WTL_NAME_AT(struct wtl_finding, gain), .nullable = true,
     .meaning = "what the remedy provides"},
    {.key = NULL}};
static const struct wtl_noun finding_noun = {"finding", of_finding};

WTL_MEMBER_GET(get_total)
{
    wtl_selection_total(ret, ((const struct wtl_doctor *)of)->selection);
}

static const struct wtl_member of_doctor[] = {
    {"host", WTL_NAME_AT(struct wtl_doctor, host), .nullable = true, .meaning = "host name"},
    {"machine", WTL_NAME_AT(struct wtl_doctor, where.machine), .nullable = true,
     .meaning = "hypervisor, if in a virtual machine"},
    {"container", WTL_NAME_AT(struct wtl_doctor, where.container), .nullable = true,
     .meaning = "docker, podman, kubernetes, ..."},
    {"total", WTL_MEMBER_OBJECT, .get = get_total, .of = &wtl_noun_selection_total,
     .meaning = "total that `wattle run` would measure"},
    {"checks", WTL_LIST_AT(struct wtl_doctor, findings, count, finding_noun),
     .meaning = "in group order, below"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_doctor = {"doctor", of_doctor};
/* NOLINTEND(bugprone-macro-parentheses) */

int wtl_doctor_json(FILE *out, const struct wtl_doctor *doctor)
{
    return wtl_json_print(out, wtl_noun_document("wattle.doctor/1", &wtl_noun_doctor, doctor));
}
