/* SPDX-License-Identifier: BSD-3-Clause */
/* A result without memory: its total and its flags. */
#include <errno.h>

#include "model/reading.h"
#include "model/result.h"
#include "tap.h"
#include "torture.h"

static int run_total(const struct torture_case *self)
{
    struct wtl_result result = {.channel_count = 3};
    (void)self;
    torture_pause();
    result.channels = calloc(result.channel_count, sizeof *result.channels);
    torture_resume();
    for (int i = 0; result.channels && i < 3; i++) {
        struct wtl_result_channel *c = &result.channels[i];
        c->channel = (struct wattle_channel){
            .sensor = "s", .domain = WATTLE_DOMAIN_PACKAGE, .index = i, .sub = -1, .scale = 1e-6};
        c->channel.flags = WATTLE_CHANNEL_PRIMARY;
        c->summary.unknown_ns = i == 1; /* sets the flag INCOMPLETE */
        wtl_channel_set_name(&c->channel, NULL);
    }
    int rc = wtl_result_total(&result);
    if (rc == 0)
        rc = wtl_result_flag(&result, "OTHER", "text");
    if (rc == 0 && (result.total.count != 3 || result.flag_count != 2))
        rc = -EINVAL;
    torture_pause();
    free(result.channels);
    torture_resume();
    result.channels = NULL;
    wtl_result_fini(&result);
    return rc;
}

int main(void)
{
    static const struct torture_case total = {.name = "total and flags", .run = run_total};
    ok(torture_allocations(&total), "total and flags without memory");
    return done_testing();
}
