/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle config": every setting, its value and its origin. */
#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/world/world.h"
#include "cli/documents.h"
#include "cli/settings.h"
#include "exchange/row_writer.h"
#include "options/service_keys.h"
#include "report/report.h"
#include "report/table.h"

struct config_request {
    enum wtl_format format;
};

static const struct wtl_option options_table[] = {
    WTL_OPTION_FORMAT(struct config_request, format),
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

struct view {
    const struct wtl_config *config,
        *services;   /* the latter: of wattled and wattle-pm, from the system's file */
    char **sections; /* those to show */
    size_t section_count;
};

/* Does an argument select the section of this entry? "sensor" selects all sensors, "perf" one. */
static bool is_meant(const char *word, const struct wtl_config_entry *entry)
{
    const char *section = entry->key->section;
    bool sensor = strncmp(section, "sensor ", 7) == 0;
    return strcmp(word, section) == 0 ||
           (sensor && (strcmp(word, "sensor") == 0 || strcmp(word, section + 7) == 0));
}

static size_t entry_count(const struct view *view)
{
    return wtl_config_count(view->config) + wtl_config_count(view->services);
}

static struct wtl_config_entry entry_at(const struct view *view, size_t i)
{
    const size_t own = wtl_config_count(view->config);
    return i < own ? wtl_config_entry(view->config, i) : wtl_config_entry(view->services, i - own);
}

static bool is_shown(const struct view *view, const struct wtl_config_entry *entry)
{
    for (size_t i = 0; i < view->section_count; i++) {
        if (is_meant(view->sections[i], entry))
            return true;
    }
    return view->section_count == 0;
}

/* Returns 0, or the exit status of the usage error: an argument that selects no section. */
static int check_sections(const struct view *view)
{
    for (size_t i = 0; i < view->section_count; i++) {
        char list[512] = "";
        const char *last = "";
        bool found = false;
        for (size_t k = 0; k < entry_count(view); k++) {
            struct wtl_config_entry entry = entry_at(view, k);
            found |= is_meant(view->sections[i], &entry);
            if (strcmp(entry.key->section, last) == 0)
                continue;
            last = entry.key->section;
            size_t used = strlen(list);
            (void)snprintf(list + used, sizeof list - used, "%s\"%s\"", used ? ", " : "", last);
        }
        if (!found)
            return wtl_usage(&wtl_config_command, "unknown section \"%s\"; sections are %s",
                             view->sections[i], list);
    }
    return 0;
}

static int print_text(const struct view *view)
{
    static const struct wtl_column columns[] = {
        {"section", false}, {"key", false}, {"value", false}, {"from", false}};
    struct wtl_table *table = wtl_table_create(columns, 4);
    struct wtl_style style = wtl_style_of(stdout);
    for (size_t i = 0; i < entry_count(view); i++) {
        struct wtl_config_entry entry = entry_at(view, i);
        const char *cells[] = {entry.key->section, entry.key->name,
                               entry.value[0] ? entry.value : "-", entry.origin};
        if (is_shown(view, &entry))
            wtl_table_row(table, entry.is_default ? WTL_PLAIN : WTL_STRONG, cells);
    }
    int rc = wtl_table_print(table, stdout, 0, &style);
    wtl_table_destroy(table);
    return rc;
}

const char *const wtl_config_columns[] = {"section", "key",  "value", "from",
                                          "default", "help", NULL};

static void print_sheet(const struct view *view, enum wtl_row_writer_form form)
{
    char user[4096];
    struct wtl_row_writer sheet;
    wtl_config_user_path(wtl_world_real(), "wattle.conf", user, sizeof user);
    wtl_row_writer_begin(&sheet, stdout, form, false, "config");
    wtl_row_writer_note(&sheet, "system_file", wtl_config_system_path());
    wtl_row_writer_note(&sheet, "user_file", user);
    wtl_row_writer_columns(&sheet, wtl_config_columns, 6);
    for (size_t i = 0; i < entry_count(view); i++) {
        struct wtl_config_entry entry = entry_at(view, i);
        const struct wtl_cell cells[] = {wtl_cell_text(entry.key->section),
                                         wtl_cell_text(entry.key->name),
                                         wtl_cell_text(entry.value),
                                         wtl_cell_text(entry.origin),
                                         wtl_cell_text(entry.key->default_text),
                                         wtl_cell_text(entry.key->help)};
        if (is_shown(view, &entry))
            wtl_row_writer_row(&sheet, cells, 6);
    }
    wtl_row_writer_end(&sheet);
}

/* Their keys are not those of commands, which say nothing about what is wrong there. */
static int load_services(struct wtl_config **ret_config, struct wattle_error *err)
{
    static const char *const others[] = {"run", "jobs", "slurm", "control", "sensor *", NULL};
    size_t count;
    const struct wtl_config_key *keys = wtl_service_keys(&count);
    if (wtl_config_create(keys, count, ret_config) < 0)
        return wtl_no_memory_for(err, "the configuration");
    wtl_config_others(*ret_config, others);
    return wtl_config_load_system(*ret_config, wtl_world_real(), NULL, err);
}

static int show(const struct view *view, enum wtl_format format)
{
    if (format != WTL_FORMAT_TEXT) {
        print_sheet(view, format == WTL_FORMAT_JSON ? WTL_ROW_WRITER_JSON : WTL_ROW_WRITER_CSV);
    } else if (print_text(view) < 0) {
        wtl_complain(&wtl_config_command, WTL_NO_MEMORY);
        return WTL_EXIT_FAILED;
    }
    return 0;
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_config_command;
    struct wtl_command_line line;
    struct config_request request = {.format = WTL_FORMAT_TEXT};
    struct wtl_cli_settings settings;
    struct wattle_error err = {""};
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    struct wtl_config *services = NULL;
    int rc = wtl_cli_settings_load(&settings, wtl_world_real(), &err);
    if (rc < 0) {
        wtl_complain(command, "%s", err.text);
        return WTL_EXIT_FAILED;
    }
    rc = load_services(&services, &err);
    struct view view = {.config = settings.config,
                        .services = services,
                        .sections = line.words,
                        .section_count = line.count};
    if (rc < 0) {
        wtl_complain(command, "%s", err.text);
        status = WTL_EXIT_FAILED;
    } else {
        status = check_sections(&view);
    }
    if (status == 0)
        status = show(&view, request.format);
    wtl_config_destroy(services);
    wtl_cli_settings_fini(&settings);
    return status;
}

const struct wtl_command wtl_config_command = {
    .verb = "config",
    .run = run,
    .operands = "[SECTION]...",
    .summary = "show every setting, its value and its origin",
    .text =
        "Settings come from /etc/wattle/wattle.conf, ~/.config/wattle/wattle.conf,\nWATTLE_* in "
        "the environment, and options; later ones override earlier ones. Those of wattled\nand "
        "wattle-pm, sections wattled and pm, are as the system's file and the\nenvironment here "
        "say. "
        "See wattle.conf(5).\n",
    .options = options_table,
    .examples = "wattle config\n"
                "wattle config run\n"
                "wattle config pm\n"
                "WATTLE_RUN_INTERVAL=10ms wattle config --format json\n",
    .usage_exit = WTL_EXIT_USAGE,
};
