/* SPDX-License-Identifier: BSD-3-Clause */
/* The script of a recorded host: the meaning of lines, what is refused, what is visible when. */
#include "base/world/script.h"

#include <errno.h>

#include "tap.h"

static void test_refused(void)
{
    static const struct {
        int line;
        const char *text, *says;
    } rows[] = {
        {__LINE__, "0 /a 1\n", "line 1: expected time, path and value"},
        {__LINE__, "# c\n\n0\t/a\n", "line 3: expected time, path and value"},
        {__LINE__, "x\t/a\t1\n", "line 1: 'x' is not a time"},
        {__LINE__, "-1\t/a\t1\n", "is not a time"},
        {__LINE__, "0\ta\t1\n", "path must begin with '/'"},
        {__LINE__, "0\t/a\t!nonsense\n", "line 1: value '!nonsense'"},
        {__LINE__, "0\t/a\tend\\\n", "is not understood"},
        {__LINE__, "0\t/a\t\\x\n", "is not understood"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_script script = {.count = 77};
        struct wattle_error err = {{0}};
        tap_line = rows[i].line;
        is_int(wtl_script_parse(rows[i].text, strlen(rows[i].text), &script, &err), -EBADMSG,
               "refused: %s", rows[i].says);
        ok(strstr(err.text, rows[i].says) != NULL, "it says so: %s", err.text);
        is_int(script.count, 77, "nothing was touched");
    }
    tap_line = 0;
    struct wtl_script script;
    is_int(wtl_script_parse("0\t/a\t\0", 6, &script, NULL), -EBADMSG, "a NUL byte is refused");
}

/* The content of one path at an instant. */
static void test_states(void)
{
    static const struct {
        int line;
        const char *text;
        uint64_t time_ns;
        enum wtl_script_kind kind;
        uint64_t number;
        const char *shown;
        int error;
    } rows[] = {
        {__LINE__, "", 5, WTL_SCRIPT_CONTENT, 0, NULL, 0},
        {__LINE__, "1\t/a\tx\n", 999999999, WTL_SCRIPT_CONTENT, 0, NULL, 0},
        {__LINE__, "1\t/a\tx\n", 1000000000, WTL_SCRIPT_TEXT, 0, "x", 0},
        {__LINE__, "0\t/a\t-5\n", 0, WTL_SCRIPT_TEXT, 0, "-5", 0},
        {__LINE__, "0\t/a\ta\\tb\\nc\\\\\n", 0, WTL_SCRIPT_TEXT, 0, "a\tb\nc\\", 0},
        {__LINE__, "0\t/a\t100+50/s\n", 1500000000, WTL_SCRIPT_RAMP, 175, NULL, 0},
        {__LINE__, "0\t/a\t0+2576980377600/s\n", 1000250000000, WTL_SCRIPT_RAMP, 2577624622694400,
         NULL, 0},
        {__LINE__, "1s\t/a\t100+50/s%120\n", 1500000000, WTL_SCRIPT_RAMP, 5, NULL, 0},
        {__LINE__, "0\t/a\t0+1000/s~10ms\n", 19999999, WTL_SCRIPT_RAMP, 10, NULL, 0},
        {__LINE__, "0\t/a\t0+1000/s~10ms\n", 20000000, WTL_SCRIPT_RAMP, 20, NULL, 0},
        {__LINE__, "0\t/a\t100-50/s\n", 1500000000, WTL_SCRIPT_RAMP, 25, NULL, 0},
        {__LINE__, "0\t/a\t100-50/s\n", 2500000000, WTL_SCRIPT_RAMP, 0, NULL, 0},
        {__LINE__, "0\t/a\t100-50/s~1s\n", 1900000000, WTL_SCRIPT_RAMP, 50, NULL, 0},
        {__LINE__, "0\t/a\t100-50/s%60\n", 0, WTL_SCRIPT_TEXT, 0, "100-50/s%60", 0},
        {__LINE__, "0\t/a\t100+50/s~1s J @us us\n", 1500000000, WTL_SCRIPT_RAMP, 150, "J @us us",
         0},
        {__LINE__, "0\t/a\t100+50 J\n", 0, WTL_SCRIPT_TEXT, 0, "100+50 J", 0},
        {__LINE__, "0\t/a\t7+10/s\n1\t/a\t!stall\n", 9000000000, WTL_SCRIPT_RAMP, 17, NULL, 0},
        {__LINE__, "1\t/a\t!stall\n0\t/a\t7+10/s\n", 9000000000, WTL_SCRIPT_RAMP, 17, NULL, 0},
        {__LINE__, "0\t/a\t!gone\n", 0, WTL_SCRIPT_FAILURE, 0, NULL, ENOENT},
        {__LINE__, "0\t/a\t!EIO\n1\t/a\t!ok\n", 0, WTL_SCRIPT_FAILURE, 0, NULL, EIO},
        {__LINE__, "0\t/a\t!EIO\n1\t/a\t!ok\n", 1000000000, WTL_SCRIPT_CONTENT, 0, NULL, 0},
        {__LINE__, "0\t/a\tx\n0\t/a\ty\n", 0, WTL_SCRIPT_TEXT, 0, "y", 0},
        {__LINE__, "0\t/a\t5+7\n", 0, WTL_SCRIPT_TEXT, 0, "5+7", 0},
        {__LINE__, "0\t/a\t1+10000000000001/s\n", 0, WTL_SCRIPT_TEXT, 0, "1+10000000000001/s", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_script script;
        tap_line = rows[i].line;
        if (!ok(wtl_script_parse(rows[i].text, strlen(rows[i].text), &script, NULL) == 0, "parses"))
            continue;
        struct wtl_script_state state = wtl_script_at(script.rows, script.count, rows[i].time_ns);
        is_int(state.kind, rows[i].kind, "kind");
        is_int(state.error, rows[i].error, "error");
        if (state.kind == WTL_SCRIPT_RAMP)
            is_int(state.number, rows[i].number, "number");
        if (rows[i].shown)
            is_str(state.text, rows[i].shown, "text");
        wtl_script_fini(&script);
    }
    tap_line = 0;
}

static void test_order(void)
{
    static const char text[] = "2\t/b\tx\n1\t/a\tx\n1\t/b\tx\n0\t/c\tx";
    struct wtl_script script;
    is_int(wtl_script_parse(text, strlen(text), &script, NULL), 0, "parses without a last newline");
    is_int(script.count, 4, "four rows");
    is_str(script.rows[0].path, "/a", "by path");
    is_int(script.rows[1].time_ns, 1000000000, "then by time");
    is_int(script.rows[2].line, 1, "lines are kept");
    wtl_script_fini(&script);
}

int main(void)
{
    test_refused();
    test_states();
    test_order();
    return done_testing();
}
