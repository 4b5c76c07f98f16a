/* SPDX-License-Identifier: BSD-3-Clause */
/* Forms of a run's name: see run_name.h. */
#include "analysis/cluster/run_name.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/traces/trace_list.h"
#include "trace/run_file.h"

bool wtl_run_name_is_folder(const char *word)
{
    struct stat about;
    return stat(word, &about) == 0 && S_ISDIR(about.st_mode);
}

bool wtl_run_name_is_list(const char *word)
{
    return strchr(word, ',') && access(word, F_OK) < 0;
}

bool wtl_run_name_is_run(const char *name)
{
    return wtl_run_name_is_list(name) || wtl_run_name_is_folder(name) || wtl_run_file_is(name) > 0;
}

int wtl_run_name_open_first(const char *name,
                            struct wtl_trace_reader **ret_reader,
                            struct wattle_error *err)
{
    struct wtl_trace_list paths = {0};
    if (!wtl_run_name_is_folder(name) && !wtl_run_name_is_list(name))
        return wtl_run_file_open_first(name, ret_reader, err);
    int rc = wtl_trace_list_add(&paths, name, err);
    for (size_t i = 0; rc == 0 && i < paths.count; i++) {
        rc = wtl_run_file_open_first(paths.paths[i], ret_reader, err);
        if (rc == 0 || i + 1 == paths.count)
            break;
        rc = 0; /* skipped, like the trace of a node that cannot be read */
    }
    wtl_trace_list_fini(&paths);
    return rc;
}
