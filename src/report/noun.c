/* SPDX-License-Identifier: BSD-3-Clause */
/* Nouns as JSON, CSV and text: see noun.h. */
#include "report/noun.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "report/json_value.h"
#include "report/packed.h"

enum { CELL = 64 };

void wtl_value_noun(struct wtl_value *ret, const void *noun)
{
    ret->noun = noun;
    ret->known = noun != NULL;
}

void wtl_value_copy(struct wtl_value *ret, const void *noun, size_t size)
{
    memcpy(&ret->room, noun, size);
    wtl_value_noun(ret, &ret->room);
}

void wtl_value_bool(struct wtl_value *ret, bool is)
{
    ret->boolean = is;
    ret->known = true;
}

bool wtl_next_struct(struct wtl_value *ret,
                     size_t *cursor,
                     const void *first,
                     size_t count,
                     size_t size)
{
    if (*cursor >= count)
        return false;
    ret->noun = (const char *)first + (*cursor)++ * size;
    return true;
}

bool wtl_next_word(struct wtl_value *ret, size_t *cursor, const char *words)
{
    const char *at = words + *cursor;
    size_t n = strcspn(at, ",");
    (void)snprintf(ret->room.bytes, sizeof ret->room.bytes, "%.*s", (int)n, at);
    ret->text = ret->room.bytes;
    *cursor += n + strspn(at + n, ", ");
    return *at != '\0';
}

void wtl_value_number(struct wtl_value *ret, double number)
{
    ret->number = number;
    ret->known = isfinite(number);
}

void wtl_value_count(struct wtl_value *ret, uint64_t count)
{
    ret->count = count;
    ret->known = true;
}

void wtl_value_integer(struct wtl_value *ret, int64_t integer, bool known)
{
    ret->integer = integer;
    ret->is_signed = true;
    ret->known = known;
}

void wtl_value_text(struct wtl_value *ret, const char *text)
{
    ret->text = text;
    ret->known = text != NULL;
}

static const void *place_of(const struct wtl_member *member, const void *of)
{
    return (const char *)of + member->offset;
}

void wtl_get_double(const struct wtl_member *member, const void *of, struct wtl_value *ret)
{
    wtl_value_number(ret, *(const double *)place_of(member, of));
}

void wtl_get_u64(const struct wtl_member *member, const void *of, struct wtl_value *ret)
{
    wtl_value_count(ret, *(const uint64_t *)place_of(member, of));
}

void wtl_get_size(const struct wtl_member *member, const void *of, struct wtl_value *ret)
{
    wtl_value_count(ret, *(const size_t *)place_of(member, of));
}

void wtl_get_unsigned(const struct wtl_member *member, const void *of, struct wtl_value *ret)
{
    wtl_value_count(ret, *(const unsigned *)place_of(member, of));
}

void wtl_get_int(const struct wtl_member *member, const void *of, struct wtl_value *ret)
{
    wtl_value_integer(ret, *(const int *)place_of(member, of), true);
}

void wtl_get_seconds(const struct wtl_member *member, const void *of, struct wtl_value *ret)
{
    wtl_value_number(ret, (double)*(const uint64_t *)place_of(member, of) * 1e-9);
}

void wtl_get_u64_or_null(const struct wtl_member *member, const void *of, struct wtl_value *ret)
{
    wtl_get_u64(member, of, ret);
    ret->known = ret->count > 0;
}

void wtl_get_int_or_null(const struct wtl_member *member, const void *of, struct wtl_value *ret)
{
    wtl_get_int(member, of, ret);
    ret->known = ret->integer >= 0;
}

void wtl_get_switch(const struct wtl_member *member, const void *of, struct wtl_value *ret)
{
    wtl_get_int_or_null(member, of, ret);
    ret->boolean = ret->integer > 0;
}

void wtl_get_bool(const struct wtl_member *member, const void *of, struct wtl_value *ret)
{
    wtl_value_bool(ret, *(const bool *)place_of(member, of));
}

void wtl_get_text(const struct wtl_member *member, const void *of, struct wtl_value *ret)
{
    wtl_value_text(ret, *(const char *const *)place_of(member, of));
}

void wtl_get_name(const struct wtl_member *member, const void *of, struct wtl_value *ret)
{
    const char *name = place_of(member, of);
    wtl_value_text(ret, name[0] || !member->nullable ? name : NULL);
}

void wtl_get_chars(const struct wtl_member *member, const void *of, struct wtl_value *ret)
{
    wtl_value_text(ret, place_of(member, of));
}

void wtl_get_here(const struct wtl_member *member, const void *of, struct wtl_value *ret)
{
    wtl_value_noun(ret, place_of(member, of));
}

void wtl_get_there(const struct wtl_member *member, const void *of, struct wtl_value *ret)
{
    wtl_value_noun(ret, *(const void *const *)place_of(member, of));
}

void wtl_get_word(const struct wtl_member *member, const void *of, struct wtl_value *ret)
{
    wtl_value_text(ret, member->words[*(const unsigned *)place_of(member, of)]);
}

/* The next item of a list; see wtl_member.next. */
static bool next_item(const struct wtl_member *member,
                      const void *of,
                      size_t *cursor,
                      struct wtl_value *ret)
{
    if (member->next)
        return member->next(of, cursor, ret);
    const char *at = (const char *)of + member->items.count;
    bool narrow = member->items.count_size == sizeof(uint32_t);
    size_t count = narrow ? *(const uint32_t *)(const void *)at : *(const size_t *)(const void *)at;
    if (!wtl_next_struct(ret, cursor, *(const void *const *)place_of(member, of), count,
                         member->items.size))
        return false;
    const char *value = (const char *)ret->noun + member->items.at;
    if (member->type == WTL_MEMBER_NUMBERS)
        ret->number = *(const double *)(const void *)value;
    else if (member->type == WTL_MEMBER_PACKED)
        ret->number = (double)*(const float *)(const void *)value;
    else if (!member->of)
        ret->text = member->items.addresses ? *(const char *const *)(const void *)value : value;
    return true;
}

static void get(const struct wtl_member *member, const void *of, struct wtl_value *ret)
{
    ret->known = ret->is_signed = ret->boolean = false;
    ret->number = (double)NAN;
    ret->count = 0;
    ret->integer = 0;
    ret->text = ret->key = NULL;
    if (member->via)
        memcpy(&of, (const char *)of + member->via - 1, sizeof of);
    ret->noun = of;
    ret->made = NULL;
    if (!of) /* it is unknown, as the part that it is of; what is so or not is not so */
        ret->known = member->type == WTL_MEMBER_BOOLEAN && !member->nullable;
    else if (member->get)
        member->get(member, of, ret);
    else /* a list or map of the noun itself; that is there only at times: where its first item is told */
        ret->known = member->next || (!member->when && !member->nullable) ||
                     *(const void *const *)place_of(member, of);
}

/* ---- JSON ---- */

static void set_members(struct wtl_json *object, const struct wtl_noun *noun, const void *of);

static json_t *integer_of(const struct wtl_value *value)
{
    return value->is_signed ? json_integer(value->integer) : wtl_json_count(value->count);
}

static json_t *pair_of(const struct wtl_value *item)
{
    struct wtl_json pair = wtl_json_array();
    wtl_json_add(&pair, wtl_json_text(item->key));
    wtl_json_add(&pair, wtl_json_text(item->text));
    return wtl_json_done(&pair);
}

static json_t *item_of(const struct wtl_member *member, const struct wtl_value *item)
{
    if (member->of)
        return wtl_noun_json(member->of, item->noun);
    switch (member->type) {
    case WTL_MEMBER_NUMBERS:
        return wtl_json_number(item->number);
    case WTL_MEMBER_INTEGERS:
        return integer_of(item);
    case WTL_MEMBER_PAIRS:
        return pair_of(item);
    default:
        return wtl_json_text(item->text);
    }
}

static json_t *items_of(const struct wtl_member *member, const void *of)
{
    bool map = member->type == WTL_MEMBER_MAP;
    struct wtl_json items = map ? wtl_json_object() : wtl_json_array();
    struct wtl_value item = {.known = true};
    for (size_t cursor = 0; next_item(member, of, &cursor, &item);) {
        if (map)
            wtl_json_set(&items, item.key, item_of(member, &item));
        else
            wtl_json_add(&items, item_of(member, &item));
    }
    return wtl_json_done(&items);
}

static json_t *packed_of(const struct wtl_member *member, const void *of)
{
    struct wtl_value item = {.known = true};
    float *values = NULL;
    size_t count = 0;
    int rc = 0;
    for (size_t cursor = 0; rc == 0 && next_item(member, of, &cursor, &item);)
        if ((rc = wtl_grow(&values, count, sizeof *values)) == 0)
            values[count++] = (float)item.number;
    json_t *packed = rc < 0 ? NULL : wtl_json_packed(values, count);
    free(values);
    return packed;
}

static json_t *json_of(const struct wtl_member *member, const struct wtl_value *value)
{
    if (!value->known)
        return json_null();
    if (value->made)
        return json_incref(value->made);
    switch (member->type) {
    case WTL_MEMBER_NUMBER:
        return wtl_json_number(value->number);
    case WTL_MEMBER_INTEGER:
        return integer_of(value);
    case WTL_MEMBER_BOOLEAN:
        return json_boolean(value->boolean);
    case WTL_MEMBER_TEXT:
        return wtl_json_text(value->text);
    case WTL_MEMBER_LIST:
    case WTL_MEMBER_NUMBERS:
    case WTL_MEMBER_MAP:
    case WTL_MEMBER_INTEGERS:
    case WTL_MEMBER_PAIRS:
        return items_of(member, value->noun);
    case WTL_MEMBER_PACKED:
        return packed_of(member, value->noun);
    default:
        return wtl_noun_json(member->of, value->noun);
    }
}

static void set_members(struct wtl_json *object, const struct wtl_noun *noun, const void *of)
{
    for (const struct wtl_member *member = noun->members; member->key; member++) {
        struct wtl_value value;
        if (member->not_json)
            continue;
        get(member, of, &value);
        if (member->when && !value.known && (!member->nullable || !value.noun))
            continue;
        if (member->type == WTL_MEMBER_PART)
            set_members(object, member->of, value.noun);
        else
            wtl_json_set(object, member->key, json_of(member, &value));
    }
}

json_t *wtl_noun_json(const struct wtl_noun *noun, const void *of)
{
    struct wtl_json object = wtl_json_object();
    set_members(&object, noun, of);
    return wtl_json_done(&object);
}

json_t *wtl_noun_document(const char *schema, const struct wtl_noun *noun, const void *of)
{
    struct wtl_json document = wtl_json_document(schema);
    set_members(&document, noun, of);
    return wtl_json_done(&document);
}

/* ---- CSV ---- */

/* The column of member i of a noun; all: those that the part says. */
static unsigned column_of(const struct wtl_noun *noun, size_t i, const unsigned char *all)
{
    unsigned column = all ? all[i] : noun->members[i].csv;
    return column <= WTL_NOUN_COLUMNS ? column : 0;
}

static size_t add_columns(const struct wtl_noun *noun,
                          const unsigned char *all,
                          const char **names,
                          size_t count)
{
    for (size_t i = 0; noun->members[i].key; i++) {
        const struct wtl_member *member = &noun->members[i];
        unsigned column = column_of(noun, i, all);
        if (member->type == WTL_MEMBER_PART)
            count = add_columns(member->of, member->csv_all, names, count);
        if (column == 0)
            continue;
        names[column - 1] = member->csv_key ? member->csv_key : member->key;
        count = column > count ? column : count;
    }
    return count;
}

size_t wtl_noun_csv_columns(const struct wtl_noun *noun, const char *names[WTL_NOUN_COLUMNS])
{
    return add_columns(noun, NULL, names, 0);
}

size_t wtl_noun_csv_begin(struct wtl_row_writer *sheet,
                          FILE *out,
                          const char *what,
                          const struct wtl_noun *noun)
{
    const char *names[WTL_NOUN_COLUMNS];
    size_t count = wtl_noun_csv_columns(noun, names);
    wtl_row_writer_begin(sheet, out, WTL_ROW_WRITER_CSV, false, what);
    wtl_row_writer_columns(sheet, names, count);
    return count;
}

/* "INCOMPLETE; NOT ALONE"; NULL = there is none. */
static const char *joined(const struct wtl_member *member, const void *of, char *text, size_t n)
{
    struct wtl_value item = {.known = true};
    const char *between = member->between ? member->between : "; ";
    size_t used = 0;
    text[0] = '\0';
    for (size_t cursor = 0; used < n && next_item(member, of, &cursor, &item);)
        used += (size_t)snprintf(text + used, n - used, "%s%s", used ? between : "", item.text);
    return text[0] ? text : NULL;
}

struct csv_row {
    int digits; /* of numbers that do not say theirs */
    struct wtl_cell cells[WTL_NOUN_COLUMNS];
    char text[1024]; /* of one list */
};

static void fill_cell(struct csv_row *row,
                      unsigned column,
                      int digits,
                      const struct wtl_member *member,
                      const struct wtl_value *value)
{
    struct wtl_cell *cell = &row->cells[column - 1];
    if (!value->known)
        return;
    if (member->type == WTL_MEMBER_NUMBER)
        *cell = wtl_cell_number(value->number, digits ? digits : row->digits);
    else if (member->type == WTL_MEMBER_INTEGER)
        *cell = value->is_signed ? wtl_cell_number((double)value->integer, 17)
                                 : wtl_cell_count(value->count);
    else if (member->type == WTL_MEMBER_BOOLEAN)
        *cell = wtl_cell_count(value->boolean);
    else if (member->type == WTL_MEMBER_LIST)
        *cell = wtl_cell_text(joined(member, value->noun, row->text, sizeof row->text));
    else
        *cell = wtl_cell_text(value->text);
}

/* part: that has the noun's members; NULL = none has. */
static void fill_row(struct csv_row *row,
                     const struct wtl_noun *noun,
                     const struct wtl_member *part,
                     const void *of)
{
    for (size_t i = 0; noun->members[i].key; i++) {
        const struct wtl_member *member = &noun->members[i];
        unsigned column = column_of(noun, i, part ? part->csv_all : NULL);
        int digits = part && part->csv_digits ? part->csv_digits[i] : member->digits;
        struct wtl_value value;
        if (column == 0 && member->type != WTL_MEMBER_PART)
            continue;
        get(member, of, &value);
        if (member->type != WTL_MEMBER_PART)
            fill_cell(row, column, digits, member, &value);
        else if (value.known)
            fill_row(row, member->of, member, value.noun);
    }
}

void wtl_noun_csv_row(struct wtl_row_writer *sheet,
                      size_t count,
                      const struct wtl_noun *noun,
                      const void *of)
{
    struct csv_row row;
    memset(row.cells, 0, sizeof row.cells); /* empty ones */
    row.digits = sheet->digits ? sheet->digits : 9;
    fill_row(&row, noun, NULL, of);
    wtl_row_writer_row(sheet, row.cells, count);
}

/* ---- text ---- */

size_t wtl_noun_text_columns(const struct wtl_noun *noun,
                             struct wtl_column columns[WTL_NOUN_COLUMNS])
{
    size_t count = 0;
    for (const struct wtl_member *member = noun->members; member->key; member++) {
        if (member->text == 0 || member->text > WTL_NOUN_COLUMNS)
            continue;
        columns[member->text - 1] =
            (struct wtl_column){.title = member->heading, .right = !member->left};
        count = member->text > count ? member->text : count;
    }
    return count;
}

void wtl_noun_text_row(struct wtl_table *table,
                       enum wtl_emphasis emphasis,
                       const struct wtl_noun *noun,
                       const void *of)
{
    char texts[WTL_NOUN_COLUMNS][CELL];
    const char *cells[WTL_NOUN_COLUMNS] = {NULL};
    for (const struct wtl_member *member = noun->members; member->key; member++) {
        struct wtl_value value;
        if (member->text == 0 || member->text > WTL_NOUN_COLUMNS)
            continue;
        if (member->cell) {
            member->cell(of, texts[member->text - 1], CELL);
            cells[member->text - 1] = texts[member->text - 1];
        } else {
            get(member, of, &value); /* texts lie in the noun */
            cells[member->text - 1] = value.known ? value.text : "";
        }
    }
    wtl_table_row(table, emphasis, cells);
}
