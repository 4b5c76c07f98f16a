/* SPDX-License-Identifier: BSD-3-Clause */
/* Labels of a run as one sorted string: see labels.h. */
#include "model/labels.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/utf8.h"

static bool is_key_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

static bool is_value(const char *text, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t length = wtl_utf8_length(text + i, n - i);
        if (length == 0 || text[i] == ',' || (unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            return false;
        i += length;
    }
    return n > 0 && n <= WTL_LABEL_VALUE_MAX;
}

/* Parse n bytes of a pair. */
static int parse(const char *pair, size_t n, struct wtl_label *ret_label, struct wattle_error *err)
{
    size_t key = 0;
    while (key < n && is_key_byte(pair[key]))
        key++;
    int shown = n < 80 ? (int)n : 80;
    if (key == 0 || key > WTL_LABEL_KEY_MAX || key == n || pair[key] != '=')
        return wtl_fail(err, -EINVAL,
                        "label \"%.*s\": expected KEY=VALUE, KEY of up to %d letters, digits, "
                        "\"_\", \"-\" and \".\", for example app=cg",
                        shown, pair, WTL_LABEL_KEY_MAX);
    if (!is_value(pair + key + 1, n - key - 1))
        return wtl_fail(err, -EINVAL,
                        "label \"%.*s\": expected a value of 1 to %d bytes of UTF-8 without commas "
                        "and control characters",
                        (int)key, pair, WTL_LABEL_VALUE_MAX);
    *ret_label = (struct wtl_label){{0}, {0}};
    memcpy(ret_label->key, pair, key);
    memcpy(ret_label->value, pair + key + 1, n - key - 1);
    return 0;
}

int wtl_label_parse(const char *pair, struct wtl_label *ret_label, struct wattle_error *err)
{
    return parse(pair, strlen(pair), ret_label, err);
}

bool wtl_labels_next(const char **at, struct wtl_label *ret_label)
{
    while (**at) {
        const char *pair = *at;
        size_t n = strcspn(pair, ",");
        *at += n + (pair[n] == ',');
        if (parse(pair, n, ret_label, NULL) == 0)
            return true;
    }
    return false;
}

/* Append to a text with room for WTL_LABELS_SIZE bytes. false: it does not fit. */
static bool append(char *text, size_t *used, const struct wtl_label *label)
{
    size_t room = WTL_LABELS_SIZE - *used;
    int n = snprintf(text + *used, room, "%s%s=%s", *used ? "," : "", label->key, label->value);
    if (n < 0 || (size_t)n >= room)
        return false;
    *used += (size_t)n;
    return true;
}

static int insert_label(struct wtl_labels *labels,
                        const struct wtl_label *label,
                        struct wattle_error *err)
{
    struct wtl_labels result = {""};
    struct wtl_label old;
    size_t used = 0;
    bool done = false, fits = true;
    for (const char *at = labels->text; fits && wtl_labels_next(&at, &old);) {
        int order = strcmp(label->key, old.key);
        if (!done && order <= 0) {
            fits = append(result.text, &used, label);
            done = true;
        }
        if (fits && order != 0)
            fits = append(result.text, &used, &old);
    }
    if (fits && !done)
        fits = append(result.text, &used, label);
    if (!fits)
        return wtl_fail(
            err, -E2BIG,
            "label \"%s\": the labels of a run exceed %d bytes; use shorter or fewer labels",
            label->key, WTL_LABELS_SIZE - 1);
    *labels = result;
    return 0;
}

int wtl_labels_set(struct wtl_labels *labels, const char *pair, struct wattle_error *err)
{
    struct wtl_label label;
    int rc = wtl_label_parse(pair, &label, err);
    return rc < 0 ? rc : insert_label(labels, &label, err);
}

int wtl_labels_set_all(struct wtl_labels *labels, const char *pairs, struct wattle_error *err)
{
    struct wtl_labels result = *labels;
    for (const char *at = pairs; *at;) {
        struct wtl_label label;
        size_t n = strcspn(at, ",");
        int rc = parse(at, n, &label, err);
        rc = rc < 0 ? rc : insert_label(&result, &label, err);
        if (rc < 0)
            return rc;
        at += n + (at[n] == ',');
    }
    *labels = result;
    return 0;
}
