/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What wattled may do: see privilege_table.h. Whoever adds a row states in it what the daemon needs it for, and
 * runs tests/docs/security --update, which copies the tables to docs/dev/security.md.
 */
#define _GNU_SOURCE
#include "daemon/privilege_table.h"

#include <linux/perf_event.h>
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
    {CALL(pread64, "read sensors and files that are open, cgroups, processes")},
    {CALL(read, "read perf events, configuration, cgroups")},
    {CALL(clock_gettime, "time stamps; mostly without a system call")},
    {CALL(clock_nanosleep, "sleep until a deadline")},
    {CALL(nanosleep, "the same, by the C library")},
    {CALL(restart_syscall, "continue a sleep after the process was stopped")},
    {CALL(sched_yield, "let the other side of a lock run")},
    /* the socket */
    {CALL(epoll_pwait, "wait for connections and requests")},
    {OLD_CALL(epoll_wait, "the same")},
    {CALL(ppoll, "wait for the socket and signals")},
    {OLD_CALL(poll, "the same")},
    {CALL(epoll_ctl, "add and remove connections")},
    {CALL(accept4, "accept a connection")},
    {CALL(getsockopt, "SO_PEERCRED: the user of a connection")},
    {CALL(recvfrom, "receive a request")},
    {CALL(recvmsg, "receive an answer about a user or a group")},
    {CALL(sendmsg, "send a reply, with a descriptor of a page")},
    {CALL(sendto, "report readiness to systemd; ask about a user or a group")},
    {CALL(ioctl,
          "has a peer received its reply? hardware counters rest while no jobs share the node"),
     .condition = WTL_CALL_IF_EQUAL, .argument = 1,
     .values = {SIOCOUTQ, PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE}},
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
    {OLD_CALL(stat, "the same")},
    {OLD_CALL(lstat, "the same")},
    {CALL(faccessat, "does a file exist?")},
    {CALL(faccessat2, "the same")},
    {OLD_CALL(access, "the same")},
    {CALL(getdents64, "list cgroups, jobs, processes")},
    {CALL(lseek, "rewind a folder or a file")},
    {CALL(write, "log, checkpoints of jobs, list of allowed users")},
    {CALL(writev, "the same, by the C library")},
    {CALL(pwrite64, "ledger")},
    {CALL(fsync, "a checkpoint reaches the disk before it replaces the old one")},
    {CALL(renameat, "replace a file as a whole")},
    {CALL(renameat2, "the same")},
    {OLD_CALL(rename, "the same")},
    {CALL(unlinkat, "remove the socket, and files of jobs that have ended")},
    {OLD_CALL(unlink, "the same")},
    {CALL(fcntl, "seal a page; flags of descriptors")},
    {CALL(ftruncate, "size of a page")},
    {CALL(fallocate, "memory for a page")},
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
    {CALL(clone, "threads only; wattled itself can start no process"), .condition = WTL_CALL_IF_SET,
     .argument = 0, .values = {CLONE_THREAD}},
    {CALL(set_robust_list, "start of a thread")},
    {CALL(rseq, "start of a thread")},
    {CALL(gettid, "locks of the C library")},
    {CALL(sched_getaffinity, "number of CPUs, for the C library's memory")},
    {CALL(prctl, "names of threads, precision of their timers"), .condition = WTL_CALL_IF_EQUAL,
     .argument = 0, .values = {PR_SET_NAME, PR_SET_TIMERSLACK}},
    {CALL(rt_sigaction, "abort(): the process ends itself")},
    {CALL(tgkill, "the same")},
    {CALL(rt_sigprocmask, "block signals in threads")},
    {CALL(rt_sigreturn, "return from a signal handler")},
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
    {CALL(getrandom, "the C library: random numbers")},
};
const size_t wtl_allowed_call_count = sizeof wtl_allowed_calls / sizeof *wtl_allowed_calls;
