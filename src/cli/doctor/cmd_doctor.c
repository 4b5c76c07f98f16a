/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle doctor": what this machine can measure, what prevents it, and how to fix it. */
#include "cli/commands.h"

#include <errno.h>
#include <string.h>

#include "base/fail.h"
#include "base/flush.h"
#include "cli/doctor/doctor.h"
#include "cli/documents.h"
#include "cli/sensors/sensor_list.h"
#include "cli/settings.h"
#include "model/quality.h"
#include "report/json_value.h"
#include "report/table.h"
#include "source/registry.h"

/* Exit statuses in addition to those of all verbs. */
enum { ONLY_ESTIMATE = 3, NOTHING = 4 };

struct doctor_request {
    const char *host;
    enum wtl_format format;
    bool all;
};

static const char *const formats[] = {"text", "json", NULL};

static const struct wtl_option options_table[] = {
    {'a', "all", NULL, "also show checks that passed or do not apply",
     WTL_SETS(struct doctor_request, all)},
    {0, "format", "FORMAT", "text or json (default text)",
     WTL_TAKES_CHOICE(struct doctor_request, format, formats)},
    {0, "host", "DIR", "check a recorded host instead of this machine",
     WTL_TAKES_TEXT(struct doctor_request, host)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

/* ---- text, and JSON "wattle.doctor/1" ---- */

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

/* Returns 0 or -ENOMEM. Errors of the stream stay in it. all: also checks that passed or do not apply. */
static int doctor_text(FILE *out,
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

static int doctor_json(FILE *out, const struct wtl_doctor *doctor)
{
    return wtl_json_print(out, wtl_noun_document("wattle.doctor/1", &wtl_noun_doctor, doctor));
}

/* ---- the verb ---- */

/* Returns the exit status, or -errno with a message. */
static int examine(const struct doctor_request *request,
                   const struct wtl_world *world,
                   struct wattle_error *err)
{
    struct wtl_cli_settings settings;
    struct wtl_selection *selection = NULL;
    struct wtl_doctor doctor = {0};
    int rc = wtl_cli_settings_load(&settings, world, err);
    if (rc < 0)
        return rc;
    struct wtl_request open = {
        .drivers = wtl_drivers, .settings = &settings.drivers, .activity = true};
    struct wtl_style style = wtl_style_of(stdout);
    rc = wtl_selection_open(&open, world, &selection, err);
    if (rc == 0) {
        rc = wtl_doctor_examine(&doctor, world, selection);
        if (rc == 0)
            rc = request->format == WTL_FORMAT_JSON
                     ? doctor_json(stdout, &doctor)
                     : doctor_text(stdout, &style, &doctor, request->all);
        rc = rc < 0 ? wtl_no_memory(err) : wtl_flush(stdout, err);
    }
    if (rc == 0 && !doctor.measured)
        rc = selection->total.count ? ONLY_ESTIMATE : NOTHING;
    wtl_doctor_fini(&doctor);
    wtl_selection_close(selection);
    wtl_cli_settings_fini(&settings);
    return rc;
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_doctor_command;
    struct doctor_request request = {0};
    struct wtl_command_line line;
    struct wtl_world *recorded = NULL;
    struct wattle_error err = {""};
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    int rc = request.host ? wtl_world_recorded(request.host, &recorded, &err) : 0;
    if (rc == 0)
        rc = examine(&request, request.host ? recorded : wtl_world_real(), &err);
    wtl_world_close(recorded);
    if (rc < 0)
        wtl_complain(command, "%s", err.text);
    return rc < 0 ? WTL_EXIT_FAILED : rc;
}

const struct wtl_command wtl_doctor_command = {
    .verb = "doctor",
    .run = run,
    .operands = "",
    .summary = "find what prevents measuring, and how to fix it",
    .text =
        "Checks sensors, permissions, container, virtual machine, kernel and limits.\nChanges "
        "nothing.\nExit status: 0 energy can be measured, 3 it can only be estimated, 4 neither.\n",
    .options = options_table,
    .examples =
        "wattle doctor\n"
        "wattle doctor --format json | jq '.checks[] | select(.state == \"stands in the way\")'\n"
        "wattle doctor >/dev/null || echo 'no measurement here'\n",
    .usage_exit = WTL_EXIT_USAGE,
};
