/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The seccomp filter of wattled: see privilege.h. A system call that is not in the table fails with ENOSYS, as
 * on an older kernel: the C library and name services have a fallback for that. The process is not killed,
 * since an unexpected call of a name service must not cost a node its measurements; what is denied is denied
 * all the same, and the kernel writes it to the audit log.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fail.h"
#include "daemon/privilege.h"
#include "daemon/privilege_table.h"

#if defined(__x86_64__)
#    define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#    define ARCH AUDIT_ARCH_AARCH64
#else
#    define ARCH 0
#endif

enum { PER_CALL = 4 + WTL_CALL_VALUES, AROUND = 6 };

struct program {
    struct sock_filter *code;
    unsigned short length;
};

static void add(struct program *program, struct sock_filter instruction)
{
    program->code[program->length++] = instruction;
}

static void add_return(struct program *program, uint32_t action)
{
    add(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

static void add_load(struct program *program, size_t offset)
{
    add(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void add_jump(struct program *program, uint32_t value, unsigned then, unsigned otherwise)
{
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, (uint8_t)then,
                                              (uint8_t)otherwise));
}

/* Both processors are little endian: the low half of an argument comes first. */
static size_t argument_at(unsigned argument)
{
    return offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t);
}

/* What follows when the number is that of the call: decides in every case. */
static void add_condition(struct program *program, const struct wtl_allowed_call *call)
{
    const uint32_t denied = SECCOMP_RET_ERRNO | EPERM, mask = call->values[0];
    unsigned count = 0;
    switch (call->condition) {
    case WTL_CALL_ALWAYS:
        add_return(program, SECCOMP_RET_ALLOW);
        return;
    case WTL_CALL_IF_EQUAL:
        while (count < WTL_CALL_VALUES && call->values[count])
            count++;
        add_load(program, argument_at(call->argument));
        for (unsigned i = 0; i < count; i++)
            add_jump(program, call->values[i], count - i, 0);
        break;
    case WTL_CALL_IF_SET:
    case WTL_CALL_UNLESS_SET:
        add_load(program, argument_at(call->argument));
        add(program, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
        add_jump(program, mask, call->condition == WTL_CALL_IF_SET,
                 call->condition == WTL_CALL_UNLESS_SET);
        break;
    }
    add_return(program, denied);
    add_return(program, SECCOMP_RET_ALLOW);
}

static void write_program(struct program *program)
{
    add_load(program, offsetof(struct seccomp_data, arch));
    add_jump(program, ARCH, 1, 0);
    add_return(program, SECCOMP_RET_ERRNO | ENOSYS); /* a call as on another processor (i386) */
    add_load(program, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < wtl_allowed_call_count; i++) {
        const struct wtl_allowed_call *call = &wtl_allowed_calls[i];
        if (call->number < 0)
            continue;
        unsigned short jump = program->length;
        add_jump(program, (uint32_t)call->number, 0, 0);
        add_condition(program, call);
        program->code[jump].jf = (uint8_t)(program->length - jump - 1);
    }
    add_return(program, SECCOMP_RET_ERRNO | ENOSYS);
}

/* Without the log where the kernel has none (before 4.14). */
static int install(const struct sock_fprog *program)
{
    long rc = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                      SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_LOG, program);
    if (rc < 0 && errno == EINVAL)
        rc = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, program);
    return rc < 0 ? -errno : rc > 0 ? -EBUSY : 0; /* > 0: a thread that has another filter */
}

/* One sentence with what the report says already. */
static void append_reason(struct wtl_privilege_report *report, const char *what)
{
    size_t length = strlen(report->log);
    (void)snprintf(report->log + length, sizeof report->log - length, "%s%s", length ? "; " : "",
                   what);
}

static int not_supported(struct wtl_privilege_report *report, const char *why)
{
    append_reason(report, why);
    return -ENOTSUP;
}

int wtl_privilege_filter(struct wtl_privilege_report *report, struct wattle_error *err)
{
    report->filter_on = false;
    if (WTL_HAS_SANITIZER)
        return not_supported(report,
                             "system calls are not filtered, as in every build with a sanitizer");
    if (ARCH == 0)
        return not_supported(
            report, "system calls are not filtered, since there is no filter for this processor");
    struct program program = {
        calloc(wtl_allowed_call_count * PER_CALL + AROUND, sizeof *program.code), 0};
    if (!program.code)
        return wtl_no_memory_for(err, "the filter of system calls");
    write_program(&program);
    int rc = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : 0;
    if (rc == 0)
        rc = install(&(struct sock_fprog){program.length, program.code});
    free(program.code);
    if (rc == -ENOSYS || rc == -EINVAL)
        return not_supported(report,
                             "system calls are not filtered, since this kernel has no seccomp");
    if (rc < 0)
        return wtl_fail(err, -EPERM, "cannot filter system calls: %s", wtl_strerror(rc));
    report->filter_on = true;
    append_reason(report, "system calls are filtered");
    return 0;
}
