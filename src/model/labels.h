/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Labels: set by the user on a run, so that runs can be distinguished and grouped: app=x, scale=4. All labels
 * of a run form one string "app=x,scale=4", sorted by key, so that runs with the same labels have the same
 * string. A key has 1 to 63 letters, digits, '_', '-' and '.'; a value 1 to 255 bytes of UTF-8 without commas
 * and control characters.
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

/* Parse "KEY=VALUE" into *ret_label; 0, or -EINVAL with a message. */
int wtl_label_parse(const char *pair, struct wtl_label *ret_label, struct wattle_error *err);

/* Add a label, or replace the one with that key. 0, -EINVAL, or -E2BIG when all together exceed 2047
 * bytes, with the labels unchanged. */
int wtl_labels_set(struct wtl_labels *labels, const char *pair, struct wattle_error *err);

/* The same for all of "KEY=VALUE,KEY=VALUE"; "" has no labels. All or nothing. */
int wtl_labels_set_all(struct wtl_labels *labels, const char *pairs, struct wattle_error *err);

/* The next label of such a string; *at starts at its first byte. false at the end. Parts that are not
 * labels are skipped. */
bool wtl_labels_next(const char **at, struct wtl_label *ret_label);

#endif
