/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Privileges of wattled, given up in child processes: what /proc/self/status says afterwards, what is denied and what
 * still works. Each child prints one line for each thing that is wrong.
 */
#define _GNU_SOURCE
#include "daemon/privilege.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <pwd.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/privilege_table.h"
#include "tap.h"

enum { USER = 65534 };

static char secret[64]; /* a file that only its owner may read */
static int faults;

#define must(holds)                                      \
    do {                                                 \
        if (!(holds)) {                                  \
            printf("# line %d: %s\n", __LINE__, #holds); \
            faults++;                                    \
        }                                                \
    } while (0)

/* Run it in a child: the number of faults. */
static int in_child(void (*body)(void))
{
    int status = -1;
    (void)fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        body();
        (void)fflush(stdout);
        _exit(faults);
    }
    (void)waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A field of /proc/self/status, or "missing". */
static const char *status_of(const char *name)
{
    static char line[256];
    FILE *file = fopen("/proc/self/status", "re");
    while (file && fgets(line, sizeof line, file)) {
        size_t length = strlen(name);
        if (strncmp(line, name, length) == 0 && line[length] == ':') {
            (void)fclose(file);
            line[strcspn(line, "\n")] = '\0';
            return line + length + 1 + strspn(line + length + 1, " \t");
        }
    }
    return "missing";
}

static bool is_zero(const char *digits)
{
    return digits[0] && digits[strspn(digits, "0")] == '\0';
}

static void drop_as_root(void)
{
    struct wtl_privilege_report report;
    struct wattle_error err = {""};
    const gid_t groups[] = {4, 5};
    int fd = open(secret, O_RDONLY | O_CLOEXEC);
    char path[64], byte;
    must(setgroups(2, groups) == 0);
    must(wtl_privilege_drop("nobody", false, &report, &err) == 0);
    must(report.user_changed && report.capabilities_dropped);
    must(strcmp(status_of("Uid"), "65534\t65534\t65534\t65534") == 0);
    must(strcmp(status_of("Gid"), "65534\t65534\t65534\t65534") == 0);
    must(strcmp(status_of("Groups"), "") == 0);
    must(is_zero(status_of("CapInh")) && is_zero(status_of("CapPrm")));
    must(is_zero(status_of("CapEff")) && is_zero(status_of("CapBnd")));
    must(is_zero(status_of("CapAmb")));
    must(strcmp(status_of("NoNewPrivs"), "1") == 0);
    must(WTL_HAS_SANITIZER || prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0);
    /* What is open stays readable, and cannot be opened again. */
    must(pread(fd, &byte, 1, 0) == 1);
    must(open(secret, O_RDONLY | O_CLOEXEC) == -1 && errno == EACCES);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    must(open(path, O_RDONLY | O_CLOEXEC) == -1 && errno == EACCES);
    must(setuid(0) == -1 && setgid(0) == -1);
    must(setgroups(2, groups) == -1);
    must(strstr(report.log, "65534") != NULL);
}

static void drop_without_user(void)
{
    struct wtl_privilege_report report;
    must(wtl_privilege_drop("", false, &report, NULL) == 0);
    must(!report.user_changed && report.capabilities_dropped);
    must(is_zero(status_of("CapEff")) && is_zero(status_of("CapPrm")));
    must(geteuid() != 0 || strstr(report.log, "set user") != NULL);
}

/* As with file capabilities: not root, some capabilities, the setting names another user. */
static void drop_as_user(void)
{
    struct wtl_privilege_report report;
    if (geteuid() == 0)
        must(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0 && setresuid(USER, USER, USER) == 0);
    must(geteuid() != USER || !is_zero(status_of("CapPrm")));
    must(wtl_privilege_drop("a-user-that-is-missing", false, &report, NULL) == 0);
    must(!report.user_changed && report.capabilities_dropped);
    must(is_zero(status_of("CapPrm")));
    must(strcmp(status_of("NoNewPrivs"), "1") == 0);
}

static void drop_to_nobody(void)
{
    struct wtl_privilege_report report;
    struct wattle_error err = {""};
    must(wtl_privilege_drop("a-user-that-is-missing", false, &report, &err) == -ENOENT);
    must(strstr(err.text, "a-user-that-is-missing") != NULL);
    must(geteuid() == 0 && !is_zero(status_of("CapEff"))); /* nothing has changed */
}

static void *sleeper(void *arg)
{
    (void)arg;
    (void)pause();
    return NULL;
}

static void drop_with_threads(void)
{
    struct wtl_privilege_report report;
    struct wattle_error err = {""};
    pthread_t thread;
    must(pthread_create(&thread, NULL, sleeper, NULL) == 0);
    must(wtl_privilege_drop("", false, &report, &err) == -EBUSY && err.text[0]);
}

/* ---- the filter ---- */

static bool is_denied(long rc, int code)
{
    return rc == -1 && errno == code;
}

static void check_denied(void)
{
    errno = 0;
    must(is_denied(syscall(SYS_execve, "/bin/true", NULL, NULL), ENOSYS));
    must(is_denied(syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0), ENOSYS));
    must(is_denied(syscall(SYS_setuid, 0), ENOSYS));
    must(is_denied(syscall(SYS_kill, getppid(), 0), ENOSYS));
    must(is_denied(syscall(SYS_bpf, 0, NULL, 0), ENOSYS));
    must(is_denied(syscall(SYS_perf_event_open, NULL, 0, 0, 0, 0), ENOSYS));
    must(is_denied(syscall(SYS_process_vm_writev, 1, NULL, 0, NULL, 0, 0), ENOSYS));
    must(is_denied(syscall(SYS_symlinkat, "a", AT_FDCWD, "b"), ENOSYS));
    must(is_denied(syscall(SYS_linkat, AT_FDCWD, "a", AT_FDCWD, "b", 0), ENOSYS));
    must(is_denied(syscall(SYS_bind, 0, NULL, 0), ENOSYS));
    must(is_denied(syscall(100000), ENOSYS));
    must(is_denied(socket(AF_INET, SOCK_STREAM, 0), EPERM));
    must(is_denied(socket(AF_NETLINK, SOCK_RAW, 0), EPERM));
    must(is_denied(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), EPERM));
    must(is_denied(syscall(SYS_ioctl, 0, 0x5412ul /* TIOCSTI */, "x"), EPERM));
    must(is_denied(syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0), EPERM));
    must(fork() == -1);
    must(mmap(NULL, 4096, PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
             MAP_FAILED &&
         errno == EPERM);
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(memory != MAP_FAILED && is_denied(mprotect(memory, 4096, PROT_READ | PROT_EXEC), EPERM));
}

static void check_allowed(void)
{
    char byte;
    int pair = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    must(pair >= 0 && close(pair) == 0);
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    must(fd >= 0 && read(fd, &byte, 1) == 1 && close(fd) == 0);
    fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    must(fd >= 0 && ftruncate(fd, 4096) == 0 && fchmod(fd, 0444) == 0);
    must(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0);
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    must(page != MAP_FAILED && munmap(page, 4096) == 0);
    must(prctl(PR_SET_NAME, "test") == 0);
    must(getpwuid(0) != NULL); /* through the name services of this machine */
    must(strlen(status_of("Uid")) > 0);
}

static atomic_uint step;

static void *early_thread(void *arg)
{
    (void)arg;
    while (atomic_load(&step) == 0)
        (void)sched_yield();
    check_denied();
    return NULL;
}

static void *late_thread(void *arg)
{
    (void)arg;
    check_denied();
    check_allowed();
    return NULL;
}

static void filter(void)
{
    struct wtl_privilege_report report = {.log = "before"};
    struct wattle_error err = {""};
    pthread_t early, late;
    must(pthread_create(&early, NULL, early_thread, NULL) == 0);
    must(wtl_privilege_filter(&report, &err) == 0 && report.filter_on);
    must(err.text[0] == '\0');
    must(strcmp(report.log, "before; system calls are filtered") == 0);
    must(strcmp(status_of("Seccomp"), "2") == 0);
    atomic_store(&step, 1);
    must(pthread_join(early, NULL) == 0);
    check_denied();
    check_allowed();
    must(pthread_create(&late, NULL, late_thread, NULL) == 0);
    must(pthread_join(late, NULL) == 0);
}

static void drop_and_filter(void)
{
    struct wtl_privilege_report report;
    must(wtl_privilege_drop("nobody", false, &report, NULL) == 0);
    filter();
}

/* ---- the tables ---- */

static void check_table(void)
{
    for (size_t i = 0; i < wtl_allowed_call_count; i++) {
        const struct wtl_allowed_call *call = &wtl_allowed_calls[i];
        bool again = false;
        for (size_t j = 0; j < i; j++)
            again = again || strcmp(wtl_allowed_calls[j].name, call->name) == 0;
        ok(!again && call->why[0], "%s: once, with its reason", call->name);
        ok(call->condition == WTL_CALL_ALWAYS || call->values[0], "%s: a condition has a value",
           call->name);
    }
}

static void check_explanation(void)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!ok(out != NULL, "a stream in memory"))
        return;
    wtl_privilege_explain(out);
    (void)fclose(out);
    ok(strstr(text, "CAP_DAC_READ_SEARCH") && strstr(text, "/run/wattle/socket"),
       "names capabilities and sockets");
    for (size_t i = 0; i < wtl_allowed_call_count; i++)
        ok(strstr(text, wtl_allowed_calls[i].why) != NULL, "names %s", wtl_allowed_calls[i].name);
    free(text);
}

int main(void)
{
    (void)snprintf(secret, sizeof secret, "/tmp/wattle-privilege-%d", (int)getpid());
    int fd = open(secret, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400);
    if (!ok(fd >= 0 && write(fd, "x", 1) == 1, "a file for its owner only"))
        return done_testing();
    (void)close(fd);
    const bool root = geteuid() == 0 && getpwnam("nobody") && getpwnam("nobody")->pw_uid == USER &&
                      getpwnam("nobody")->pw_gid == USER;
    check_table();
    check_explanation();
    is_int(in_child(drop_without_user), 0, "drops what it has, and stays");
    is_int(in_child(drop_as_user), 0, "not root: drops what it has");
    if (root) {
        is_int(in_child(drop_as_root), 0, "becomes another user, without capabilities");
        is_int(in_child(drop_to_nobody), 0, "refuses a user that is missing");
    }
    if (!WTL_HAS_SANITIZER) {
        is_int(in_child(drop_with_threads), 0, "refuses while other threads run");
        is_int(in_child(filter), 0, "the filter covers all threads");
        if (root)
            is_int(in_child(drop_and_filter), 0, "both");
    }
    (void)unlink(secret);
    return done_testing();
}
