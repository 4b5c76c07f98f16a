/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells that need care in CSV and in JSON. */
#define _GNU_SOURCE
#include "exchange/row_writer.h"

#include <math.h>

#include <wattle/version.h>

#include "tap.h"

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)
#define VERSION \
    TEXT(WATTLE_VERSION_MAJOR) "." TEXT(WATTLE_VERSION_MINOR) "." TEXT(WATTLE_VERSION_PATCH)

static char *text;
static size_t size;

static void render(enum wtl_row_writer_form form, bool comments)
{
    static const char *const columns[] = {"a", "b, c", "d"};
    const struct wtl_cell first[] = {wtl_cell_number(1.0 / 3, 6), wtl_cell_text("x,\"y\"\n"),
                                     wtl_cell_count(UINT64_MAX)};
    const struct wtl_cell second[] = {wtl_cell_number(NAN, 6), wtl_cell_text(NULL),
                                      wtl_cell_number(-0.25, -3)};
    const struct wtl_cell third[] = {wtl_cell_number(INFINITY, 6), wtl_cell_text("\x01\\\xFF"),
                                     wtl_cell_text("#no comment")};
    struct wtl_row_writer sheet;
    free(text);
    text = NULL;
    FILE *out = open_memstream(&text, &size);
    wtl_row_writer_begin(&sheet, out, form, comments, "test");
    wtl_row_writer_note(&sheet, "key", "two\nlines \"quoted\"");
    wtl_row_writer_columns(&sheet, columns, 3);
    wtl_row_writer_row(&sheet, first, 3);
    wtl_row_writer_row(&sheet, second, 3);
    wtl_row_writer_row(&sheet, third, 3);
    wtl_row_writer_end(&sheet);
    (void)fclose(out);
}

int main(void)
{
    render(WTL_ROW_WRITER_CSV, true);
    is_str(text,
           "# wattle export, test\n# key: two lines \"quoted\"\na,\"b, c\",d\n"
           "0.333333,\"x,\"\"y\"\"\n\",18446744073709551615\n,,-0.250\n,\xEF\xBF\xBD\\\xEF\xBF\xBD,"
           "\"#no "
           "comment\"\n",
           "CSV");
    render(WTL_ROW_WRITER_CSV, false);
    ok(strncmp(text, "a,", 2) == 0, "without comments");
    render(WTL_ROW_WRITER_JSON, true);
    is_str(text,
           "{\n\"schema\": \"wattle.export/1\",\n\"wattle_version\": \"" VERSION
           "\",\n\"what\": \"test\",\n\"notes\": {\n"
           "  \"key\": \"two\\u000alines \\\"quoted\\\"\"\n},\n\"columns\": [\"a\", \"b, c\", "
           "\"d\"],\n"
           "\"rows\": [\n[0.333333,\"x,\\\"y\\\"\\u000a\",18446744073709551615],\n"
           "[null,null,-0.250],\n[null,\"\\u0001\\\\\xEF\xBF\xBD\",\"#no comment\"]\n]\n}\n",
           "JSON");

    struct wtl_row_writer sheet;
    free(text);
    text = NULL;
    FILE *out = open_memstream(&text, &size);
    wtl_row_writer_begin(&sheet, out, WTL_ROW_WRITER_JSON, true, "empty");
    wtl_row_writer_columns(&sheet, NULL, 0);
    wtl_row_writer_end(&sheet);
    (void)fclose(out);
    is_str(text,
           "{\n\"schema\": \"wattle.export/1\",\n\"wattle_version\": \"" VERSION
           "\",\n\"what\": \"empty\",\n\"notes\": {},\n"
           "\"columns\": [],\n\"rows\": []\n}\n",
           "an empty sheet");
    free(text);
    return done_testing();
}
