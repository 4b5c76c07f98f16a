/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle gather": save what wattle reads on this machine to a folder, for a bug report. */
#define _GNU_SOURCE
#include "cli/commands.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/flush.h"
#include "base/signals.h"
#include "base/text/wrap.h"
#include "base/utf8.h"
#include "cli/gather/gather.h"
#include "cli/inputs.h"
#include "cli/terminal/consent.h"
#include "report/table.h"

struct gather_request {
    const char *output, *host;
    bool list, yes, force;
};

static const struct wtl_option options_table[] = {
    {'o', "output", "DIR", "save to this folder, which is created",
     WTL_TAKES_FILE(struct gather_request, output)},
    {0, "force", NULL, "replace a folder saved by an earlier gather",
     WTL_SETS(struct gather_request, force)},
    {'l', "list", NULL, "print what would be saved, and exit",
     WTL_SETS(struct gather_request, list)},
    {'y', "yes", NULL, "save without asking", WTL_SETS(struct gather_request, yes)},
    {0, "host", "DIR", "gather from a recorded host instead of this machine",
     WTL_TAKES_TEXT(struct gather_request, host)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

/* After the list: may it be saved? */
static int ask(const struct gather_request *request,
               const struct wtl_gather *gather,
               struct wattle_error *err)
{
    char question[PATH_MAX + 60];
    (void)snprintf(question, sizeof question, "Save these %zu entries to %s?", gather->count,
                   request->output);
    return wtl_consent(request->yes, question, "nothing was saved: check the list, then use --yes",
                       err);
}

/* ---- the list and the folder ---- */

/*
 * The list of gathered data, and its folder. The folder is created under a temporary name next to
 * its destination and renamed when it is complete and can be opened as a recorded host; a failure
 * leaves nothing.
 */

/* After the path, or on a line of its own. */
static void print_remark(FILE *out, const struct wtl_gathered *entry)
{
    enum { PATH_COLUMN = 9 };
    char remark[256];
    int column = PATH_COLUMN + (int)wtl_utf8_columns(entry->path) + 2;
    int width = wtl_page_width(out);
    (void)snprintf(remark, sizeof remark, "(%.250s)", entry->remark);
    if (column + (int)wtl_utf8_columns(remark) > width) {
        (void)fprintf(out, "\n%*s", PATH_COLUMN + 2, "");
        column = PATH_COLUMN + 2;
    } else {
        (void)fputs("  ", out);
    }
    wtl_wrap(out, remark, column, PATH_COLUMN + 2, width);
}

/* Data kept in addition to files. */
static void print_rest(FILE *out, const struct wtl_gather *gather)
{
    char *text = NULL;
    size_t size;
    FILE *rest = open_memstream(&text, &size);
    if (!rest)
        return;
    (void)fprintf(rest, "and the name and version of the kernel, the user ID (%u)%s",
                  (unsigned)gather->euid, gather->cpuid ? ", results of CPUID" : "");
    for (const char *p = gather->env ? gather->env : ""; *p; p += strcspn(p, "\n") + 1)
        (void)fprintf(rest, ", %.*s", (int)strcspn(p, "\n"), p);
    (void)fputc('.', rest);
    if (fclose(rest) == 0)
        wtl_wrap(out, text, 0, 0, wtl_page_width(out));
    (void)fputc('\n', out);
    free(text);
}

/* Print the list, one line per entry. */
static void gather_list(FILE *out, const struct wtl_gather *gather)
{
    for (size_t i = 0; i < gather->count; i++) {
        const struct wtl_gathered *entry = &gather->entries[i];
        if (entry->kind == WTL_GATHERED_FOLDER && !entry->script[0])
            continue;
        (void)fprintf(out, "%7zu  ", entry->size);
        wtl_print_clean(out, entry->path, strlen(entry->path));
        if (entry->kind == WTL_GATHERED_LINK)
            (void)fputs("  (link)", out);
        if (entry->script[0] == '!')
            (void)fprintf(out, "  (cannot be read: %s)", entry->script + 1);
        if (entry->remark)
            print_remark(out, entry);
        (void)fputc('\n', out);
    }
    for (const char *p = gather->dialogues ? gather->dialogues : ""; *p;
         p += strcspn(p, "\n") + 1) {
        const char *end = p + strcspn(p, "\n");
        (void)fputs("   said",
                    out); /* complete, since the answer of a device is not known in advance */
        for (const char *column = p, *next; column < end; column = next) {
            next = column + strcspn(column, "\t\n");
            (void)fputs("  ", out);
            wtl_print_clean(out, column, (size_t)(next - column));
            next += *next == '\t';
        }
        (void)fputc('\n', out);
    }
    print_rest(out, gather);
    wtl_wrap_laid_out(out,
                      "Removed or replaced: host name, serial numbers, hardware and IP addresses, "
                      "UUIDs,\ncontainer IDs, names of control groups and mounts, command lines, "
                      "environments, boot\nparameters.\n",
                      wtl_page_width(out));
    (void)fprintf(out, "Entries changed: %zu of %zu; left out: %zu.\n", gather->changed,
                  gather->count, gather->left_out);
}

static int make_parents(int base, const char *path)
{
    char part[PATH_MAX];
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        (void)snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        if (mkdirat(base, part, 0777) < 0 && errno != EEXIST)
            return -errno;
    }
    return 0;
}

static int write_text(int base, const char *name, const char *text)
{
    int fd = openat(base, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0)
        return -errno;
    size_t size = strlen(text), used = 0;
    int rc = 0;
    while (used < size && rc == 0) {
        ssize_t n = write(fd, text + used, size - used);
        if (n < 0 && errno != EINTR)
            rc = -errno;
        used += n > 0 ? (size_t)n : 0;
    }
    if (close(fd) < 0 && rc == 0)
        rc = -errno;
    return rc;
}

static int write_entry(int base, const struct wtl_gathered *entry)
{
    char path[PATH_MAX];
    if ((size_t)snprintf(path, sizeof path, "root%s", entry->path) >= sizeof path)
        return -ENAMETOOLONG;
    int rc = make_parents(base, path);
    if (rc < 0)
        return rc;
    if (entry->kind == WTL_GATHERED_FOLDER)
        return mkdirat(base, path, 0777) < 0 && errno != EEXIST ? -errno : 0;
    if (entry->kind == WTL_GATHERED_LINK)
        return symlinkat(entry->text ? entry->text : "", base, path) < 0 ? -errno : 0;
    return write_text(base, path, entry->text ? entry->text : "");
}

static int write_script(int base, const struct wtl_gather *gather)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return -ENOMEM;
    (void)fputs("# time\tpath\tvalue\n", stream);
    for (size_t i = 0; i < gather->count; i++) {
        if (gather->entries[i].script[0])
            (void)fprintf(stream, "0\t%s\t%s\n", gather->entries[i].path,
                          gather->entries[i].script);
    }
    int rc = fclose(stream) != 0 ? -ENOMEM : write_text(base, "script.tsv", text);
    free(text);
    return rc;
}

static int write_beside(int base, const struct wtl_gather *gather)
{
    char text[1024];
    const struct utsname *name = &gather->name;
    (void)snprintf(text, sizeof text,
                   "sysname %s\nnodename %s\nrelease %s\nversion %s\nmachine %s\n", name->sysname,
                   name->nodename, name->release, name->version, name->machine);
    int rc = write_text(base, "uname", text);
    (void)snprintf(text, sizeof text, "%u\n", (unsigned)gather->euid);
    if (rc == 0)
        rc = write_text(base, "euid", text);
    if (rc == 0 && gather->env)
        rc = write_text(base, "env", gather->env);
    if (rc == 0 && gather->cpuid)
        rc = write_text(base, "cpuid", gather->cpuid);
    if (rc == 0 && gather->dialogues && gather->dialogues[0])
        rc = write_text(base, "dialogues.tsv", gather->dialogues);
    (void)snprintf(text, sizeof text,
                   "# A machine, recorded by wattle gather\n\n"
                   "What machine is it? What was expected, and what happened?\n\n"
                   "Drivers: %s. Counters grow at the rate that they had.\n",
                   gather->drivers[0] ? gather->drivers : "none");
    return rc < 0 ? rc : write_text(base, "about.md", text);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)st;
    (void)type;
    (void)where;
    (void)remove(path); /* what cannot be removed stays */
    return 0;
}

static int fill(int base, const struct wtl_gather *gather)
{
    int rc = mkdirat(base, "root", 0777) < 0 ? -errno : 0;
    for (size_t i = 0; i < gather->count && rc == 0; i++)
        rc = write_entry(base, &gather->entries[i]);
    if (rc == 0)
        rc = write_script(base, gather);
    return rc < 0 ? rc : write_beside(base, gather);
}

/* What fill() writes, and nothing else: such a folder may be removed. */
static bool is_gathered(const char *folder)
{
    static const char *const names[] = {".",    "..",  "root",  "script.tsv",    "uname",
                                        "euid", "env", "cpuid", "dialogues.tsv", "about.md",
                                        NULL};
    DIR *entries = opendir(folder);
    size_t known = 0, all = 0;
    for (const struct dirent *entry; entries && (entry = readdir(entries)); all++)
        for (size_t i = 0; names[i]; i++)
            known += strcmp(entry->d_name, names[i]) == 0;
    if (entries)
        (void)closedir(entries); /* read only */
    return known == all && known > 2;
}

/* May this name be used? With force, that of a folder from an earlier call. */
static int check_folder(const char *folder, bool force, struct wattle_error *err)
{
    struct stat st;
    if (lstat(folder, &st) < 0)
        return 0;
    if (!force)
        return wtl_fail_exists(err, folder);
    if (!S_ISDIR(st.st_mode) || !is_gathered(folder))
        return wtl_fail(err, -EEXIST,
                        "%s is not a folder saved by gather, or has other files in it; choose "
                        "another folder",
                        folder);
    return 0;
}

static void remove_folder(const char *folder)
{
    (void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Give the complete folder its name, in place of an older one. */
static int give_name(const char *partial, const char *folder)
{
    if (rename(partial, folder) == 0)
        return 0;
    if (errno != EEXIST && errno != ENOTEMPTY)
        return -errno;
    if (renameat2(AT_FDCWD, partial, AT_FDCWD, folder, RENAME_EXCHANGE) < 0)
        return -errno;
    remove_folder(partial);
    return 0;
}

static int write_folder(const struct wtl_gather *gather,
                        const char *folder,
                        bool force,
                        struct wattle_error *err)
{
    char partial[PATH_MAX];
    struct wtl_world *check = NULL;
    size_t n = strlen(folder);
    while (n > 1 && folder[n - 1] == '/')
        n--;
    int rc = check_folder(folder, force, err);
    if (rc < 0)
        return rc;
    if ((size_t)snprintf(partial, sizeof partial, "%.*s.partial-%d", (int)n, folder,
                         (int)getpid()) >= sizeof partial)
        return wtl_fail(err, -ENAMETOOLONG, "%s: the name is too long", folder);
    if (mkdir(partial, 0777) < 0)
        return wtl_fail(err, -errno, "cannot create %s: %s; choose another folder with --output",
                        folder, wtl_strerror(errno));
    int base = open(partial, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    rc = base < 0 ? -errno : fill(base, gather);
    if (base >= 0)
        (void)close(base); /* a folder */
    bool written = rc == 0,
         readable = written && (rc = wtl_world_recorded(partial, &check, err)) == 0;
    if (readable)
        rc = give_name(partial, folder);
    if (rc < 0 && (readable || !written))
        (void)wtl_fail(err, rc, "%s: %s", folder, wtl_strerror(rc));
    wtl_world_close(check);
    if (rc < 0)
        remove_folder(partial);
    return rc;
}

/* Save to a folder, which appears when complete. force: it may replace one that was saved so. Returns 0 or -errno with a
 * message. */
static int gather_write(const struct wtl_gather *gather,
                        const char *folder,
                        bool force,
                        struct wattle_error *err)
{
    sigset_t ending, before;
    (void)sigemptyset(&ending);
    for (int number = 1; number <= SIGRTMAX; number++)
        if (wtl_signal_ends(number))
            (void)sigaddset(&ending, number);
    /* It takes milliseconds: a signal waits until the folder is complete or removed. */
    (void)pthread_sigmask(SIG_BLOCK, &ending, &before);
    int rc = write_folder(gather, folder, force, err);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

/* ---- the verb ---- */

static int gather_all(const struct gather_request *request,
                      const struct wtl_world *world,
                      struct wattle_error *err)
{
    struct wtl_gather gather;
    int rc = wtl_gather_collect(&gather, world, err);
    if (rc == 0) {
        gather_list(stdout, &gather);
        rc = wtl_flush(stdout, err);
    }
    if (rc == 0 && !request->list)
        rc = ask(request, &gather, err);
    if (rc == 0 && !request->list)
        rc = gather_write(&gather, request->output, request->force, err);
    if (rc == 0 && !request->list) {
        wtl_print_sentence(stdout,
                           "Saved. Check the files in %s, then run: tar -czf %s.tar.gz %s\n",
                           request->output, request->output, request->output);
        rc = wtl_flush(stdout, err);
    }
    wtl_gather_fini(&gather);
    return rc;
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_gather_command;
    struct gather_request request = {0};
    struct wtl_command_line line;
    struct wtl_world *recorded = NULL;
    struct wattle_error err = {""};
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    if (!request.list && (!request.output || !request.output[0]))
        return wtl_usage(command,
                         "no folder given; use -o DIR, or --list to show what would be saved");
    int rc = wtl_outputs_differ(request.output, request.host, &err);
    if (rc == 0 && request.host)
        rc = wtl_world_recorded(request.host, &recorded, &err);
    if (rc == 0)
        rc = gather_all(&request, request.host ? recorded : wtl_world_real(), &err);
    wtl_world_close(recorded);
    if (rc < 0)
        wtl_complain(command, "%s", err.text);
    return rc < 0 ? WTL_EXIT_FAILED : WTL_EXIT_OK;
}

const struct wtl_command wtl_gather_command = {
    .verb = "gather",
    .run = run,
    .operands = "",
    .summary = "save what wattle sees on this machine, for a bug report",
    .text =
        "Saves the files that sensors read, without anything that identifies the\nmachine, as a "
        "recorded host: \"wattle sensors --host DIR\" then shows the same as\nhere. Prints the "
        "list first and asks; without a terminal, nothing is saved\nunless --yes is given.\n",
    .options = options_table,
    .examples = "wattle gather --list\n"
                "wattle gather -o my-machine && wattle doctor --host my-machine\n"
                "sudo wattle gather -o my-machine --yes\n",
    .usage_exit = WTL_EXIT_USAGE,
};
