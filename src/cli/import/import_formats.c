/* SPDX-License-Identifier: BSD-3-Clause */
/* Format files on the command line: see import_formats.h. */
#define _GNU_SOURCE
#include "cli/import/import_formats.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/config/config.h"
#include "base/fail.h"
#include "base/flush.h"
#include "report/table.h"

int wtl_import_load_formats(struct wtl_formats *formats, struct wattle_error *err)
{
    char folder[PATH_MAX];
    wtl_config_user_path(wtl_world_real(), "formats", folder, sizeof folder);
    int rc = *folder ? wtl_formats_add(formats, folder, err) : 0;
    /* Beside the program: PREFIX/bin/wattle and PREFIX/share/wattle/formats. */
    ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - 64);
    if (rc < 0 || n <= 0)
        return rc;
    folder[n] = '\0';
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(folder, '/');
        *(slash ? slash : folder) = '\0';
    }
    size_t used = strlen(folder);
    (void)snprintf(folder + used, sizeof folder - used, "/share/wattle/formats");
    return wtl_formats_add(formats, folder, err);
}

bool wtl_import_is_format(const struct wtl_formats *formats, const char *name)
{
    bool found = !name || wtl_format_find(formats, name);
    for (size_t i = 0; !found && wtl_import_format_names[i]; i++)
        found = strcmp(wtl_import_format_names[i], name) == 0;
    return found;
}

int wtl_import_list_formats(FILE *out, const struct wtl_formats *formats, struct wattle_error *err)
{
    static const struct wtl_column columns[] = {{"format", false}, {"recordings", false}};
    struct wtl_table *table = wtl_table_create(columns, 2);
    for (size_t i = 0; i < formats->count; i++)
        wtl_table_row(table, WTL_PLAIN,
                      (const char *const[]){formats->items[i].name, formats->items[i].about});
    wtl_table_row(
        table, WTL_PLAIN,
        (const char *const[]){"likwid", "likwid-powermeter, likwid-perfctr with -t or -O"});
    wtl_table_row(
        table, WTL_PLAIN,
        (const char *const[]){"moneq", "files of MonEQ on Blue Gene/Q (only with --from)"});
    wtl_table_row(table, WTL_PLAIN,
                  (const char *const[]){"otf2", "OTF2 archives with power (traces.otf2)"});
    wtl_table_row(table, WTL_PLAIN,
                  (const char *const[]){"paraver", "Paraver traces with power (.prv)"});
    int rc = wtl_table_print(table, out, 1, NULL);
    wtl_table_destroy(table);
    rc = rc < 0 ? wtl_no_memory(err) : wtl_flush(out, err);
    return rc < 0 || formats->broken.count == 0
               ? rc
               : wtl_fail(err, -EBADMSG, "%zu format file%s broken", formats->broken.count,
                          formats->broken.count == 1 ? " is" : "s are");
}

int wtl_import_save_format(const char *path,
                           bool force,
                           const struct wtl_import *import,
                           struct wattle_error *err)
{
    FILE *out = fopen(path, force ? "we" : "wxe");
    char target[160];
    if (!out)
        return errno == EEXIST
                   ? wtl_fail_exists(err, path)
                   : wtl_fail(err, -errno, "cannot write %s: %s", path, wtl_strerror(errno));
    (void)fputs("[import]\n", out);
    const struct wtl_import_file *file = &import->files[0];
    if (file->format && file->format != &file->split)
        (void)fprintf(out, "from = %s\n", file->format->name);
    else if (file->reader == WTL_IMPORT_CSV)
        (void)fprintf(out, "time = %s\n", file->time_text);
    if (import->options->table.zone)
        (void)fprintf(out, "zone = %s\n", import->options->table.zone);
    if (import->options->spread)
        (void)fputs("spread-times\n", out);
    for (size_t i = 0; i < import->options->split_count; i++)
        (void)fprintf(out, "split = %s\n", import->options->split[i]);
    for (size_t i = 0; i < import->column_count; i++) {
        const struct wtl_import_column *column = &import->columns[i];
        if (column->role == WTL_ROLE_CHANNEL) {
            wtl_import_target(column, target, sizeof target);
            (void)fprintf(out, "column = %s=%s\n", column->header, target);
        } else if (column->role == WTL_ROLE_IGNORED && strcmp(column->why, "--ignore") == 0) {
            (void)fprintf(out, "ignore = %s\n", column->header);
        }
    }
    return fclose(out) == 0
               ? 0
               : wtl_fail(err, -errno, "cannot write %s: %s", path, wtl_strerror(errno));
}
