/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Labels: what somebody says about a run, so that runs can be told apart and grouped: app=x, scale=4. All of a run
 * are one text "app=x,scale=4", sorted by key, so that runs with the same labels have the same text. A key has 1 to 63
 * letters, digits, '_', '-' and '.'; a value 1 to 255 bytes of UTF-8 without commas and control characters.
 */
#ifndef WTL_MODEL_LABELS_H
#define WTL_MODEL_LABELS_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/error.h>

#define WTL_LABEL_KEY_MAX   63
#define WTL_LABEL_VALUE_MAX 255
#define WTL_LABELS_SIZE     2048

struct wtl_labels {
    char text[WTL_LABELS_SIZE]; /* "" = none */
};

struct wtl_label {
    char key[WTL_LABEL_KEY_MAX + 1];
    char value[WTL_LABEL_VALUE_MAX + 1];
};

/* "KEY=VALUE" into *ret_label; 0, or -EINVAL with a sentence. */
int wtl_label_parse(const char *pair, struct wtl_label *ret_label, struct wattle_error *err);

/* Add, or replace the one with that key. 0, -EINVAL, or -E2BIG when all together are longer than 2047 bytes; then nothing has
 * changed. */
int wtl_labels_set(struct wtl_labels *labels, const char *pair, struct wattle_error *err);

/* The same for all of "KEY=VALUE,KEY=VALUE"; "" has none. All or nothing. */
int wtl_labels_set_all(struct wtl_labels *labels, const char *pairs, struct wattle_error *err);

/* The next label of such a text; *at begins at its first byte. false at the end. A part that is no label is passed over. */
bool wtl_labels_next(const char **at, struct wtl_label *ret_label);

#endif
