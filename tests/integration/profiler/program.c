/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A profiled program whose arguments are its actions, executed in order: the tests of the profiler tell it what to do,
 * and how to fail. It prints what a call returned: "init 0".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <wattle/profiler.h>
#include <wattle/region.h>

static void sleep_ms(long ms)
{
    struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    while (nanosleep(&left, &left) < 0)
        ;
}

/* Wait for n processes of this folder to reach this point. */
static void meet(long n)
{
    static int meetings;
    char path[32];
    struct stat status = {.st_size = 0};
    (void)snprintf(path, sizeof path, "meeting-%d", ++meetings);
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, "", 1) != 1)
        abort();
    while (fstat(fd, &status) == 0 && status.st_size < n)
        sleep_ms(1);
    (void)close(fd);
}

static long long size_of_trace(void)
{
    glob_t found;
    struct stat status;
    long long size = -1;
    if (glob("*.wtl", 0, NULL, &found) == 0 && stat(found.gl_pathv[0], &status) == 0)
        size = status.st_size;
    globfree(&found);
    return size;
}

/* Wait for the trace of this folder to grow twice: by what was begun before, and by what came after that. */
static void until_written(void)
{
    long long before = size_of_trace();
    for (int grown = 0; grown < 2; sleep_ms(1)) {
        long long size = size_of_trace();
        grown += size > before;
        before = size;
    }
}

/* Wait until one of the processes of this folder measures. */
static void until_taken(void)
{
    while (access("taken", F_OK) < 0) {
        if (wattle_measuring() > 0)
            (void)close(open("taken", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
        sleep_ms(1);
    }
}

static void spin_ms(long ms)
{
    struct timespec from, now;
    (void)clock_gettime(CLOCK_MONOTONIC, &from);
    do
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000 < ms);
}

static void *always_in_regions(void *unused)
{
    uint32_t id = wattle_region_id("of-a-thread");
    (void)unused;
    for (;;) {
        wattle_region_begin(id);
        wattle_region_end(id);
    }
    return NULL;
}

static void start_threads(long n)
{
    pthread_t thread;
    for (long i = 0; i < n; i++) {
        if (pthread_create(&thread, NULL, always_in_regions, NULL) != 0)
            abort();
    }
}

static void *in_region_for_a_while(void *ms)
{
    wattle_region_begin_name("late");
    sleep_ms((long)(intptr_t)ms);
    wattle_region_end_name("late");
    return NULL;
}

static void start_late(long ms)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, in_region_for_a_while, (void *)(intptr_t)ms) != 0)
        abort();
}

static void clock_line(const char *word)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    printf("%s %lld\n", word, (long long)now.tv_sec * 1000000000 + now.tv_nsec);
}

static void init_with(const char *output)
{
    struct wattle_error err = {""};
    struct wattle_profiler_options options = {
        .size = sizeof options, .output = output, .interval_ns = 10000000, .err = &err};
    printf("init %d %s\n", wattle_init(&options), err.text);
}

static struct wattle_mark mark;
static int measured; /* as last returned for the word "measuring" */

/* "read NAME from-ns to-ns joules half power age unknown": the window by the current clock. */
static void print_used(const char *word, int count, const struct wattle_domain_energy *used)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    if (count < 0) {
        printf("%s %d\n", word, count);
        return;
    }
    long long to = (long long)now.tv_sec * 1000000000 + now.tv_nsec - (long long)used->age_ns;
    printf("%s %s %lld %lld %.9g %.9g %.9g %lld %lld\n", word, used->name,
           to - (long long)used->window_ns, to, used->energy_j, used->resolution_interval_j,
           used->power_w, (long long)used->age_ns, (long long)used->unknown_ns);
}

static void read_all(const char *word, const struct wattle_mark *since)
{
    struct wattle_domain_energy used[8];
    int count = strcmp(word, "read-region") == 0 ? wattle_read_region(used, 8)
                                                 : wattle_read(since, used, 8);
    for (int i = 0; i < (count < 8 ? count : 8); i++)
        print_used(word, count, &used[i]);
    if (count < 0)
        print_used(word, count, used);
}

static void read_total(const char *word, const struct wattle_mark *since)
{
    struct wattle_domain_energy used;
    int count = wattle_read_total(since, &used);
    print_used(word, count, &used);
}

/* A region with many others in it, so that its begin is some chunks back. */
static void many_regions(long n)
{
    uint32_t id = wattle_region_id("one-of-many");
    for (long i = 0; i < n; i++) {
        wattle_region_begin(id);
        wattle_region_end(id);
    }
}

enum { OWN_BYTES = 100000, NUMBERS = 1024 };

static unsigned char own_byte(size_t i)
{
    return i % 16 == 15 ? '\n' : (unsigned char)('0' + i % 10); /* readable like a counter's file */
}

/* Start like a daemon: close all but the first three descriptors; then files of its own get those numbers, up to
 * `last`, and any that a library might have moved to. */
static void close_all(long last)
{
    unsigned char bytes[OWN_BYTES];
    for (size_t i = 0; i < OWN_BYTES; i++)
        bytes[i] = own_byte(i);
    for (int fd = 3; fd < NUMBERS; fd++)
        (void)close(fd);
    int fd = open("own-file", O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, bytes, OWN_BYTES) != OWN_BYTES)
        abort();
    for (int to = fd + 1; to <= last; to++)
        (void)dup2(fd, to);
    for (int to = 200; to < 600 && last > 3; to++)
        (void)dup2(fd, to); /* it is number 3 */
}

static void check_own_file(void)
{
    unsigned char bytes[OWN_BYTES + 1];
    int changed = 0;
    ssize_t got = pread(3, bytes, sizeof bytes, 0);
    for (size_t i = 0; got == OWN_BYTES && i < OWN_BYTES; i++)
        changed += bytes[i] != own_byte(i);
    printf("own-file %zd %d\n", got, changed);
}

/* A child that continues without exec until there is a file "over", however its parent ends; its output is not waited
 * for. */
static void leave_child(void)
{
    pid_t pid = fork();
    if (pid < 0)
        abort();
    if (pid > 0)
        return;
    for (int fd = 0; fd < 3; fd++)
        (void)close(fd);
    for (int i = 0; i < 6000 && access("over", F_OK) < 0; i++)
        sleep_ms(10);
    _exit(0);
}

/* Within a call of its own thread: neither another call, nor fork, nor exit waits for it. */
static void exit_in_handler(int number)
{
    (void)number;
    if (wattle_finalize() != -EBUSY)
        return;
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    (void)waitpid(pid, NULL, 0);
    exit(9);
}

/* Repeatedly, also within exit: sooner or later it interrupts one of wattle's own calls. */
static void start_alarms(void)
{
    const struct itimerval often = {{0, 200000}, {0, 200000}};
    struct sigaction action = {.sa_handler = exit_in_handler, .sa_flags = SA_NODEFER};
    (void)sigaction(SIGALRM, &action, NULL);
    (void)setitimer(ITIMER_REAL, &often, NULL);
}

static void *call_beside(void *call)
{
    (void)(strcmp(call, "init") == 0 ? wattle_init(NULL) : wattle_finalize());
    return NULL;
}

/* A call in a separate thread, which is in progress when this returns. */
static void start_call(const char *call)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, call_beside, (void *)(uintptr_t)call) != 0)
        abort();
    sleep_ms(300);
}

/* No call of wattle's that has to write to stderr returns. */
static void fill_stderr(void)
{
    char bytes[4096] = "";
    int ends[2];
    if (pipe(ends) < 0 || fcntl(ends[1], F_SETFL, O_NONBLOCK) < 0)
        abort();
    while (write(ends[1], bytes, sizeof bytes) > 0 || write(ends[1], bytes, 1) > 0)
        continue;
    if (fcntl(ends[1], F_SETFL, 0) < 0 || dup2(ends[1], STDERR_FILENO) < 0)
        abort();
}

/* A call that takes an argument; its number of words, 0 = unknown. */
static int do_with(const char *word, const char *value)
{
    if (!value)
        return 0;
    if (strcmp(word, "init-into") == 0)
        init_with(value);
    else if (strcmp(word, "begin") == 0)
        wattle_region_begin_name(value);
    else if (strcmp(word, "end") == 0)
        wattle_region_end_name(value);
    else if (strcmp(word, "sleep") == 0)
        sleep_ms(atol(value));
    else if (strcmp(word, "spin") == 0)
        spin_ms(atol(value));
    else if (strcmp(word, "meet") == 0)
        meet(atol(value));
    else if (strcmp(word, "threads") == 0)
        start_threads(atol(value));
    else if (strcmp(word, "late") == 0)
        start_late(atol(value));
    else if (strcmp(word, "exit") == 0)
        exit(atoi(value));
    else if (strcmp(word, "quick_exit") == 0)
        quick_exit(atoi(value));
    else if (strcmp(word, "_exit") == 0)
        _exit(atoi(value));
    else if (strcmp(word, "signal") == 0)
        (void)raise(atoi(value));
    else if (strcmp(word, "beside") == 0)
        start_call(value);
    else if (strcmp(word, "many") == 0)
        many_regions(atol(value));
    else if (strcmp(word, "close-all") == 0)
        close_all(atol(value));
    else if (strcmp(word, "clock") == 0)
        clock_line(value);
    else
        return 0;
    return 2;
}

static int do_alone(const char *word)
{
    if (strcmp(word, "init") == 0)
        printf("init %d\n", wattle_init(NULL));
    else if (strcmp(word, "finalize") == 0)
        printf("finalize %d\n", wattle_finalize());
    else if (strcmp(word, "finalize-now") == 0)
        printf("finalize-now %d\n", wattle_finalize_now());
    else if (strcmp(word, "measuring") == 0)
        printf("measuring %d\n", measured = wattle_measuring());
    else if (strcmp(word, "recording") == 0)
        printf("recording %d\n", wattle_recording());
    else if (strcmp(word, "mark") == 0)
        printf("mark %d\n", wattle_mark_now(&mark));
    else if (strcmp(word, "mark-region") == 0)
        printf("mark-region %d\n", wattle_mark_region(&mark));
    else if (strcmp(word, "read") == 0)
        read_all(word, &mark);
    else if (strcmp(word, "read-all") == 0)
        read_all(word, NULL);
    else if (strcmp(word, "read-total") == 0)
        read_total(word, &mark);
    else if (strcmp(word, "read-region") == 0)
        read_all(word, NULL);
    else if (strcmp(word, "finalize-if-measured") == 0)
        (void)(measured && wattle_finalize());
    else if (strcmp(word, "finalize-now-if-measured") == 0)
        (void)(measured && wattle_finalize_now());
    else if (strcmp(word, "die-if-measured") == 0)
        (void)(measured && raise(SIGKILL));
    else if (strcmp(word, "leave-child") == 0)
        leave_child();
    else if (strcmp(word, "until-written") == 0)
        until_written();
    else if (strcmp(word, "until-taken") == 0)
        until_taken();
    else if (strcmp(word, "own-file") == 0)
        check_own_file();
    else if (strcmp(word, "fill-stderr") == 0)
        fill_stderr();
    else if (strcmp(word, "alarms") == 0)
        start_alarms();
    else if (strcmp(word, "abort") == 0)
        abort();
    else if (strcmp(word, "leave") == 0)
        pthread_exit(NULL);
    else if (strcmp(word, "spool") == 0)
        printf("spool %s\n", getenv("WATTLE_SPOOL") ? getenv("WATTLE_SPOOL") : "-");
    else
        return 0;
    return 1;
}

/* "[ words ]": a child of fork executes these. Returns their number. */
static int do_in_child(char **words, int count);

static int run(char **words, int count)
{
    for (int i = 0; i < count;) {
        int used =
            strcmp(words[i], "[") == 0 ? do_in_child(words + i, count - i) : do_alone(words[i]);
        if (strcmp(words[i], "exec") == 0) {
            words[i] = (char *)(uintptr_t) "program";
            words[count] = NULL; /* "]", or the end of the arguments */
            (void)execv("/proc/self/exe", words + i);
        }
        if (used == 0)
            used = do_with(words[i], i + 1 < count ? words[i + 1] : NULL);
        if (used == 0) {
            (void)fprintf(stderr, "program: what is \"%s\"?\n", words[i]);
            return 2;
        }
        (void)fflush(stdout);
        i += used;
    }
    return 0;
}

static int do_in_child(char **words, int count)
{
    int end = 1, status = 0;
    while (end < count && strcmp(words[end], "]") != 0)
        end++;
    pid_t pid = fork();
    if (pid == 0)
        exit(run(words + 1, end - 1));
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        abort();
    printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return end + 1;
}

int main(int argc, char **argv)
{
    return run(argv + 1, argc - 1);
}
