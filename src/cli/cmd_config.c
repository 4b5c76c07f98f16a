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
#include "report/report.h"
#include "report/table.h"

struct request {
    enum wtl_format format;
};

static const struct wtl_option options_table[] = {
    WTL_OPTION_FORMAT(struct request, format),
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

struct view {
    const struct wtl_config *config;
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
        char list[256] = "";
        const char *last = "";
        bool found = false;
        for (size_t k = 0; k < wtl_config_count(view->config); k++) {
            struct wtl_config_entry entry = wtl_config_entry(view->config, k);
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
    for (size_t i = 0; i < wtl_config_count(view->config); i++) {
        struct wtl_config_entry entry = wtl_config_entry(view->config, i);
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
    for (size_t i = 0; i < wtl_config_count(view->config); i++) {
        struct wtl_config_entry entry = wtl_config_entry(view->config, i);
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

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_config_command;
    struct wtl_command_line line;
    struct request request = {.format = WTL_FORMAT_TEXT};
    struct wtl_cli_settings settings;
    struct wattle_error err = {""};
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    if (wtl_cli_settings_load(&settings, wtl_world_real(), &err) < 0) {
        wtl_complain(command, "%s", err.text);
        return WTL_EXIT_FAILED;
    }
    struct view view = {
        .config = settings.config, .sections = line.words, .section_count = line.count};
    if ((status = check_sections(&view))) {
        wtl_cli_settings_fini(&settings);
        return status;
    }
    if (request.format != WTL_FORMAT_TEXT) {
        print_sheet(&view,
                    request.format == WTL_FORMAT_JSON ? WTL_ROW_WRITER_JSON : WTL_ROW_WRITER_CSV);
    } else if (print_text(&view) < 0) {
        wtl_complain(command, WTL_NO_MEMORY);
        status = WTL_EXIT_FAILED;
    }
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
        "the environment, and options; later ones override earlier ones. See\nwattle.conf(5).\n",
    .options = options_table,
    .examples = "wattle config\n"
                "wattle config run\n"
                "WATTLE_RUN_INTERVAL=10ms wattle config --format json\n",
    .usage_exit = WTL_EXIT_USAGE,
};
