/* SPDX-License-Identifier: BSD-3-Clause */
/* Flags: each once, worst first, also in a result. */
#include "model/flag.h"

#include "model/result.h"
#include "tap.h"

int main(void)
{
    struct wtl_result result = wtl_result_unknown();
    const struct wtl_flag_kind *kind;
    size_t n = 0;
    for (; (kind = wtl_flag_kind(n)) != NULL; n++)
        ok(wtl_flag_rank(kind->name) == n && strlen(kind->name) < sizeof result.flags->name,
           "%s is there once and fits", kind->name);
    ok(wtl_flag_rank(WTL_FLAG_DAMAGED) < wtl_flag_rank(WTL_FLAG_NOT_ALONE), "worst first");
    is_int((int)wtl_flag_rank("OF THE FUTURE"), (int)n, "one that is not known comes last");
    ok(wtl_flag_is_of_trace(WTL_FLAG_UNFINISHED) && !wtl_flag_is_of_trace(WTL_FLAG_CAPPED) &&
           !wtl_flag_is_of_trace("OF THE FUTURE"),
       "which are of the trace");
    is_int(wtl_result_flag(&result, "OF THE FUTURE", "a"), 0, "a flag of another version");
    is_int(wtl_result_flag(&result, WTL_FLAG_CAPPED, "b"), 0, "one");
    is_int(wtl_result_flag(&result, WTL_FLAG_INCOMPLETE, "c"), 0, "a worse one");
    is_int(wtl_result_flag(&result, WTL_FLAG_CAPPED, "d"), 0, "the first again");
    is_int((int)result.flag_count, 3, "each once");
    is_str(result.flags[0].name, WTL_FLAG_INCOMPLETE, "the worst");
    is_str(result.flags[1].text, "b", "the other, as it was first said");
    is_str(result.flags[2].name, "OF THE FUTURE", "the unknown one");
    wtl_result_fini(&result);
    return done_testing();
}
