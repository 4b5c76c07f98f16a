/* SPDX-License-Identifier: BSD-3-Clause */
/* Faults as text: what is accepted, what it means, what is refused. */
#include "sim/node_fault.h"

#include <errno.h>

#include "tap.h"

#define S UINT64_C(1000000000)

static const struct {
    int line;
    const char *text;
    int code;
    struct wtl_fault fault;
} rows[] = {
    {__LINE__, "vanish", 0, {WTL_FAULT_VANISH, -1, -1, 0, UINT64_MAX, 1, 0}},
    {__LINE__, "eio:package", 0, {WTL_FAULT_EIO, WATTLE_DOMAIN_PACKAGE, -1, 0, UINT64_MAX, 1, 0}},
    {__LINE__,
     "stall:dram-1@2s",
     0,
     {WTL_FAULT_STALL, WATTLE_DOMAIN_DRAM, 1, 2 * S, UINT64_MAX, 1, 0}},
    {__LINE__, "reset@500ms", 0, {WTL_FAULT_RESET, -1, -1, S / 2, UINT64_MAX, 1, 0}},
    {__LINE__,
     "eio:core-0@1,for=2,rate=0.5",
     0,
     {WTL_FAULT_EIO, WATTLE_DOMAIN_CORE, 0, S, 2 * S, 0.5, 0}},
    {__LINE__, "eio,rate=0.1,for=1ms", 0, {WTL_FAULT_EIO, -1, -1, 0, S / 1000, 0.1, 0}},
    {__LINE__,
     "wrap-while-stalled:gpu_memory-3",
     0,
     {WTL_FAULT_WRAP_WHILE_STALLED, WATTLE_DOMAIN_GPU_MEMORY, 3, 0, UINT64_MAX, 1, 0}},
    {__LINE__,
     "permission:psys",
     0,
     {WTL_FAULT_PERMISSION, WATTLE_DOMAIN_PSYS, -1, 0, UINT64_MAX, 1, 0}},
    {__LINE__, "filtering", 0, {WTL_FAULT_FILTERING, -1, -1, 0, UINT64_MAX, 1, 0}},
    {__LINE__, "hang", 0, {WTL_FAULT_HANG, -1, -1, 0, UINT64_MAX, 1, 0}},
    {__LINE__,
     "jump:package@1s,for=10ms,by=-40",
     0,
     {WTL_FAULT_JUMP, WATTLE_DOMAIN_PACKAGE, -1, S, S / 100, 1, -40}},
    {__LINE__, "", -EINVAL, {0}},
    {__LINE__, "explode", -EINVAL, {0}},
    {__LINE__, "eio:", -EINVAL, {0}},
    {__LINE__, "eio:packet", -EINVAL, {0}},
    {__LINE__, "eio:package-", -EINVAL, {0}},
    {__LINE__, "eio:package-x", -EINVAL, {0}},
    {__LINE__, "eio:package-99999", -EINVAL, {0}},
    {__LINE__, "eio@", -EINVAL, {0}},
    {__LINE__, "eio@later", -EINVAL, {0}},
    {__LINE__, "eio,rate=2", -EINVAL, {0}},
    {__LINE__, "eio,rate=-1", -EINVAL, {0}},
    {__LINE__, "eio,for=", -EINVAL, {0}},
    {__LINE__, "jump,by=", -EINVAL, {0}},
    {__LINE__, "jump,by=1e12", -EINVAL, {0}},
    {__LINE__, "eio,often", -EINVAL, {0}},
    {__LINE__, "eio,", -EINVAL, {0}},
    {__LINE__, "eio@1s:package", -EINVAL, {0}},
};

int main(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wattle_error err = {""};
        struct wtl_fault fault = {.at_ns = 99};
        const struct wtl_fault *want = &rows[i].fault;
        tap_line = rows[i].line;
        is_int(wtl_fault_parse(rows[i].text, &fault, &err), rows[i].code, "\"%s\"", rows[i].text);
        if (rows[i].code < 0) {
            ok(err.text[0] && fault.at_ns == 99, "refused with a sentence: %s", err.text);
            continue;
        }
        ok(fault.kind == want->kind && fault.domain == want->domain && fault.index == want->index,
           "kind, domain, index");
        ok(fault.at_ns == want->at_ns && fault.for_ns == want->for_ns && fault.rate == want->rate &&
               fault.by_j == want->by_j,
           "at, for, rate, by");
    }
    tap_line = 0;

    struct wtl_fault fault = {WTL_FAULT_STALL, WATTLE_DOMAIN_DRAM, -1, S, S, 1, 0};
    ok(wtl_fault_hits(&fault, WATTLE_DOMAIN_DRAM, 3), "hits any dram");
    ok(!wtl_fault_hits(&fault, WATTLE_DOMAIN_PACKAGE, 3), "no package");
    ok(!wtl_fault_active(&fault, S - 1) && wtl_fault_active(&fault, S), "begins");
    ok(wtl_fault_active(&fault, 2 * S - 1) && !wtl_fault_active(&fault, 2 * S), "ends");
    is_str(wtl_fault_name(WTL_FAULT_EIO), "eio", "its name");
    return done_testing();
}
