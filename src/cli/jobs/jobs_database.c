/* SPDX-License-Identifier: BSD-3-Clause */
/* Where jobs are kept: see jobs_database.h. */
#define _GNU_SOURCE
#include "cli/jobs/jobs_database.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/parse.h"
#include "jobs/table_file.h"

static const char scheme[] = "sqlite:";

/* Create the folders above a file: 0 or -errno. */
static int make_folders(char *path, struct wattle_error *err)
{
    for (char *at = path + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        int rc = mkdir(path, 0700) < 0 && errno != EEXIST ? -errno : 0;
        if (rc < 0)
            rc = wtl_fail(err, rc, "cannot create the folder %s: %s", path, wtl_strerror(rc));
        *at = '/';
        if (rc < 0)
            return rc;
    }
    return 0;
}

int wtl_jobs_user_url(const struct wtl_config *config,
                      bool create,
                      char **ret_url,
                      struct wattle_error *err)
{
    const char *set = wtl_config_get(config, "jobs", "user-database");
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    char *url = NULL;
    int n = -1;
    if (set[0])
        n = asprintf(&url, "%s%s", strncmp(set, scheme, sizeof scheme - 1) == 0 ? "" : scheme, set);
    else if (data && data[0] == '/')
        n = asprintf(&url, "%s%s/wattle/jobs.db", scheme, data);
    else if (home && home[0] == '/')
        n = asprintf(&url, "%s%s/.local/share/wattle/jobs.db", scheme, home);
    else
        return wtl_fail(err, -ENOENT,
                        "no database is named and HOME is not set; name one with --database");
    if (n < 0)
        return wtl_no_memory(err);
    int rc = create ? make_folders(url + sizeof scheme - 1, err) : 0;
    if (rc < 0) {
        free(url);
        return rc;
    }
    *ret_url = url;
    return 0;
}

int wtl_jobs_database_open(const struct wtl_config *config,
                           const char *named,
                           enum wtl_store_access access,
                           struct wtl_store **ret_store,
                           struct wattle_error *err)
{
    const char *site = wtl_config_get(config, "jobs", "database");
    char *own = NULL;
    struct wattle_error why = {""};
    int rc = 0;
    if (!named)
        named = site[0] ? site : NULL;
    bool is_own = !named;
    if (is_own && (rc = wtl_jobs_user_url(config, access != WTL_STORE_READ, &own, err)) < 0)
        return rc;
    rc = wtl_store_open(is_own ? own : named, access, ret_store, &why);
    if (rc == -ENOENT && is_own)
        rc = wtl_fail(err, rc,
                      "no jobs are recorded yet: %s does not exist; record a run with \"wattle run "
                      "--record\", or name a database with --database or in wattle.conf(5)",
                      own + sizeof scheme - 1);
    else if (rc < 0)
        rc = wtl_fail(err, rc, "%s", why.text);
    free(own);
    return rc;
}

/* "" = not set, NaN. */
static int take(const struct wtl_config *config,
                const char *name,
                double *ret,
                struct wattle_error *err)
{
    const char *text = wtl_config_get(config, "jobs", name);
    *ret = (double)NAN;
    if (!text[0] || (wtl_parse_double(text, ret) == 0 && *ret >= 0))
        return 0;
    return wtl_fail(err, -EINVAL, "setting [jobs] %s: \"%s\" is not a number of 0 or more", name,
                    text);
}

int wtl_jobs_factors(const struct wtl_config *config,
                     struct wtl_factors *ret_factors,
                     struct wattle_error *err)
{
    const char *path = wtl_config_get(config, "jobs", "factors");
    double price = (double)NAN, co2 = (double)NAN;
    char *text = NULL;
    size_t size = 0;
    *ret_factors = (struct wtl_factors){NULL, 0};
    int rc = take(config, "price-per-kwh", &price, err);
    rc = rc < 0 ? rc : take(config, "co2-g-per-kwh", &co2, err);
    if (rc == 0 && wtl_factors_init(ret_factors, price, co2) < 0)
        rc = wtl_no_memory(err);
    if (rc < 0 || !path[0])
        return rc;
    rc = wtl_table_file_load(path, &text, &size, err);
    rc = rc < 0 ? rc : wtl_factors_read(ret_factors, path, text, size, err);
    free(text);
    return rc;
}

const char *wtl_jobs_currency(const struct wtl_config *config)
{
    const char *currency = wtl_config_get(config, "jobs", "currency");
    return currency[0] ? currency : NULL;
}
