/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nouns: what documents describe (a run, a channel, a region), each as a table of its members. From
 * this one table come the noun's JSON, its CSV rows, its text columns, its JSON Schema and its
 * table in docs/format: a new member is one more row.
 *
 * Each member says how its value is obtained from the struct of the noun; unknown is null in JSON
 * and an empty cell in CSV. If several members need the same computation, a function fills a struct
 * in the room of the value, and they are members of that struct. Texts for CSV and text columns
 * must not be in that room.
 */
#ifndef WTL_REPORT_NOUN_H
#define WTL_REPORT_NOUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "exchange/row_writer.h"
#include "model/energy.h"
#include "report/table.h"

enum wtl_member_type {
    WTL_MEMBER_NUMBER,
    WTL_MEMBER_INTEGER,
    WTL_MEMBER_BOOLEAN,
    WTL_MEMBER_TEXT,
    WTL_MEMBER_OBJECT,  /* of another noun */
    WTL_MEMBER_PART,    /* the members of another noun are included in this one */
    WTL_MEMBER_LIST,    /* of another noun, or of texts */
    WTL_MEMBER_NUMBERS, /* a list of numbers */
    WTL_MEMBER_MAP,     /* of another noun, or of texts, by keys that come from the data */
    WTL_MEMBER_INTEGERS,
    WTL_MEMBER_PACKED, /* a list of numbers as one text (packed.h) */
    WTL_MEMBER_PAIRS,  /* a list of [key, text] */
    WTL_MEMBER_ROWS    /* a list of lists of numbers and texts; only described */
};

/* One value. Values that the function of a member creates are stored in `room`. */
struct wtl_value {
    bool known; /* else null */
    double number;
    uint64_t count;
    int64_t integer; /* WTL_MEMBER_INTEGER: the value if is_signed, else it is in count */
    bool is_signed, boolean;
    const char *text, *key; /* key: in a map */
    const void *noun;
    json_t *made; /* not NULL: the value in JSON is already made; borrowed */
    union {
        long double most;
        char bytes[512];
    } room;
};

struct wtl_member;
struct wtl_noun;

typedef void wtl_member_get(const struct wtl_member *member, const void *of, struct wtl_value *ret);

struct wtl_member {
    const char *key; /* in JSON; arbitrary for a part, and for a member of CSV or text only */
    enum wtl_member_type type;
    const char *unit; /* NULL = by the suffix of the key (_j, _w, _s, _ms, _us, _ns), or none */
    const char *meaning;
    bool nullable;
    /* When the member is present, in words; it is omitted if it is unknown and not nullable, or
     * empty. NULL = always. */
    const char *when;
    wtl_member_get *get;
    size_t via;                /* 1 + offset of the pointer to its struct; 0: the struct itself */
    size_t offset;             /* for the functions below */
    const struct wtl_noun *of; /* NULL in a list or map: texts */
    /* The item at *cursor, which starts at 0; false: no more. NULL: the address of the first item
     * is at `offset`, their number at `items.count` (`items.count_size` bytes); a text is in the
     * item, or at the address in it. */
    bool (*next)(const void *of, size_t *cursor, struct wtl_value *ret);
    struct {
        size_t count, count_size, size, at; /* at: in each item */
        bool addresses;
    } items;
    const char *const *words; /* for wtl_get_word */

    bool not_json;
    unsigned csv;        /* its column in CSV, from 1; 0 = none */
    int digits;          /* significant digits in CSV; 0 = those of the sheet */
    const char *csv_key; /* NULL = key */
    const char *between; /* separator of a list of texts in CSV; NULL = "; " */
    const unsigned char
        *csv_all; /* part: columns of its members, in their order, instead of their own */
    const signed char *csv_digits; /* and their digits */

    unsigned text;       /* its column in text, from 1; 0 = none */
    const char *heading; /* its title */
    bool left;           /* aligned to the left */
    void (*cell)(const void *of, char *text, size_t n);
};

struct wtl_noun {
    const char *name;                 /* "channel" */
    const struct wtl_member *members; /* ended by a member without a key */
};

/* Signature of a function that reads a member. */
#define WTL_MEMBER_GET(name)                                                  \
    static void name(const struct wtl_member *member __attribute__((unused)), \
                     const void *of __attribute__((unused)), struct wtl_value *ret)

/* Members stored in the struct, at offset. */
wtl_member_get wtl_get_double, wtl_get_u64, wtl_get_size, wtl_get_unsigned, wtl_get_int,
    wtl_get_seconds /* uint64_t ns */, wtl_get_bool;
wtl_member_get wtl_get_text /* const char *; NULL: null */,
    wtl_get_name /* char[]; nullable: "" is null */;
wtl_member_get wtl_get_chars; /* char[]; "" is a text */
wtl_member_get wtl_get_u64_or_null /* 0: null */, wtl_get_int_or_null /* negative: null */;
wtl_member_get wtl_get_switch; /* an int as a boolean; negative: null */
wtl_member_get wtl_get_here;   /* an embedded struct, or the struct itself */
wtl_member_get wtl_get_there;  /* a struct that a pointer in the struct points to; NULL: null */
wtl_member_get wtl_get_word;   /* words[] of an enum */

/* Types and fields take no parentheses: NOLINTBEGIN(bugprone-macro-parentheses) */
#define WTL_NUMBER_AT(T, member) \
    .type = WTL_MEMBER_NUMBER, .get = wtl_get_double, .offset = offsetof(T, member)
#define WTL_COUNT_AT(T, member) \
    .type = WTL_MEMBER_INTEGER, .get = wtl_get_u64, .offset = offsetof(T, member)
#define WTL_SIZE_AT(T, member) \
    .type = WTL_MEMBER_INTEGER, .get = wtl_get_size, .offset = offsetof(T, member)
#define WTL_UNSIGNED_AT(T, member) \
    .type = WTL_MEMBER_INTEGER, .get = wtl_get_unsigned, .offset = offsetof(T, member)
#define WTL_INT_AT(T, member) \
    .type = WTL_MEMBER_INTEGER, .get = wtl_get_int, .offset = offsetof(T, member)
#define WTL_SECONDS_AT(T, member) \
    .type = WTL_MEMBER_NUMBER, .unit = "s", .get = wtl_get_seconds, .offset = offsetof(T, member)
#define WTL_BOOLEAN_AT(T, member) \
    .type = WTL_MEMBER_BOOLEAN, .get = wtl_get_bool, .offset = offsetof(T, member)
#define WTL_TEXT_AT(T, member) \
    .type = WTL_MEMBER_TEXT, .get = wtl_get_text, .offset = offsetof(T, member)
#define WTL_NAME_AT(T, member) \
    .type = WTL_MEMBER_TEXT, .get = wtl_get_name, .offset = offsetof(T, member)
#define WTL_CHARS_AT(T, member) \
    .type = WTL_MEMBER_TEXT, .get = wtl_get_chars, .offset = offsetof(T, member)
#define WTL_PART_AT(T, member, noun) \
    .type = WTL_MEMBER_PART, .get = wtl_get_here, .offset = offsetof(T, member), .of = &(noun)
#define WTL_OBJECT_AT(T, member, noun) \
    .type = WTL_MEMBER_OBJECT, .get = wtl_get_here, .offset = offsetof(T, member), .of = &(noun)
#define WTL_VIA(T, pointer) .via = 1 + offsetof(T, pointer)
#define WTL_PART_OF(T, member, noun) \
    .type = WTL_MEMBER_PART, .get = wtl_get_there, .offset = offsetof(T, member), .of = &(noun)
#define WTL_OBJECT_OF(T, member, noun) \
    .type = WTL_MEMBER_OBJECT, .get = wtl_get_there, .offset = offsetof(T, member), .of = &(noun)
#define WTL_COUNT_OR_NULL(T, member)                                          \
    .type = WTL_MEMBER_INTEGER, .nullable = true, .get = wtl_get_u64_or_null, \
    .offset = offsetof(T, member)
#define WTL_INT_OR_NULL(T, member)                                            \
    .type = WTL_MEMBER_INTEGER, .nullable = true, .get = wtl_get_int_or_null, \
    .offset = offsetof(T, member)
#define WTL_SWITCH_OR_NULL(T, member)                                    \
    .type = WTL_MEMBER_BOOLEAN, .nullable = true, .get = wtl_get_switch, \
    .offset = offsetof(T, member)
#define WTL_NUMBER_OR_NULL(T, member) WTL_NUMBER_AT(T, member), .nullable = true
#define WTL_TEXT_OR_NULL(T, member)   WTL_TEXT_AT(T, member), .nullable = true
#define WTL_WORD_AT(T, member, names) \
    .type = WTL_MEMBER_TEXT, .get = wtl_get_word, .words = (names), .offset = offsetof(T, member)
/* Lists: the struct has the address of the first item, and their number. */
#define WTL_ITEMS_AT(T, first, number, at, addresses)                                      \
    .offset = offsetof(T, first), .items = {offsetof(T, number), sizeof(((T *)0)->number), \
                                            sizeof *((T *)0)->first, at, addresses}
#define WTL_LIST_AT(T, first, number, noun) \
    .type = WTL_MEMBER_LIST, .of = &(noun), WTL_ITEMS_AT(T, first, number, 0, false)
/* Lists of `const char *`; of such pointers in structs; of names at the start of structs. */
#define WTL_TEXTS_AT(T, first, number) \
    .type = WTL_MEMBER_LIST, WTL_ITEMS_AT(T, first, number, 0, true)
#define WTL_TEXT_OF_EACH(T, first, number, U, text) \
    .type = WTL_MEMBER_LIST, WTL_ITEMS_AT(T, first, number, offsetof(U, text), true)
#define WTL_NAMES_AT(T, first, number) \
    .type = WTL_MEMBER_LIST, WTL_ITEMS_AT(T, first, number, 0, false)
#define WTL_PACKED_AT(T, first, number) \
    .type = WTL_MEMBER_PACKED, WTL_ITEMS_AT(T, first, number, 0, false)
#define WTL_NUMBERS_AT(T, first, number) \
    .type = WTL_MEMBER_NUMBERS, WTL_ITEMS_AT(T, first, number, 0, false)

/* NOLINTEND(bugprone-macro-parentheses) */

/* Set the value to a noun stored elsewhere (NULL: null), or to a copy of one in the value's room. */
void wtl_value_noun(struct wtl_value *ret, const void *noun);
void wtl_value_copy(struct wtl_value *ret, const void *noun, size_t size);
void wtl_value_bool(struct wtl_value *ret, bool is);

/* The next of `count` adjacent structs of this size; false: no more. For `next` functions. */
bool wtl_next_struct(struct wtl_value *ret,
                     size_t *cursor,
                     const void *first,
                     size_t count,
                     size_t size);
/* The next word of "GPUs, network", stored in the value's room. */
bool wtl_next_word(struct wtl_value *ret, size_t *cursor, const char *words);
void wtl_value_number(struct wtl_value *ret, double number); /* NaN: null */
void wtl_value_count(struct wtl_value *ret, uint64_t count);
void wtl_value_integer(struct wtl_value *ret, int64_t integer, bool known);
void wtl_value_text(struct wtl_value *ret, const char *text);

/* ---- forms ---- */

/* A new reference; NULL if out of memory. */
json_t *wtl_noun_json(const struct wtl_noun *noun, const void *of);

/* The same, added to a document that already has its schema. */
json_t *wtl_noun_document(const char *schema, const struct wtl_noun *noun, const void *of);

enum { WTL_NOUN_COLUMNS = 64 };

/* The names of a noun's CSV columns, in order; returns their number. */
size_t wtl_noun_csv_columns(const struct wtl_noun *noun, const char *names[WTL_NOUN_COLUMNS]);

/* Start a CSV with these columns; returns their number. */
size_t wtl_noun_csv_begin(struct wtl_row_writer *sheet,
                          FILE *out,
                          const char *what,
                          const struct wtl_noun *noun);

/* A row of `count` columns; this noun need not have all of them. */
void wtl_noun_csv_row(struct wtl_row_writer *sheet,
                      size_t count,
                      const struct wtl_noun *noun,
                      const void *of);

/* The columns of its text table (returns their number), and a row of it. */
size_t wtl_noun_text_columns(const struct wtl_noun *noun,
                             struct wtl_column columns[WTL_NOUN_COLUMNS]);
void wtl_noun_text_row(struct wtl_table *table,
                       enum wtl_emphasis emphasis,
                       const struct wtl_noun *noun,
                       const void *of);

/* ---- descriptions ---- */

enum { WTL_DOCUMENT_ROWS = 3 };

/* A document: the name of its schema ("wattle.run/1"), its description, and its noun. */
struct wtl_document {
    const char *schema, *title;
    const struct wtl_noun *noun;
    const struct wtl_noun *rows[WTL_DOCUMENT_ROWS]; /* of its CSV */
};

/* Its JSON Schema (draft 2020-12), a new reference; NULL if out of memory. */
json_t *wtl_document_schema(const struct wtl_document *document);

/* The noun of this name in documents (ended by one without schema); NULL: none. */
const struct wtl_noun *wtl_noun_find(const struct wtl_document *documents, const char *name);

/* The table of its members for docs/format; the names of its columns in CSV, "`run`, `name`". */
void wtl_noun_markdown(FILE *out, const struct wtl_noun *noun);
void wtl_noun_markdown_csv(FILE *out, const struct wtl_noun *noun);

#endif
