/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON values by the rules of all our documents: unknown is null, never NaN; text is UTF-8. */
#ifndef WTL_REPORT_JSON_VALUE_H
#define WTL_REPORT_JSON_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include <wattle/error.h>
#include <wattle/quantity.h>

/* New references; NULL if out of memory. */
json_t *wtl_json_number(double value);   /* NaN, infinite: null */
json_t *wtl_json_count(uint64_t value);  /* beyond 2^63: a real */
json_t *wtl_json_text(const char *text); /* NULL: null */

/*
 * An object or array under construction. It takes ownership of values; a value that is NULL (out of memory)
 * makes the whole fail, so only the end must be checked.
 */
struct wtl_json {
    json_t *json;
    int failed;
};

struct wtl_json wtl_json_object(void);
struct wtl_json wtl_json_array(void);
/* An object that starts with its schema and the version of wattle, as every document. */
struct wtl_json wtl_json_document(const char *schema);
void wtl_json_set(struct wtl_json *object, const char *key, json_t *value);
void wtl_json_add(struct wtl_json *array, json_t *value);

/* The finished value, a new reference; NULL if anything failed. */
json_t *wtl_json_done(struct wtl_json *value);

/* Dump a value with jansson's flags. Characters of texts that steer a terminal or turn what surrounds them (base/utf8.h) are
 * \uXXXX, which is the same text. -ENOMEM; errors of the stream stay in it. */
int wtl_json_write(FILE *out, const json_t *value, size_t flags);

/* The same for a part of jansson's output (whole characters), in pieces that stdio can buffer
 * (base/flush.h). */
void wtl_json_put(FILE *out, const char *text, size_t n);

/* Print a document with an indent of two and a final line break, and drop the reference. Returns 0, or
 * -ENOMEM if document is NULL. Errors of the stream stay in it. */
int wtl_json_print(FILE *out, json_t *document);

/* Read a document from a file of unknown origin: a new reference in *ret_document. Returns -EBADMSG if it
 * is not a JSON object, -EFBIG beyond 256 MB, or the errno of reading, with a message. */
int wtl_json_read(const char *path, json_t **ret_document, struct wattle_error *err);

#endif
