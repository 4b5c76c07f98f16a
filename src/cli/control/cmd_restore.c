/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle restore": settings that killed processes have left, and those that are held. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "cli/commands.h"
#include "cli/control/hold_options.h"
#include "cli/documents.h"
#include "control/restore.h"
#include "exchange/row_writer.h"
#include "report/table.h"

struct restore_request {
    enum wtl_format format;
    bool list, force;
};

static const struct wtl_option options_table[] = {
    {'l', "list", NULL, "only list settings that are held or open",
     WTL_SETS(struct restore_request, list)},
    {0, "force", NULL,
     "restore settings that others have changed since, and\nremove damaged journals",
     WTL_SETS(struct restore_request, force)},
    WTL_OPTION_FORMAT(struct restore_request, format),
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

const char *const wtl_held_columns[] = {"knob",  "state", "process", "before",
                                        "asked", "path",  NULL};

struct listing {
    struct wtl_table *table; /* NULL = a sheet */
    struct wtl_row_writer sheet;
    size_t count;
};

static void list_journal(void *context, const struct wtl_journal *journal, bool is_held)
{
    struct listing *listing = context;
    for (size_t i = 0; i < journal->count; i++) {
        const struct wtl_journal_entry *e = &journal->entries[i];
        const struct wtl_knob_row *row = &wtl_knob_rows[e->kind];
        char old[WTL_KNOB_TEXT], ask[WTL_KNOB_TEXT], pid[16];
        if (e->state == WTL_ENTRY_RESTORED)
            continue;
        listing->count++;
        wtl_knob_show(row, e->old, old, sizeof old);
        wtl_knob_show(row, e->ask, ask, sizeof ask);
        (void)snprintf(pid, sizeof pid, "%d", (int)journal->holder);
        const char *const cells[] = {e->id, is_held ? "held" : "open", pid,
                                     old,   ask[0] ? ask : "-",        e->path};
        const struct wtl_cell of_sheet[] = {wtl_cell_text(cells[0]),
                                            wtl_cell_text(cells[1]),
                                            wtl_cell_count((uint64_t)journal->holder),
                                            wtl_cell_text(old),
                                            wtl_cell_text(ask),
                                            wtl_cell_text(e->path)};
        if (listing->table)
            wtl_table_row(listing->table, WTL_PLAIN, cells);
        else
            wtl_row_writer_row(&listing->sheet, of_sheet, 6);
    }
}

static int list_all(const struct wtl_control *control,
                    enum wtl_format format,
                    struct wattle_error *err)
{
    static const struct wtl_column columns[] = {
        {"knob", false}, {"state", false}, {"process", true}, {"before", false}, {"asked", false}};
    struct listing listing = {.table =
                                  format == WTL_FORMAT_TEXT ? wtl_table_create(columns, 5) : NULL};
    if (format == WTL_FORMAT_TEXT) {
        struct wtl_style style = wtl_style_of(stdout);
        int rc = listing.table ? wtl_restore_each(control, list_journal, &listing, err)
                               : wtl_no_memory(err);
        if (listing.count > 0 && wtl_table_print(listing.table, stdout, 0, &style) < 0)
            rc = wtl_no_memory(err);
        else if (rc == 0 && listing.count == 0)
            (void)puts("no settings are held or left open");
        wtl_table_destroy(listing.table);
        return rc;
    }
    wtl_row_writer_begin(&listing.sheet, stdout,
                         format == WTL_FORMAT_JSON ? WTL_ROW_WRITER_JSON : WTL_ROW_WRITER_CSV,
                         false, "held");
    wtl_row_writer_columns(&listing.sheet, wtl_held_columns, 6);
    int rc = wtl_restore_each(control, list_journal, &listing, err);
    wtl_row_writer_end(&listing.sheet);
    return rc;
}

static int restore_all(const struct wtl_control *control, bool force, struct wattle_error *err)
{
    struct wtl_restored sum = {0};
    int rc = wtl_restore_all(control, force, &sum, err);
    if (rc == 0 && sum.holds == 0)
        (void)puts(sum.held > 0 ? "nothing to restore: all holders are running"
                                : "nothing to restore");
    else if (rc == 0)
        (void)printf("restored %zu settings, kept %zu that others have changed\n", sum.knobs,
                     sum.foreign);
    return rc;
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_restore_command;
    struct restore_request request = {.format = WTL_FORMAT_TEXT};
    struct wtl_control control = wtl_cli_control(command);
    struct wtl_command_line line;
    struct wattle_error err = {""};
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    if (request.list && request.force)
        return wtl_usage(command, "--list cannot be used with --force");
    int lock = wtl_control_lock(&control, &err), rc = lock;
    if (lock >= 0) {
        rc = request.list ? list_all(&control, request.format, &err)
                          : restore_all(&control, request.force, &err);
        (void)close(lock);
    }
    if (rc < 0)
        wtl_complain(command, "%s", err.text);
    return rc < 0 ? WTL_EXIT_FAILED : WTL_EXIT_OK;
}

const struct wtl_command wtl_restore_command = {
    .verb = "restore",
    .run = run,
    .operands = "",
    .summary = "restore frequency and power settings that a killed wattle left",
    .text = "Normally not needed: a guard process restores when wattle is killed. Only if "
            "both\nare killed, settings stay changed "
            "until this command, or the next \"wattle hold\",\n\"run --freq\" or \"sweep\" as "
            "root. Settings that others have changed "
            "since are kept.\n",
    .options = options_table,
    .examples = "wattle restore --list\n"
                "wattle restore\n",
    .usage_exit = WTL_EXIT_USAGE,
};
