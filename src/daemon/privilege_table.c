/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What wattled may do: see privilege_table.h. Whoever adds a row states in it what the daemon needs it for, and
 * runs tests/docs/security --update, which copies the tables to docs/dev/security.md.
 */
#define _GNU_SOURCE
#include "daemon/privilege_table.h"

#include <linux/sockios.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/* Missing in the headers of EL8. */
#ifndef SYS_faccessat2
#    define SYS_faccessat2 439
#endif
#ifndef SYS_rseq
#    define SYS_rseq __NR_rseq
#endif

/* A row; -1 where the call does not exist, or where there is no filter: see privilege_filter.c. */
#define ROW(nr, call, reason) .number = (nr), .name = #call, .why = (reason)
#if defined(__x86_64__)
#    define CALL(call, reason)     ROW(SYS_##call, call, reason)
#    define OLD_CALL(call, reason) ROW(SYS_##call, call, reason)
#elif defined(__aarch64__)
#    define CALL(call, reason)     ROW(SYS_##call, call, reason)
#    define OLD_CALL(call, reason) ROW(-1, call, reason)
#else
#    define CALL(call, reason)     ROW(-1, call, reason)
#    define OLD_CALL(call, reason) ROW(-1, call, reason)
#endif

const struct wtl_allowed_call wtl_allowed_calls[] = {
    /* sampling */
    {CALL(futex, "threads wait for their next sample and for each other")},
    {CALL(pread64, "read sensors and files that are open")},
    {CALL(read, "read perf events, configuration, cgroups")},
    {CALL(clock_gettime, "time stamps; mostly without a system call")},
    {CALL(clock_nanosleep, "sleep until a deadline")},
    {CALL(nanosleep, "the same, by the C library")},
    {CALL(restart_syscall, "the kernel continues a sleep after a stop")},
    {CALL(sched_yield, "let the other side of a lock run")},
    /* the socket */
    {CALL(epoll_pwait, "wait for connections and requests")},
    {OLD_CALL(epoll_wait, "the same")},
    {CALL(ppoll, "wait for the socket, signals and timers")},
    {OLD_CALL(poll, "the same")},
    {CALL(epoll_ctl, "add and remove connections")},
    {CALL(accept4, "accept a connection")},
    {CALL(getsockopt, "SO_PEERCRED: the user of a connection")},
    {CALL(recvfrom, "receive a request")},
    {CALL(recvmsg, "receive an answer about a user or a group")},
    {CALL(sendmsg, "send a reply, with a descriptor of a page")},
    {CALL(sendto, "report readiness to systemd; ask about a user or a group")},
    {CALL(ioctl, "SIOCOUTQ: has a peer received its reply?"), .condition = WTL_CALL_IF_EQUAL,
     .argument = 1, .values = {SIOCOUTQ}},
    {CALL(shutdown, "close a connection whose reply is unread")},
    {CALL(close, "close connections and files")},
    {CALL(socket, "unix sockets only: systemd, name services; no network"),
     .condition = WTL_CALL_IF_EQUAL, .argument = 0, .values = {AF_UNIX}},
    {CALL(connect, "to systemd's notification socket and name services")},
    {CALL(getpeername, "name services check their connection")},
    /* files */
    {CALL(openat, "open configuration, cgroups, ledger, checkpoints of jobs")},
    {OLD_CALL(open, "the same")},
    {CALL(newfstatat, "is it the file that is expected?")},
    {CALL(fstat, "the same")},
    {CALL(statx, "the same")},
    {OLD_CALL(stat, "the same")},
    {OLD_CALL(lstat, "the same")},
    {CALL(faccessat, "does a file exist?")},
    {CALL(faccessat2, "the same")},
    {OLD_CALL(access, "the same")},
    {CALL(readlinkat, "what a symbolic link in /sys or /proc refers to")},
    {OLD_CALL(readlink, "the same")},
    {CALL(getdents64, "list cgroups, jobs, processes")},
    {CALL(lseek, "rewind a folder or a file")},
    {CALL(write, "log, ledger, checkpoints, list of allowed users")},
    {CALL(writev, "the same, by the C library")},
    {CALL(pwrite64, "change a part of the ledger")},
    {CALL(fsync, "a checkpoint reaches the disk before it replaces the old one")},
    {CALL(fdatasync, "the same")},
    {CALL(msync, "the ledger reaches the disk")},
    {CALL(renameat, "replace a file as a whole")},
    {CALL(renameat2, "the same")},
    {OLD_CALL(rename, "the same")},
    {CALL(unlinkat, "remove the socket, and files of jobs that have ended")},
    {OLD_CALL(unlink, "the same")},
    {CALL(mkdirat, "the folder of the jobs")},
    {OLD_CALL(mkdir, "the same")},
    {CALL(fcntl, "seal a page; lock the ledger; flags of descriptors")},
    {CALL(flock, "one wattled per ledger")},
    {CALL(ftruncate, "size of a page or of the ledger")},
    {CALL(fallocate, "space for the ledger")},
    {CALL(fchmod, "mode 0444 of a page")},
    {CALL(memfd_create, "a new page")},
    /* memory */
    {CALL(mmap, "memory; pages; never writable and executable"), .condition = WTL_CALL_UNLESS_SET,
     .argument = 2, .values = {PROT_WRITE | PROT_EXEC}},
    {CALL(mprotect, "guard pages; never makes memory executable"), .condition = WTL_CALL_UNLESS_SET,
     .argument = 2, .values = {PROT_EXEC}},
    {CALL(munmap, "release memory and pages")},
    {CALL(mremap, "memory")},
    {CALL(madvise, "memory of threads that have ended")},
    {CALL(brk, "memory")},
    /* threads and signals */
    {CALL(clone, "threads only; no process can be started"), .condition = WTL_CALL_IF_SET,
     .argument = 0, .values = {CLONE_THREAD}},
    {CALL(set_robust_list, "start of a thread")},
    {CALL(rseq, "start of a thread")},
    {CALL(set_tid_address, "start of a thread")},
    {CALL(gettid, "locks of the C library")},
    {CALL(sched_setaffinity, "a sampling thread stays near its sensors")},
    {CALL(sched_getaffinity, "number of CPUs")},
    {CALL(prctl, "names of threads, precision of their timers"), .condition = WTL_CALL_IF_EQUAL,
     .argument = 0, .values = {PR_SET_NAME, PR_SET_TIMERSLACK}},
    {CALL(rt_sigaction, "signals: reload, end")},
    {CALL(rt_sigprocmask, "block signals in threads")},
    {CALL(rt_sigtimedwait, "wait for a signal")},
    {CALL(rt_sigreturn, "return from a signal handler")},
    {CALL(signalfd4, "signals as a descriptor")},
    {CALL(timerfd_create, "intervals as a descriptor")},
    {CALL(timerfd_settime, "the same")},
    {CALL(eventfd2, "wake the main thread")},
    {CALL(pipe2, "the same")},
    {CALL(tgkill, "abort(): the process ends itself")},
    {CALL(exit, "end of a thread")},
    {CALL(exit_group, "end of the process")},
    /* facts */
    {CALL(getpid, "who writes a page")},
    {CALL(getuid, "name services")},
    {CALL(geteuid, "who owns a file?")},
    {CALL(getgid, "name services")},
    {CALL(getegid, "name services")},
    {CALL(uname, "name of the node, version of the kernel")},
    {CALL(sysinfo, "the C library: memory of the machine")},
    {CALL(gettimeofday, "wall time; mostly without a system call")},
    {CALL(getrandom, "the C library: random numbers")},
    {CALL(prlimit64, "read limits")},
    {CALL(getrusage, "own cost, for --status")},
};
const size_t wtl_allowed_call_count = sizeof wtl_allowed_calls / sizeof *wtl_allowed_calls;
