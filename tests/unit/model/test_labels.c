/* SPDX-License-Identifier: BSD-3-Clause */
/* Labels of a run: sorted, replaced, refused, and read from other tools' files. */
#include "model/labels.h"

#include <errno.h>

#include "tap.h"

static void test_set(void)
{
    struct wtl_labels labels = {""};
    is_int(wtl_labels_set(&labels, "scale=4", NULL), 0, "one");
    is_int(wtl_labels_set(&labels, "app=cg", NULL), 0, "one that sorts before");
    is_int(wtl_labels_set(&labels, "topology=by core", NULL), 0, "one behind, with a blank");
    is_str(labels.text, "app=cg,scale=4,topology=by core", "sorted by key");
    is_int(wtl_labels_set(&labels, "scale=16", NULL), 0, "a key that is there");
    is_str(labels.text, "app=cg,scale=16,topology=by core", "is replaced");
    is_int(wtl_labels_set(&labels, "app=a=b", NULL), 0, "a value with =");
    is_int(wtl_labels_set_all(&labels, "x=1,app=ft", NULL), 0, "a list");
    is_str(labels.text, "app=ft,scale=16,topology=by core,x=1", "is taken in");
    is_int(wtl_labels_set_all(&labels, "", NULL), 0, "an empty list");
    is_int(wtl_labels_set(&labels, "name=\xc3\xa4", NULL), 0, "UTF-8");
    is_int(wtl_labels_set_all(&labels, "y=1,", NULL), 0, "a comma at the end is none");
}

static void test_refused(void)
{
    static const struct {
        int line;
        const char *pair, *says;
    } rows[] = {
        {__LINE__, "", "KEY=VALUE"},     {__LINE__, "app", "KEY=VALUE"},
        {__LINE__, "=x", "KEY=VALUE"},   {__LINE__, "a b=x", "KEY=VALUE"},
        {__LINE__, "a=", "a value"},     {__LINE__, "a=x,b=y", "commas"},
        {__LINE__, "a=x\ny", "control"}, {__LINE__, "a=\x1b[31m", "a value"},
        {__LINE__, "a=\xff", "UTF-8"},   {__LINE__, "\xc3\xa4=1", "KEY=VALUE"},
        {__LINE__, "a=\x7f", "a value"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_labels labels = {"k=v"};
        struct wattle_error err = {""};
        tap_line = rows[i].line;
        is_int(wtl_labels_set(&labels, rows[i].pair, &err), -EINVAL, "refused");
        ok(strstr(err.text, rows[i].says) != NULL, "says why: %s", err.text);
        is_str(labels.text, "k=v", "unchanged");
    }
    tap_line = 0;
    struct wtl_labels labels = {"k=v"};
    is_int(wtl_labels_set_all(&labels, "a=1,bad,c=2", NULL), -EINVAL, "one of a list is bad");
    is_str(labels.text, "k=v", "all or nothing");
    is_int(wtl_labels_set_all(&labels, "a=1,,c=2", NULL), -EINVAL, "nothing between two commas");
}

static void test_long(void)
{
    struct wtl_labels labels = {""}, before;
    char pair[400];
    int rc = 0, set = 0;
    memset(pair, 'x', sizeof pair);
    pair[63] = '=';
    pair[64 + 255] = '\0';
    is_int(wtl_labels_set(&labels, pair, NULL), 0, "the longest key and value");
    pair[64 + 255] = 'x';
    pair[64 + 256] = '\0';
    is_int(wtl_labels_set(&labels, pair, NULL), -EINVAL, "a value too long");
    memset(pair, 'x', 64);
    pair[64] = '=';
    pair[70] = '\0';
    is_int(wtl_labels_set(&labels, pair, NULL), -EINVAL, "a key too long");
    for (int i = 0; i < 20 && rc == 0; i++) {
        (void)snprintf(pair, sizeof pair, "k%02d=%0200d", i, i);
        before = labels;
        rc = wtl_labels_set(&labels, pair, NULL);
        set += rc == 0;
    }
    is_int(rc, -E2BIG, "all together are too long");
    ok(set >= 5, "after %d", set);
    is_str(labels.text, before.text, "what was there is as it was");
}

static void test_foreign(void)
{
    struct wtl_label label;
    const char *at = "a=1,nonsense,,b=,c=3";
    ok(wtl_labels_next(&at, &label), "the first");
    is_str(label.key, "a", "its key");
    is_str(label.value, "1", "its value");
    ok(wtl_labels_next(&at, &label), "the next that is one");
    is_str(label.key, "c", "what is none is passed over");
    ok(!wtl_labels_next(&at, &label), "the end");
}

int main(void)
{
    test_set();
    test_refused();
    test_long();
    test_foreign();
    return done_testing();
}
