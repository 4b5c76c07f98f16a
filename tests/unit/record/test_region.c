/* SPDX-License-Identifier: BSD-3-Clause */
/* The region calls compared with the content of their spool. Each case runs in a separate process,
 * since recording is decided once per process. */
#define _GNU_SOURCE
#include <wattle/region.h>

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/regions/region_call.h"
#include "record/regions/region_place.h"
#include "record/spool/spool_file.h"
#include "tap.h"
#include "trace/own_event.h"
#include "trace/spool/spool.h"

static char dir[256];
static const char *self;

static uint64_t now_ns(void)
{
    struct timespec ts;

    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* ---- actions of the cases ---- */

static void nested(void)
{
    uint32_t outer = wattle_region_id("outer"), inner = wattle_region_id("inner");

    wattle_region_begin(outer);
    wattle_region_begin_name("inner");
    wattle_event(7, UINT64_C(0x123456789abcdef0));
    wattle_region_end(inner);
    wattle_region_end(outer);
}

static void own_types(void)
{
    wattle_event(UINT32_MAX, 1);
    wattle_event(WTL_EVENT_SYNC_OFFSET, 2);
    wattle_event(WTL_EVENT_OWN - 1, 3); /* the last of the program's */
    wtl_region_event(WTL_EVENT_OWN, 4);
}

static void killed(void)
{
    wattle_region_begin(wattle_region_id("outer"));
    (void)raise(SIGKILL);
}

static void forks(void)
{
    uint32_t id = wattle_region_id("outer");

    wattle_region_begin(id);
    pid_t pid = fork();

    if (pid == 0) {
        wattle_region_begin(id); /* its first mark: not in the parent's file */
        wattle_region_end(id);
        _exit(0);
    }
    (void)waitpid(pid, NULL, 0);
    wattle_region_end(id);
}

/* Without hooks, and while another thread may hold the lock: like forks. */
static void forks_bare(void)
{
    uint32_t id = wattle_region_id("outer");

    wattle_region_begin(id);
    pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

    if (pid == 0) {
        wattle_region_begin(id);
        wattle_region_begin_name("child's"); /* not into the names of the parent */
        wattle_region_end_name("child's");
        wattle_region_end(id);
        _exit(0);
    }
    (void)waitpid(pid, NULL, 0);
    wattle_region_end(id);
}

static int first_call; /* 1: another thread is inside it */

static void *call_first(void *unused)
{
    const struct timespec pause = {.tv_nsec = 50000000};
    struct wtl_place_held held;

    (void)unused;
    wtl_place_hold(&held);
    __atomic_store_n(&first_call, 1, __ATOMIC_RELEASE);
    (void)nanosleep(&pause, NULL);
    wtl_place_release(&held);
    return NULL;
}

/* A child whose lock was copied held would hang, with its signals blocked. */
static void forks_beside_the_first(void)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    pthread_t thread;
    pid_t gone = 0;

    if (pthread_create(&thread, NULL, call_first, NULL) != 0)
        _exit(2);
    while (!__atomic_load_n(&first_call, __ATOMIC_ACQUIRE))
        (void)sched_yield();
    pid_t pid = fork();

    if (pid == 0) {
        (void)wattle_region_id("outer");
        _exit(0);
    }
    for (int i = 0; i < 2000 && (gone = waitpid(pid, NULL, WNOHANG)) == 0; i++)
        (void)nanosleep(&pause, NULL);
    if (gone == 0)
        (void)kill(pid, SIGKILL);
    (void)pthread_join(thread, NULL);
    if (gone != pid)
        _exit(1);
}

static void execs(void)
{
    nested();
    (void)execl(self, self, "nested", (char *)NULL);
    _exit(9);
}

static void *one_call(void *id)
{
    wattle_region_begin(*(uint32_t *)id);
    wattle_region_end(*(uint32_t *)id);
    return NULL;
}

static void many_threads(void)
{
    uint32_t id = wattle_region_id("outer");

    for (int i = 0; i < 500; i++) {
        pthread_t thread;

        if (pthread_create(&thread, NULL, one_call, &id) == 0)
            (void)pthread_join(thread, NULL);
    }
}

static void *hammer(void *id)
{
    for (int i = 0; i < 50000; i++)
        one_call(id);
    return NULL;
}

static void side_by_side(void)
{
    uint32_t id = wattle_region_id("outer");
    pthread_t threads[4];

    for (int i = 0; i < 4; i++)
        (void)pthread_create(&threads[i], NULL, hammer, &id);
    for (int i = 0; i < 4; i++)
        (void)pthread_join(threads[i], NULL);
}

static uint32_t signal_id, raised_id;

static void on_signal(int number)
{
    uint32_t id = number == SIGALRM ? signal_id : raised_id;

    wattle_region_begin(id);
    wattle_region_end(id);
}

/* Signals arrive while the thread is within its own calls, and between two of them. */
static void signals(void)
{
    struct itimerval every = {{0, 50}, {0, 50}};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    uint32_t id = wattle_region_id("outer");

    signal_id = wattle_region_id("signal");
    raised_id = wattle_region_id("raised");
    (void)sigaction(SIGALRM, &action, NULL);
    (void)sigaction(SIGUSR1, &action, NULL);
    (void)setitimer(ITIMER_REAL, &every, NULL);
    for (int i = 0; i < 100000; i++) {
        one_call(&id);
        if (i % 100 == 0)
            (void)raise(SIGUSR1);
    }
    every = (struct itimerval){{0, 0}, {0, 0}};
    (void)setitimer(ITIMER_REAL, &every, NULL);
}

static void full(void)
{
    struct rlimit limit = {1 << 20, 1 << 20};
    uint32_t id = wattle_region_id("outer");

    (void)setrlimit(RLIMIT_FSIZE, &limit);
    for (int i = 0; i < 100000; i++)
        one_call(&id);
}

/* Is there a thread of this name in this process? */
static bool has_thread(const char *wanted)
{
    DIR *tasks = opendir("/proc/self/task");
    bool found = false;

    for (struct dirent *entry; tasks && !found && (entry = readdir(tasks));) {
        char path[300], name[32] = "";

        (void)snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
        FILE *file = fopen(path, "r");

        found = file && fgets(name, sizeof(name), file) && !strncmp(name, wanted, strlen(wanted));
        if (file)
            (void)fclose(file);
    }
    if (tasks)
        (void)closedir(tasks);
    return found;
}

/* Who marks quickly gets a thread that prepares the pages; a child that forks beside it, its own. */
static void quick(void)
{
    enum { CALLS = 300000 };
    uint32_t id = wattle_region_id("outer");
    cpu_set_t cpus;
    int status = 1;
    bool wanted = sched_getaffinity(0, sizeof(cpus), &cpus) == 0 && CPU_COUNT(&cpus) > 1;

    one_call(&id);
    if (has_thread("wattle-ahead"))
        exit(3); /* nobody else gets one */
    for (int i = 1; i < CALLS; i++)
        one_call(&id);
    if (has_thread("wattle-ahead") != wanted)
        exit(4);
    pid_t pid = fork();

    for (int i = 0; i < CALLS; i++)
        one_call(&id);
    if (pid == 0)
        exit(has_thread("wattle-ahead") != wanted ? 5 : 0);
    if (waitpid(pid, &status, 0) != pid || status != 0)
        exit(6);
}

/* A handler leaves a call in the middle, and does not return. */
static sigjmp_buf back;

static void leave_for_good(int number)
{
    (void)number;
    siglongjmp(back, 1);
}

static __attribute__((noinline)) void interrupted(void)
{
    (void)wtl_region_enter(&wtl_place);
    (void)raise(SIGUSR2);
}

static void escaped(void)
{
    uint32_t id = wattle_region_id("outer");

    (void)signal(SIGUSR2, leave_for_good);
    for (int i = 0; i < 10; i++) {
        one_call(&id);
        if (sigsetjmp(back, 1) == 0)
            interrupted();
        for (int k = 0; k < 9999; k++)
            one_call(&id);
    }
}

/* The folder is inaccessible after the process has dropped privileges. */
static void lost_rights(void)
{
    uint32_t id = wattle_region_id("outer");

    one_call(&id);
    if (setuid(65534) < 0)
        _exit(3);
    for (int i = 0; i < 99999; i++)
        one_call(&id);
}

static void lost_folder(void)
{
    uint32_t id = wattle_region_id("outer");

    one_call(&id);
    if (chroot("/proc") < 0)
        _exit(3);
    for (int i = 0; i < 99999; i++)
        one_call(&id);
}

static void too_many_names(void)
{
    char name[32];
    uint32_t last = 1;

    for (int i = 0; i < 65535 && last; i++) {
        (void)snprintf(name, sizeof(name), "name %d", i);
        last = wattle_region_id(name);
    }
    wattle_region_begin_name("one more");
    wattle_region_end_name("one more");
    wattle_region_begin(last);
    wattle_region_end(last);
}

/* Children that do nothing, and one that has a region. */
static void families(void)
{
    uint32_t id = wattle_region_id("outer");

    for (int i = 0; i < 20; i++) {
        pid_t pid = fork();

        if (pid == 0) {
            if (i == 7)
                one_call(&id);
            _exit(0);
        }
        (void)waitpid(pid, NULL, 0);
    }
}

static void names(void)
{
    char name[300];
    uint32_t last = 0;

    for (int i = 0; i < 3000; i++) {
        (void)snprintf(name, sizeof(name), "name %d", i);
        last = wattle_region_id(name);
    }
    wattle_region_begin(last);
    memset(name, 'x', sizeof(name));
    name[255] = '\0';
    wattle_region_begin_name(name);
    name[255] = 'x';
    name[256] = '\0'; /* too long: refused */
    _exit(wattle_region_id(name) == 0 && wattle_region_id("") == 0 && wattle_region_id(NULL) == 0 &&
                  wattle_region_id("name 7") == 8
              ? 0
              : 1);
}

static void off(void)
{
    uint32_t id = wattle_region_id("outer"), other = wattle_region_id("other");
    bool quiet = id > 0 && other > 0 && other != id && wattle_region_id("outer") == id &&
                 !wattle_recording();

    wattle_region_begin(id);
    wattle_region_end(id);
    wattle_region_begin(0);
    wattle_region_end(0);
    wattle_region_begin(5); /* an invalid id */
    wattle_region_begin_name("outer");
    wattle_event(1, 2);
    _exit(quiet ? 0 : 1);
}

static void errno_kept(void)
{
    errno = 4711;
    wattle_region_begin(wattle_region_id("outer"));
    _exit(errno == 4711 && wattle_recording() == 1 ? 0 : 1);
}

/* The parent records when the calls were made. */
static void slow(void)
{
    uint32_t id = wattle_region_id("outer");
    struct timespec pause = {.tv_nsec = 700000000};

    wattle_region_begin(id);
    (void)nanosleep(&pause, NULL);
    wattle_region_end(id);
}

static const struct action {
    const char *name;
    void (*act)(void);
} actions[] = {{"nested", nested},
               {"own types", own_types},
               {"killed", killed},
               {"forks", forks},
               {"forks bare", forks_bare},
               {"forks beside the first", forks_beside_the_first},
               {"execs", execs},
               {"many threads", many_threads},
               {"side by side", side_by_side},
               {"signals", signals},
               {"full", full},
               {"quick", quick},
               {"names", names},
               {"too many names", too_many_names},
               {"escaped", escaped},
               {"lost rights", lost_rights},
               {"lost folder", lost_folder},
               {"families", families},
               {"off", off},
               {"errno kept", errno_kept},
               {"slow", slow}};

/* ---- checking ---- */

struct seen {
    int files, threads, names, status;
    uint64_t begins, ends, events, thread_ends, ignored, drops, first_ns, last_ns, event_value;
    uint64_t backwards, signal_begins, raised_begins, nested, refused;
    uint32_t why;
    char order[64]; /* the first marks: b, e, v, t */
    long long bytes;
};

static void look_at_thread(struct wtl_spool *spool, size_t thread, struct seen *seen)
{
    struct wtl_spool_cursor cursor;
    struct wtl_mark mark;
    uint64_t last = 0;

    wtl_spool_cursor_init(&cursor, spool, thread);
    while (wtl_spool_next(&cursor, &mark) > 0) {
        size_t n = strlen(seen->order);
        const char *name = wtl_spool_name(spool, mark.name);

        seen->begins += mark.kind == WTL_MARK_BEGIN;
        seen->ends += mark.kind == WTL_MARK_END;
        seen->events += mark.kind == WTL_MARK_EVENT;
        seen->thread_ends += mark.kind == WTL_MARK_THREAD_END;
        seen->signal_begins += mark.kind == WTL_MARK_BEGIN && name && !strcmp(name, "signal");
        seen->raised_begins += mark.kind == WTL_MARK_BEGIN && name && !strcmp(name, "raised");
        if (mark.kind == WTL_MARK_EVENT)
            seen->event_value = mark.value;
        if (n < sizeof(seen->order) - 1)
            seen->order[n] = "bevt"[mark.kind];
        seen->backwards += mark.time_ns < last;
        last = mark.time_ns;
        if (!seen->first_ns)
            seen->first_ns = last;
        if (last > seen->last_ns)
            seen->last_ns = last;
    }
}

static void look_at(const char *path, struct seen *seen)
{
    struct wtl_spool *spool;
    struct wtl_spool_now now;
    struct wattle_error err = {""};
    struct stat st;

    if (stat(path, &st) == 0)
        seen->bytes += (long long)st.st_blocks * 512;
    bool has_now = wtl_spool_now_take(&now) == 0;

    if (!ok(wtl_spool_open(path, has_now ? &now : NULL, true, &spool, &err) == 0, "%s is a spool",
            path))
        return;
    const struct wtl_spool_info *info = wtl_spool_info(spool);

    seen->threads += (int)info->threads;
    seen->names += (int)info->names;
    seen->ignored += info->ignored;
    seen->drops += info->header.drops;
    seen->nested += info->header.nested;
    seen->refused += info->header.refused;
    seen->why = info->header.why;
    for (size_t i = 0; i < info->threads; i++)
        look_at_thread(spool, i, seen);
    wtl_spool_close(spool);
}

/* Run an action in a fresh program and merge its spools. */
static struct seen run(const char *name, const char *clock, bool recording)
{
    struct seen seen = {0};
    pid_t pid = fork();

    if (pid == 0) {
        if (recording)
            (void)setenv("WATTLE_SPOOL", dir, 1);
        else
            (void)unsetenv("WATTLE_SPOOL");
        (void)setenv("WATTLE_SPOOL_CLOCK", clock, 1);
        (void)execl(self, self, name, (char *)NULL);
        _exit(9);
    }
    (void)waitpid(pid, &seen.status, 0);
    DIR *folder = opendir(dir);

    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[600];

        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
        seen.files++;
        look_at(path, &seen);
        (void)unlink(path);
    }
    if (folder)
        (void)closedir(folder);
    return seen;
}

static const struct row {
    int line;
    const char *action;
    bool recording;
    int files, threads; /* threads -1: any */
    uint64_t begins, ends, events, thread_ends;
    const char *order; /* NULL = any */
} rows[] = {
    {__LINE__, "nested", true, 1, 1, 2, 2, 1, 1, "bbveet"},
    {__LINE__, "own types", true, 1, 1, 0, 0, 2, 1, "vvt"},
    {__LINE__, "killed", true, 1, 1, 1, 0, 0, 0, "b"},
    {__LINE__, "forks", true, 2, 2, 2, 2, 0, 1, NULL},
    {__LINE__, "forks bare", true, 2, 2, 3, 3, 0, 1, NULL},
    {__LINE__, "forks beside the first", false, 0, 0, 0, 0, 0, 0, ""},
    {__LINE__, "execs", true, 2, 2, 4, 4, 2, 1, NULL},
    {__LINE__, "many threads", true, 1, 500, 500, 500, 0, 500, NULL},
    {__LINE__, "side by side", true, 1, 4, 200000, 200000, 0, 4, NULL},
#ifndef __SANITIZE_THREAD__ /* which knows no threads of forked children */
    {__LINE__, "quick", true, 2, 2, 900000, 900000, 0, 2, NULL},
#endif
    {__LINE__, "names", true, 1, 1, 2, 0, 0, 0, "bb"},
    {__LINE__, "errno kept", true, 1, 1, 1, 0, 0, 0, "b"},
    {__LINE__, "off", false, 0, 0, 0, 0, 0, 0, ""},
};

static void check_rows(const char *clock)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct row *row = &rows[i];
        struct seen seen = run(row->action, clock, row->recording);

        tap_line = row->line;
        is_int(seen.files, row->files, "%s: files", row->action);
        is_int(seen.threads, row->threads, "%s: threads", row->action);
        is_int(seen.begins, row->begins, "%s: begins", row->action);
        is_int(seen.ends, row->ends, "%s: ends", row->action);
        is_int(seen.events, row->events, "%s: events", row->action);
        is_int(seen.thread_ends, row->thread_ends, "%s: ends of threads", row->action);
        is_int(seen.ignored + seen.drops + seen.backwards, 0, "%s: nothing lost", row->action);
        if (row->order)
            is_str(seen.order, row->order, "%s: order", row->action);
        if (strcmp(row->action, "killed"))
            is_int(seen.status, 0, "%s: ends well", row->action);
        if (!strcmp(row->action, "nested"))
            ok(seen.event_value == UINT64_C(0x123456789abcdef0), "value of the event");
        if (!strcmp(row->action, "names"))
            is_int(seen.names, 3001, "all names are there");
        if (!strcmp(row->action, "many threads"))
            ok(seen.bytes <= 512 * 1024, "threads one after the other share chunks");
    }
    tap_line = 0;
}

static void check_signals(const char *clock)
{
    struct seen seen = run("signals", clock, true);

    /* A handler that finds the chunk full within a call drops, and counts: how often depends on the
     * machine. */
    is_int(seen.status, 0, "signals: the program lives");
    is_int(seen.begins - seen.signal_begins - seen.raised_begins, 100000, "signals: own begins");
    is_int(seen.raised_begins, 1000, "signals: nothing is lost of those between two calls");
    is_int(seen.drops, 0, "signals: the file has room");
    ok(seen.begins + seen.nested >= seen.ends && seen.ends + seen.nested >= seen.begins,
       "signals: as many ends");
    is_int(seen.ignored + seen.backwards, 0, "signals: nothing torn");
    diag("%llu signals within calls or between, %llu marks dropped",
         (unsigned long long)seen.signal_begins, (unsigned long long)seen.nested);
}

static void check_full(const char *clock)
{
    struct seen seen = run("full", clock, true);

    is_int(seen.status, 0, "full: the program lives");
    ok(seen.drops > 0, "full: drops are counted");
    is_int(seen.begins + seen.ends + seen.drops, 200000, "full: marks and drops are all calls");
    is_int(seen.why, EFBIG, "full: file size limit is why");
}

static void check_reasons(const char *clock)
{
    static const struct {
        const char *action;
        int why;
    } lost[] = {
        {"lost rights", EACCES},
#ifndef __SANITIZE_ADDRESS__ /* whose search for leaks needs /proc */
        {"lost folder", ENOENT},
#endif
    };
    struct seen seen = run("escaped", clock, true);

    is_int(seen.status, 0, "escaped: ends well");
    is_int(seen.begins + seen.ends, 200000, "escaped: nothing is lost behind the interrupted call");
    is_int(seen.drops + seen.nested, 0, "escaped: and nothing said to be");
    seen = run("too many names", clock, true);
    is_int(seen.refused, 2, "too many names: refused");
    is_int(seen.drops, 0, "too many names: no full disk");
    is_int(seen.begins + seen.ends, 2, "too many names: others go on");
    for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]) && geteuid() == 0; i++) {
        seen = run(lost[i].action, clock, true);
        is_int(seen.status, 0, "%s: ends well", lost[i].action);
        is_int(seen.begins + seen.ends + seen.drops, 200000, "%s: all are counted", lost[i].action);
        ok(seen.drops > 0, "%s: not all are there", lost[i].action);
        is_int(seen.why, lost[i].why, "%s: it is known why", lost[i].action);
    }
}

static void check_size(const char *clock)
{
    struct seen seen = run("families", clock, true);

    is_int(seen.files, 2, "families: who does nothing leaves nothing");
    ok(seen.bytes <= 2 * 16384, "families: who does little leaves little: %lld bytes", seen.bytes);
}

static void check_time(const char *clock)
{
    uint64_t before = now_ns();
    struct seen seen = run("slow", clock, true);
    uint64_t after = now_ns();

    ok(seen.first_ns > before && seen.last_ns < after, "times are CLOCK_MONOTONIC");
    ok(seen.last_ns - seen.first_ns >= 700000000, "the pause is not shorter than it was");
}

/* In a world-writable folder another user may have been there first. */
static void check_folder(void)
{
    char mine[sizeof(dir) + 32], link[sizeof(dir) + 32];

    (void)snprintf(mine, sizeof(mine), "%s/run.wtl.d", dir);
    (void)snprintf(link, sizeof(link), "%s/other.wtl.d", dir);
    is_int(wtl_spool_folder_make(mine), 0, "a folder is made");
    is_int(wtl_spool_folder_make(mine), 0, "or there already");
    ok(symlink(mine, link) == 0, "a link to somewhere");
    is_int(wtl_spool_folder_make(link), -EPERM, "is not followed");
    (void)unlink(link);
    ok(geteuid() != 0 || chown(mine, 65534, 65534) == 0, "a folder of somebody else");
    is_int(wtl_spool_folder_make(mine), geteuid() ? 0 : -EPERM, "is not taken");
    (void)rmdir(mine);
}

int main(int argc, char **argv)
{
    static char path[PATH_MAX];

    self = realpath("/proc/self/exe", path);
    for (size_t i = 0; argc > 1 && i < sizeof(actions) / sizeof(actions[0]); i++) {
        if (!strcmp(argv[1], actions[i].name)) {
            actions[i].act();
            return 0;
        }
    }
    (void)snprintf(dir, sizeof(dir), "/tmp/test-region-XXXXXX");
    if (!self || !mkdtemp(dir))
        return 1;
    static const char *const clocks[] = {"", "monotonic"};

    for (int i = 0; i < 2; i++) {
        diag("clock: %s", i ? "clock_gettime" : "TSC where allowed");
        check_rows(clocks[i]);
        check_signals(clocks[i]);
        check_full(clocks[i]);
        check_reasons(clocks[i]);
        check_size(clocks[i]);
        check_time(clocks[i]);
    }
    check_folder();
    (void)rmdir(dir);
    return done_testing();
}
