/* SPDX-License-Identifier: BSD-3-Clause */
/* Format files: what is refused and why, patterns, and which format a file has. */
#include "exchange/formats/format.h"

#include <errno.h>

#include "tap.h"

#define HEAD "[format]\nname = f\nabout = f\nknow = a*\n"

static int parse(const char *text, struct wtl_file_format *format, struct wattle_error *err)
{
    return wtl_format_parse("f.ini", text, strlen(text), format, err);
}

static void test_refused(void)
{
    static const struct {
        int line;
        const char *text, *says;
    } rows[] = {
        {__LINE__, "[format]\nname = f\n", "lacks \"about\""},
        {__LINE__, HEAD, "lacks \"column\""},
        {__LINE__, HEAD "colour = x\n", "f.ini:5: unknown key \"colour\""},
        {__LINE__, HEAD "shape = round\n", "invalid value \"round\""},
        {__LINE__, HEAD "shape = json\nrest = yes\n", "lacks \"record\""},
        {__LINE__, HEAD "shape = lines\nrest = yes\n", "lacks \"line\""},
        {__LINE__, HEAD "key = k\nrest = yes\n", "lacks \"key and value\""},
        {__LINE__, HEAD "column = p=package-0\n", "PATTERN=PLACE:QUANTITY:UNIT:KIND"},
        {__LINE__, HEAD "column = p=package-0:power:W\n", "PATTERN=PLACE:QUANTITY:UNIT:KIND"},
        {__LINE__, HEAD "column = p=package-0:power:J:gauge\n", "PATTERN=PLACE:QUANTITY:UNIT:KIND"},
        {__LINE__, HEAD "column = p=package-{gpu:power:W:gauge\n", "unclosed brace"},
        {__LINE__, HEAD "name = a name\nrest = yes\n", "is not a name"},
        {__LINE__, "[other]\nx = y\n", "unknown section \"other\""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_file_format format;
        struct wattle_error err = {""};
        tap_line = rows[i].line;
        is_int(parse(rows[i].text, &format, &err), -EBADMSG, "refused");
        ok(strstr(err.text, rows[i].says), "says: %s", err.text);
    }
    tap_line = 0;
}

static void test_patterns(void)
{
    ok(wtl_glob("power.draw*[W]", "power.draw.average [W]"), "brackets are themselves");
    ok(wtl_glob("*a*b*", "xxaxxbxx") && !wtl_glob("*a*b", "xxaxxbxx"), "any text");
    ok(wtl_glob("?b", "ab") && !wtl_glob("?b", "b"), "one character");
    ok(wtl_glob("*", "") && !wtl_glob("", "a"), "nothing");
}

static void test_choice(void)
{
    struct wtl_file_format items[2];
    struct wattle_error err = {""};
    const struct wtl_formats formats = {.items = items, .count = 2};
    const struct wtl_file_format *found;
    bool ignored;
    is_int(
        parse(HEAD
              "know = *b*\ncolumn = p [W]=package-{s}:power:W:gauge:within node-0\nignore = q*\n",
              &items[0], &err),
        0, "one format %s", err.text);
    is_int(parse("[format]\nname = g\nabout = g\nknow = \" c*\"\nrest = yes\nignore = q*\n",
                 &items[1], &err),
           0, "another %s", err.text);
    is_str(wtl_format_target(&items[0], "p [W]", &ignored),
           "package-{s}:power:W:gauge:within node-0", "a column");
    ok(!wtl_format_target(&items[0], "x", &ignored) && ignored, "others are left out");
    ok(!wtl_format_target(&items[1], "x", &ignored) && !ignored,
       "unless they are read by their headers");
    ok(!wtl_format_target(&items[1], "qx", &ignored) && ignored, "but for some");
    is_int(wtl_format_recognise(&formats, "x", (const char *const[]){"ax", "yb"}, 2, &found, &err),
           0, "all patterns");
    ok(found == &items[0], "must match");
    is_int(wtl_format_recognise(&formats, "x", (const char *const[]){"ax", "c"}, 2, &found, &err),
           0, "if one does not");
    ok(!found, "it is another file");
    is_int(wtl_format_recognise(&formats, "x", (const char *const[]){"ab", " c"}, 2, &found, &err),
           -ENOTUNIQ, "two match");
    is_str(err.text, "x: may be of format f or g; choose one with --from", "both are named");
    wtl_format_fini(&items[0]);
    wtl_format_fini(&items[1]);
}

int main(void)
{
    test_refused();
    test_patterns();
    test_choice();
    return done_testing();
}
