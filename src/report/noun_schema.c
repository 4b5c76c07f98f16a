/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptions of nouns: JSON Schema, and the tables in docs/format. */
#include <string.h>

#include "report/json_value.h"
#include "report/noun.h"

enum { NOUNS = 256, SLUG = 64 };

/* The nouns of a document, or of all, each once. */
struct nouns {
    const struct wtl_noun *list[NOUNS];
    size_t count;
};

/* parts: with those whose members stand among others. */
static void collect(struct nouns *nouns, const struct wtl_noun *noun, bool is_part, bool parts)
{
    for (size_t i = 0; i < nouns->count; i++)
        if (nouns->list[i] == noun)
            return;
    if (nouns->count == NOUNS)
        return;
    if (parts || !is_part)
        nouns->list[nouns->count++] = noun;
    for (const struct wtl_member *member = noun->members; member->key; member++)
        if (member->of)
            collect(nouns, member->of, member->type == WTL_MEMBER_PART, parts);
}

const struct wtl_noun *wtl_noun_find(const struct wtl_document *documents, const char *name)
{
    struct nouns nouns = {.count = 0};
    for (const struct wtl_document *document = documents; document->schema; document++) {
        collect(&nouns, document->noun, false, true);
        for (size_t i = 0; i < WTL_DOCUMENT_ROWS; i++)
            if (document->rows[i])
                collect(&nouns, document->rows[i], false, true);
    }
    for (size_t i = 0; i < nouns.count; i++)
        if (strcmp(nouns.list[i]->name, name) == 0)
            return nouns.list[i];
    return NULL;
}

/* ---- JSON Schema ---- */

/* "MPI rank" as MPI_rank. */
static const char *slug_of(const struct wtl_noun *noun, char slug[SLUG])
{
    (void)snprintf(slug, SLUG, "%s", noun->name);
    for (char *p = slug; *p; p++)
        *p = *p == ' ' ? '_' : *p;
    return slug;
}

static void set_reference(struct wtl_json *object, const struct wtl_noun *noun)
{
    char slug[SLUG], path[SLUG + 16];
    (void)snprintf(path, sizeof path, "#/$defs/%s", slug_of(noun, slug));
    wtl_json_set(object, "$ref", json_string(path));
}

static json_t *reference_to(const struct wtl_noun *noun)
{
    struct wtl_json o = wtl_json_object();
    set_reference(&o, noun);
    return wtl_json_done(&o);
}

static json_t *typed(const char *type)
{
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "type", json_string(type));
    return wtl_json_done(&o);
}

static const char *type_name(enum wtl_member_type type)
{
    static const char *const names[] = {
        [WTL_MEMBER_NUMBER] = "number",   [WTL_MEMBER_INTEGER] = "integer",
        [WTL_MEMBER_BOOLEAN] = "boolean", [WTL_MEMBER_TEXT] = "string",
        [WTL_MEMBER_OBJECT] = "object",   [WTL_MEMBER_PART] = "object",
        [WTL_MEMBER_LIST] = "array",      [WTL_MEMBER_NUMBERS] = "array",
        [WTL_MEMBER_MAP] = "object",      [WTL_MEMBER_INTEGERS] = "array",
        [WTL_MEMBER_PACKED] = "string",   [WTL_MEMBER_PAIRS] = "array",
        [WTL_MEMBER_ROWS] = "array"};
    return names[type];
}

static json_t *type_of(const struct wtl_member *member)
{
    if (!member->nullable)
        return json_string(type_name(member->type));
    struct wtl_json both = wtl_json_array();
    wtl_json_add(&both, json_string(type_name(member->type)));
    wtl_json_add(&both, json_string("null"));
    return wtl_json_done(&both);
}

static json_t *object_or_null(const struct wtl_noun *noun)
{
    struct wtl_json either = wtl_json_array();
    wtl_json_add(&either, reference_to(noun));
    wtl_json_add(&either, typed("null"));
    return wtl_json_done(&either);
}

/* What the items of a list are, or the values of a map. */
static json_t *item_of(const struct wtl_member *member)
{
    const struct wtl_member number = {.type = WTL_MEMBER_NUMBER, .nullable = true};
    struct wtl_json o = wtl_json_object();
    if (member->of)
        set_reference(&o, member->of);
    else if (member->type == WTL_MEMBER_NUMBERS)
        wtl_json_set(&o, "type", type_of(&number));
    else if (member->type == WTL_MEMBER_INTEGERS)
        wtl_json_set(&o, "type", json_string("integer"));
    else if (member->type == WTL_MEMBER_ROWS) {
        wtl_json_set(&o, "type", json_string("array"));
        wtl_json_set(&o, "items", json_pack("{s[sss]}", "type", "number", "string", "null"));
    } else if (member->type == WTL_MEMBER_PAIRS) {
        wtl_json_set(&o, "type", json_string("array"));
        wtl_json_set(&o, "items", typed("string"));
    } else {
        wtl_json_set(&o, "type", json_string("string"));
    }
    return wtl_json_done(&o);
}

/* Units are in the names. */
static const char *unit_of(const struct wtl_member *member)
{
    static const char *const ends[][2] = {{"_j", "J"},   {"_w", "W"},   {"_s", "s"},
                                          {"_ms", "ms"}, {"_us", "us"}, {"_ns", "ns"}};
    const char *end = strrchr(member->key, '_');
    bool counts = member->type == WTL_MEMBER_NUMBER || member->type == WTL_MEMBER_INTEGER;
    for (size_t i = 0; counts && end && i < sizeof ends / sizeof *ends; i++)
        if (!member->unit && strcmp(end, ends[i][0]) == 0)
            return ends[i][1];
    return member->unit;
}

static json_t *property_of(const struct wtl_member *member)
{
    bool map = member->type == WTL_MEMBER_MAP;
    const char *unit = unit_of(member);
    struct wtl_json o = wtl_json_object();
    if (member->type == WTL_MEMBER_OBJECT && member->nullable)
        wtl_json_set(&o, "anyOf", object_or_null(member->of));
    else if (member->type == WTL_MEMBER_OBJECT)
        set_reference(&o, member->of);
    else
        wtl_json_set(&o, "type", type_of(member));
    if (map || strcmp(type_name(member->type), "array") == 0)
        wtl_json_set(&o, map ? "additionalProperties" : "items", item_of(member));
    if (member->meaning && member->meaning[0])
        wtl_json_set(&o, "description", json_string(member->meaning));
    if (unit)
        wtl_json_set(&o, "unit", json_string(unit));
    return wtl_json_done(&o);
}

static void set_properties(struct wtl_json *properties,
                           struct wtl_json *required,
                           const struct wtl_noun *noun,
                           const char *when)
{
    for (const struct wtl_member *member = noun->members; member->key; member++) {
        if (member->not_json)
            continue;
        if (member->type == WTL_MEMBER_PART) {
            set_properties(properties, required, member->of, member->when ? member->when : when);
            continue;
        }
        wtl_json_set(properties, member->key, property_of(member));
        if (!member->when && !when)
            wtl_json_add(required, json_string(member->key));
    }
}

/* schema: the name of the document that it is; NULL = it is part of one. */
static void set_object(struct wtl_json *o, const struct wtl_noun *noun, const char *schema)
{
    struct wtl_json properties = wtl_json_object(), required = wtl_json_array();
    if (schema) {
        struct wtl_json name = wtl_json_object();
        wtl_json_set(&name, "const", json_string(schema));
        wtl_json_set(&properties, "schema", wtl_json_done(&name));
        wtl_json_set(&properties, "wattle_version", typed("string"));
        wtl_json_add(&required, json_string("schema"));
        wtl_json_add(&required, json_string("wattle_version"));
    }
    set_properties(&properties, &required, noun, NULL);
    wtl_json_set(o, "type", json_string("object"));
    wtl_json_set(o, "properties", wtl_json_done(&properties));
    wtl_json_set(o, "required", wtl_json_done(&required));
}

json_t *wtl_document_schema(const struct wtl_document *document)
{
    struct wtl_json o = wtl_json_object(), parts = wtl_json_object();
    struct nouns nouns = {.count = 0};
    char slug[SLUG];
    collect(&nouns, document->noun, false, false);
    for (size_t i = 1; i < nouns.count; i++) {
        struct wtl_json part = wtl_json_object();
        set_object(&part, nouns.list[i], NULL);
        wtl_json_set(&parts, slug_of(nouns.list[i], slug), wtl_json_done(&part));
    }
    wtl_json_set(&o, "$schema", json_string("https://json-schema.org/draft/2020-12/schema"));
    wtl_json_set(&o, "title", json_string(document->schema));
    wtl_json_set(&o, "description", json_string(document->title));
    set_object(&o, document->noun, document->schema);
    wtl_json_set(&o, "$defs", wtl_json_done(&parts));
    return wtl_json_done(&o);
}

/* ---- tables for docs/format ---- */

static void print_type(FILE *out, const struct wtl_member *member)
{
    static const char *const words[] = {
        [WTL_MEMBER_NUMBER] = "number",       [WTL_MEMBER_INTEGER] = "integer",
        [WTL_MEMBER_BOOLEAN] = "boolean",     [WTL_MEMBER_TEXT] = "text",
        [WTL_MEMBER_OBJECT] = "object",       [WTL_MEMBER_PART] = "",
        [WTL_MEMBER_LIST] = "array",          [WTL_MEMBER_NUMBERS] = "array of numbers",
        [WTL_MEMBER_MAP] = "object",          [WTL_MEMBER_INTEGERS] = "array of integers",
        [WTL_MEMBER_PACKED] = "packed",       [WTL_MEMBER_PAIRS] = "array of [text, text]",
        [WTL_MEMBER_ROWS] = "array of arrays"};
    const char *unit = unit_of(member);
    (void)fputs(words[member->type], out);
    if (member->type == WTL_MEMBER_LIST && !member->of)
        (void)fputs(" of text", out);
    if (unit)
        (void)fprintf(out, " [%s]", unit);
    if (member->nullable)
        (void)fputs(" or null", out);
}

static void print_rows(FILE *out, const struct wtl_noun *noun, const char *of_part)
{
    for (const struct wtl_member *member = noun->members; member->key; member++) {
        if (member->not_json)
            continue;
        if (member->type == WTL_MEMBER_PART) {
            print_rows(out, member->of, member->when ? member->when : of_part);
            continue;
        }
        const char *when = member->when ? member->when : of_part;
        (void)fprintf(out, "| `%s` | ", member->key);
        print_type(out, member);
        (void)fprintf(out, " | %s%s%s%s |\n", when ? "only with " : "", when ? when : "",
                      when ? ": " : "", member->meaning ? member->meaning : "");
    }
}

void wtl_noun_markdown(FILE *out, const struct wtl_noun *noun)
{
    (void)fputs("| field | type | meaning |\n|---|---|---|\n", out);
    print_rows(out, noun, NULL);
}

void wtl_noun_markdown_csv(FILE *out, const struct wtl_noun *noun)
{
    const char *names[WTL_NOUN_COLUMNS];
    size_t count = wtl_noun_csv_columns(noun, names);
    for (size_t i = 0; i < count; i++)
        (void)fprintf(out, "%s`%s`", i ? ", " : "", names[i]);
    (void)fputc('\n', out);
}
