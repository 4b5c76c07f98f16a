/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of an INI file: kinds, texts, and their byte positions; for invalid files see
 * test_config.c. */
#include "base/config/ini.h"

#include <errno.h>

#include "tap.h"

static void test_lines(void)
{
    static const char text[] = "# head\r\n\n [ a b ]\n key = v = w \n\t; end\n[c]";
    static const struct {
        enum wtl_ini_kind kind;
        const char *name, *value;
        const char *bytes;
    } want[] = {
        {WTL_INI_COMMENT, NULL, NULL, "# head\r\n"},
        {WTL_INI_EMPTY, NULL, NULL, "\n"},
        {WTL_INI_SECTION, "a b", NULL, " [ a b ]\n"},
        {WTL_INI_PAIR, "key", "v = w", " key = v = w \n"},
        {WTL_INI_COMMENT, NULL, NULL, "\t; end\n"},
        {WTL_INI_SECTION, "c", NULL, "[c]"},
    };
    struct wattle_error err = {""};
    struct wtl_ini ini = wtl_ini_of("f", text, sizeof text - 1);
    struct wtl_ini_line line;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        if (!ok(wtl_ini_next(&ini, &line, &err) == 1, "line %zu %s", i + 1, err.text))
            return;
        is_int(line.kind, want[i].kind, "its kind");
        is_str(line.name, want[i].name, "its name");
        is_str(line.value, want[i].value, "its value");
        is_int(ini.number, i + 1, "its number");
        ok(line.size == strlen(want[i].bytes) &&
               memcmp(text + line.offset, want[i].bytes, line.size) == 0,
           "its bytes");
    }
    is_int(wtl_ini_next(&ini, &line, &err), 0, "the end");
    is_int(wtl_ini_next(&ini, &line, &err), 0, "the end stays the end");
}

static void test_refused(void)
{
    struct wattle_error err = {""};
    struct wtl_ini ini = wtl_ini_of("f", "[a]\nno pair\n", 12);
    struct wtl_ini_line line;
    is_int(wtl_ini_next(&ini, &line, &err), 1, "a section");
    is_int(wtl_ini_next(&ini, &line, &err), -EBADMSG, "no pair");
    is_str(err.text, "f:2: expected \"key = value\" or \"[section]\", found \"no pair\"",
           "says so");
}

int main(void)
{
    test_lines();
    test_refused();
    return done_testing();
}
