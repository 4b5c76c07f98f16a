/* SPDX-License-Identifier: BSD-3-Clause */
/* Characters that control a terminal or change text direction are escaped in every document, and
 * the text is the same after reading. */
#define _GNU_SOURCE
#include "report/json_value.h"

#include "tap.h"

static char *printed(json_t *document)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    if (!out || wtl_json_print(out, document) < 0 || fclose(out) != 0)
        exit(1);
    return text;
}

static void escapes(void)
{
    static const char foreign[] = "a\xE2\x80\xAE"
                                  "b\xC2\x9B"
                                  "c\x7F[31m \xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\xE2\x81\xA6";
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, foreign, wtl_json_text(foreign));
    char *text = printed(wtl_json_done(&o));
    static const char want[] =
        "\"a\\u202Eb\\u009Bc\\u007F[31m \xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\\u2066\"";
    char line[256];
    (void)snprintf(line, sizeof line, "{\n  %s: %s\n}\n", want, want);
    is_str(text, line, "in keys and values; letters and emoji stay");
    json_error_t why;
    json_t *back = json_loads(text, 0, &why);
    is_str(json_string_value(json_object_get(back, foreign)), foreign, "the same when it is read");
    json_decref(back);
    free(text);
}

/* Longer than a piece, with something to escape at each border. */
static void pieces(void)
{
    enum { N = 5000 };
    char *foreign = malloc(N + 4);
    struct wtl_json o = wtl_json_array();
    for (size_t shift = 0; shift < 4; shift++) {
        memset(foreign, 'x', N);
        for (size_t at = 1019 + shift; at + 3 < N; at += 1024)
            memcpy(foreign + at, "\xE2\x80\xAE", 3);
        foreign[N] = '\0';
        wtl_json_add(&o, wtl_json_text(foreign));
    }
    char *text = printed(wtl_json_done(&o));
    ok(!strstr(text, "\xE2\x80\xAE"), "none is left");
    json_error_t why;
    json_t *back = json_loads(text, 0, &why);
    is_str(json_string_value(json_array_get(back, 3)), foreign, "nothing is lost");
    json_decref(back);
    free(text);
    free(foreign);
    FILE *out = fopen("/dev/null", "w");
    is_int(out ? wtl_json_print(out, NULL) : 0, -12, "no document: no memory");
    if (out)
        (void)fclose(out);
}

int main(void)
{
    escapes();
    pieces();
    return done_testing();
}
