/* SPDX-License-Identifier: BSD-3-Clause */
/* Default names of traces: see trace_name.h. */
#define _GNU_SOURCE
#include "measure/trace_name.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"

char *wtl_trace_default_name(void)
{
    struct utsname host;
    struct tm when;
    char stamp[32], *name;
    time_t now = time(NULL);
    if (uname(&host) < 0 || !localtime_r(&now, &when) ||
        strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &when) == 0 ||
        asprintf(&name, "wattle-%s-%s-%d.wtl", host.nodename, stamp, (int)getpid()) < 0)
        return NULL;
    return name;
}

enum { NAMES_MAX = 100 };

static bool ends_in_slash(const char *path)
{
    size_t length = strlen(path);
    return length > 0 && path[length - 1] == '/';
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* The name of the node may come from the environment, so it may contain anything. */
static void plain_name(const char *node, char *name, size_t n)
{
    size_t i = 0;
    for (; node[i] && i + 1 < n; i++) {
        unsigned char c = (unsigned char)node[i];
        name[i] = (char)(c <= ' ' || c == '/' || c == 0x7f ? '-' : c);
    }
    name[i] = '\0';
    if (name[0] == '\0' || name[0] == '.')
        name[0] = i ? '-' : '\0';
}

/* Store the absolute path in path; returns its length, or -errno. "." is the working directory
 * itself. */
static int absolute_path(const char *output, char *path, size_t n)
{
    char folder[4096];
    const char *below = strcmp(output, ".") == 0 ? "" : output;
    bool absolute = output[0] == '/';
    if (!absolute && !getcwd(folder, sizeof folder))
        return -errno;
    int used = absolute ? snprintf(path, n, "%s", output)
                        : snprintf(path, n, "%s%s%s", folder, below[0] ? "/" : "", below);
    return used < 0 || (size_t)used >= n ? -ENAMETOOLONG : used;
}

/* Append an unused name to the folder in path (`used` is its length): a process may call exec and
 * start again. */
static int add_name(const char *node, char *path, size_t used, size_t n)
{
    char name[128], stamp[32] = "", suffix[16] = "";
    struct tm parts;
    time_t now = time(NULL);
    const char *slash = path[used - 1] == '/' ? "" : "/";
    plain_name(node, name, sizeof name);
    if (localtime_r(&now, &parts))
        (void)strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &parts);
    for (int number = 2; number < NAMES_MAX; number++) {
        int more = snprintf(path + used, n - used, "%swattle-%s-%s-%ld%s.wtl", slash,
                            name[0] ? name : "node", stamp, (long)getpid(), suffix);
        if (more < 0 || (size_t)more >= n - used)
            return -ENAMETOOLONG;
        if (access(path, F_OK) < 0)
            return 0;
        (void)snprintf(suffix, sizeof suffix, "-%d", number);
    }
    return 0; /* all are taken: creating the trace reports this */
}

int wtl_trace_path(const char *output, const char *node, char *path, size_t n)
{
    bool slash = ends_in_slash(output);
    if (slash && mkdir(output, 0777) < 0 && errno != EEXIST)
        return -errno;
    int used = absolute_path(output, path, n);
    if (used < 0 || (!slash && !is_folder(output)))
        return used < 0 ? used : 0;
    return add_name(node, path, (size_t)used, n);
}

static char *name_in_folder(const char *folder, const char *node)
{
    char path[4096];
    if (wtl_trace_path(folder, node, path, sizeof path) == 0)
        return strdup(path);
    char *name = wtl_trace_default_name(), *all = NULL;
    if (name && asprintf(&all, "%s%s%s", folder, ends_in_slash(folder) ? "" : "/", name) < 0)
        all = NULL;
    free(name);
    return all;
}

/* The path of a setting, with a slash at its end, and ~ as the home folder. */
static int expand(const char *setting, char *path, size_t n, struct wattle_error *err)
{
    bool tilde = setting[0] == '~' && (!setting[1] || setting[1] == '/');
    const char *home = tilde ? secure_getenv("HOME") : NULL;
    int length = snprintf(path, n, "%s%s%s", home ? home : "", home ? setting + 1 : setting,
                          ends_in_slash(setting) ? "" : "/");
    if (length < 0 || (size_t)length >= n)
        return wtl_fail(err, -ENAMETOOLONG, "%.200s: the name is too long", setting);
    if (setting[0] == '~' && !home)
        return wtl_fail(err, -EINVAL, "cannot expand %.200s: %s", setting,
                        tilde ? "HOME is not set" : "only ~ and ~/FOLDER are known; give the path");
    return 0;
}

int wtl_trace_folder(const char *setting, char *path, size_t n, struct wattle_error *err)
{
    int rc = expand(setting, path, n, err);
    if (rc < 0)
        return rc;
    for (char *slash = path + 1; rc == 0 && (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        if (mkdir(path, 0777) < 0 && !is_folder(path))
            rc = errno == EEXIST ? -ENOTDIR : -errno;
        *slash = '/';
    }
    if (rc == 0 && access(path, W_OK | X_OK) < 0)
        rc = -errno;
    return rc < 0 ? wtl_fail(err, rc, "cannot write traces to %s: %s", path, wtl_strerror(rc)) : 0;
}

char *wtl_trace_name(const char *output, const char *node, bool many)
{
    if (output && (ends_in_slash(output) || is_folder(output)))
        return name_in_folder(output, node);
    if (!output && many)
        return name_in_folder(".", node);
    return output ? strdup(output) : wtl_trace_default_name();
}
