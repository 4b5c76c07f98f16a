/* SPDX-License-Identifier: BSD-3-Clause */
/* A report without what identifies people and machines: see redact.h. */
#define _GNU_SOURCE
#include "report/redact.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cluster/run.h"
#include "analysis/cluster/run_names.h"
#include "base/parse.h"
#include "model/flag.h"
#include "model/meta_key.h"

/* What becomes of the texts of a member. */
enum rule { DROP, KEEP, NAME, NODE, RUN, PROGRAM, FIRST_WORD, NUMBER };

struct member {
    const char *parent, *key; /* parent NULL: of any object */
    enum rule rule;
};

/* The first that fits counts. */
static const struct member members[] = {
    {"extremes", "least", NODE},
    {"extremes", "median", NODE},
    {"extremes", "most", NODE},
    {"nodes", "name", NODE},
    {"nodes", "node", NODE},
    {"letters", "name", KEEP},
    {"absent", "name", NODE},
    {"heat", "first", NODE},
    {"heat", "last", NODE},
    {"flags", "first_node", NODE},
    {"flags", "name", KEEP},
    {"runs", "name", RUN},
    {"labels", "run", RUN},
    {"labels", NULL, NAME},
    {"cases", "values", NAME},
    {"cases", "name", DROP},
    {"differences", "key", NAME},
    {"work", "unit", NAME},
    {"lanes", "name", PROGRAM},
    {"lanes", "process", NUMBER},
    {"lanes", "thread", NUMBER},
    {"types", "kind", KEEP},
    {"tiles", "data", KEEP},
    {"waste", "problem", KEEP},
    {"rows", "name", PROGRAM},
    {"rows", "process", NUMBER},
    {"rows", "thread", NUMBER},
    {"flag_texts", NULL, KEEP},
    {NULL, "command", PROGRAM},
    {NULL, "target", FIRST_WORD},
    {NULL, "name", NAME},
    {NULL, "names", NAME},
    {NULL, "channel", NAME},
    {NULL, "channels", NAME},
    {NULL, "within", NAME},
    {NULL, "part", NAME},
    {NULL, "parts", NAME},
    {NULL, "keys", NAME},
    {NULL, "contains", NAME},
    {NULL, "excludes", NAME},
    {NULL, "not_measured", NAME},
    {NULL, "schema", KEEP},
    {NULL, "wattle_version", KEEP},
    {NULL, "domain", KEEP},
    {NULL, "sensor", KEEP},
    {NULL, "quantity", KEEP},
    {NULL, "method", KEEP},
    {NULL, "letter", KEEP},
    {NULL, "counters", NAME},
    {NULL, "relevant", NAME},
    {NULL, "counter_set", NAME},
    {NULL, "multiplexed", NAME},
    {NULL, "unit", KEEP},
    {NULL, "quality", KEEP},
    {NULL, "simulates", KEEP},
    {NULL, "begin", KEEP},
    {NULL, "end", KEEP},
    {NULL, "share", KEEP},
    {NULL, "share_rule", KEEP},
    {NULL, "share_counters", KEEP},
    {NULL, "min", KEEP},
    {NULL, "mean", KEEP},
    {NULL, "max", KEEP},
    {NULL, "sum", KEEP},
    {NULL, "q1", KEEP},
    {NULL, "median", KEEP},
    {NULL, "q3", KEEP},
    {NULL, "covered", KEEP},
    {NULL, "inside", KEEP},
    {NULL, "power", KEEP},
    {NULL, "by", KEEP},
    {NULL, "clock", KEEP},
    {NULL, "verdict", KEEP},
    {NULL, "governor", KEEP},
    {NULL, "epp", KEEP},
    {NULL, "reason", KEEP},
    {NULL, "error", KEEP},
    {NULL, "doubt", KEEP},
    {NULL, "marks", KEEP},
    {NULL, "flags", KEEP},
};

/* Metadata that says what kind of machine it was and how it was measured. */
static const char *const facts[] = {WTL_META_WATTLE_VERSION,
                                    WTL_META_CLOCK_NAME,
                                    WTL_META_MEMORY_BYTES,
                                    WTL_META_KERNEL_SYSTEM,
                                    WTL_META_KERNEL_RELEASE,
                                    WTL_META_KERNEL_MACHINE,
                                    WTL_META_NUMA_NODES,
                                    WTL_META_SYSTEM_LOAD,
                                    WTL_META_MACHINE_CPU_S,
                                    WTL_META_PROCESS_CPU_S,
                                    WTL_META_PROCESS_ENERGY_SHARE_J,
                                    WTL_META_PROCESS_IDLE_J,
                                    WTL_META_PROCESS_MAX_RSS_BYTES,
                                    WTL_META_PROCESS_OTHERS_J,
                                    WTL_META_PROCESS_SHARE_QUALITY,
                                    WTL_META_PROCESS_SHARE_RULE,
                                    WTL_META_PROCESS_SHARE_COUNTERS,
                                    WTL_META_PROCESS_UNATTRIBUTED_J,
                                    WTL_META_MPI_RANKS,
                                    NULL};
static const char *const families[] = {"cpu.", "sampler.", "own.", "idle.", NULL};

struct wtl_redactor {
    json_t *secrets; /* object: names of hosts and nodes, ids */
    json_t *given;   /* object: what a text or number became */
    json_t *made;    /* array: texts that were handed out */
    size_t nodes, runs, names, numbers;
    bool failed;
};

static void set_member(struct wtl_redactor *r, json_t *object, const char *key, json_t *value)
{
    r->failed |= json_object_set_new_nocheck(object, key, value) < 0;
}

/* ---- what a text becomes ---- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Is it in the text as a word of its own, in capitals or not? */
static bool holds(const char *text, const char *secret)
{
    size_t n = strlen(secret);
    for (const char *at = text; n > 0 && (at = strcasestr(at, secret)) != NULL; at++)
        if ((at == text || !is_word(at[-1])) && !is_word(at[n]))
            return true;
    return false;
}

/* Four numbers with marks between them: 10.0.0.1, 00:11:22:33:44:55, fe80:0:0:1 (fe80::1 is found by its two marks). */
static bool is_address(const char *text, char mark, const char *digits, size_t most)
{
    size_t numbers = 0, n;
    for (; numbers < 4 && (n = strspn(text, digits)) > 0 && n <= most; numbers++) {
        text += n;
        if (*text != mark)
            return numbers == 3;
        text++;
    }
    return numbers == 4;
}

/* A path, an address, the name of a host. */
static bool identifies(const struct wtl_redactor *r, const char *text)
{
    const char *secret;
    json_t *value;
    if (strpbrk(text, "/\\@~") || strstr(text, "::"))
        return true;
    for (const char *at = text; *at; at++)
        if ((at == text || !is_word(at[-1])) && (is_address(at, '.', "0123456789", 3) ||
                                                 is_address(at, ':', "0123456789abcdefABCDEF", 4)))
            return true;
    json_object_foreach(r->secrets, secret, value) if (holds(text, secret)) return true;
    return false;
}

/* "node 3": the same for the same text wherever it is. Borrowed. */
static const char *alias(struct wtl_redactor *r, const char *kind, size_t *count, const char *text)
{
    char key[64], name[64];
    (void)snprintf(name, sizeof name, "%s %zu", kind, *count + 1);
    (void)snprintf(key, sizeof key, "%s:", kind);
    json_t *of_kind = json_object_get(r->given, key);
    if (!of_kind) {
        set_member(r, r->given, key, json_object());
        of_kind = json_object_get(r->given, key);
    }
    if (!json_object_get(of_kind, text)) {
        set_member(r, of_kind, text, json_string(name));
        (*count)++;
    }
    const char *given = json_string_value(json_object_get(of_kind, text));
    return given ? given : "";
}

/* The first word; of a program its name without the folder. NULL: there is none that is plain. */
static json_t *first_word(const char *text, bool program)
{
    size_t n = strcspn(text, " "), from = n;
    while (program && from > 0 && text[from - 1] != '/')
        from--;
    from = program ? from : 0;
    for (size_t i = from; i < n; i++)
        if (!isalnum((unsigned char)text[i]) && !strchr("._+-", text[i]))
            return json_null();
    return n > from ? json_stringn(text + from, n - from) : json_null();
}

/* A program may be named after its host. */
static json_t *named_program(const struct wtl_redactor *r, json_t *word)
{
    if (!json_is_string(word) || !identifies(r, json_string_value(word)))
        return word;
    json_decref(word);
    return json_null();
}

static json_t *redacted(struct wtl_redactor *r, enum rule rule, const char *text)
{
    switch (rule) {
    case KEEP:
        return json_string(text);
    case NAME: /* a label may be the name of the run */
        if (json_object_get(json_object_get(r->given, "run:"), text))
            return json_string(alias(r, "run", &r->runs, text));
        return json_string(identifies(r, text) ? alias(r, "name", &r->names, text) : text);
    case NODE:
        return json_string(alias(r, "node", &r->nodes, text));
    case RUN:
        return json_string(alias(r, "run", &r->runs, text));
    case PROGRAM:
    case FIRST_WORD:
        return named_program(r, first_word(text, rule == PROGRAM));
    case DROP:
    case NUMBER:
        break;
    }
    return json_null();
}

/* ---- the tree ---- */

static enum rule rule_of(const char *parent, const char *key)
{
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const struct member *m = &members[i];
        if ((!m->parent || strcmp(m->parent, parent) == 0) && (!m->key || strcmp(m->key, key) == 0))
            return m->rule;
    }
    return DROP;
}

static const char *meaning_of(const char *flag)
{
    const struct wtl_flag_kind *kind = flag ? wtl_flag_kind(wtl_flag_rank(flag)) : NULL;
    return kind && kind->name ? kind->meaning : "";
}

/* A number of the system becomes one of ours, counted from 1. */
static json_t *renumbered(struct wtl_redactor *r, const json_t *value)
{
    char text[32];
    uint64_t number = 0;
    (void)snprintf(text, sizeof text, "%lld", (long long)json_integer_value(value));
    (void)wtl_parse_u64(alias(r, "number", &r->numbers, text) + strlen("number "), &number);
    return json_integer((json_int_t)number);
}

static void walk(struct wtl_redactor *r, json_t *value, const char *parent, const char *of);

/* The value of a member, or of an element of its array: `of` is the key, `parent` that of the object around it. */
static json_t *changed(struct wtl_redactor *r, json_t *value, const char *parent, const char *of)
{
    enum rule rule = rule_of(parent, of);
    if (json_is_string(value))
        return redacted(r, rule, json_string_value(value));
    if (json_is_integer(value) && rule == NUMBER)
        return renumbered(r, value);
    walk(r, value, parent, of);
    return json_incref(value);
}

static void walk(struct wtl_redactor *r, json_t *value, const char *parent, const char *of)
{
    const char *key;
    json_t *member;
    size_t i;
    if (json_is_array(value)) {
        json_array_foreach(value, i, member) r->failed |=
            json_array_set_new(value, i, changed(r, member, parent, of)) < 0;
    } else if (json_is_object(value)) {
        const char *meaning = meaning_of(json_string_value(json_object_get(value, "name")));
        bool is_flag = strcmp(of, "flags") == 0, texts = strcmp(of, "flag_texts") == 0;
        json_object_foreach(value, key, member)
        {
            bool general = texts || (is_flag && strcmp(key, "text") == 0);
            set_member(r, value, key,
                       general ? json_string(texts ? meaning_of(key) : meaning)
                               : changed(r, member, of, key));
        }
    }
}

/* ---- what needs more than its member's name ---- */

void wtl_redactor_add_secret(struct wtl_redactor *r, const char *text)
{
    if (!r || !text || !text[0])
        return;
    set_member(r, r->secrets, text, json_true());
    char host[256]; /* "n1" of "n1.example.org" */
    size_t n = strcspn(text, ".");
    if (text[n] && n > 0 && n < sizeof host && text[strspn(text, "0123456789.")]) {
        (void)snprintf(host, sizeof host, "%.*s", (int)n, text);
        set_member(r, r->secrets, host, json_true());
    }
}

static void add_secret(struct wtl_redactor *r, const json_t *text)
{
    wtl_redactor_add_secret(r, json_string_value(text));
}

static bool is_fact(const char *key)
{
    bool found = false;
    for (size_t i = 0; facts[i]; i++)
        found |= strcmp(facts[i], key) == 0;
    for (size_t i = 0; families[i]; i++)
        found |= wtl_meta_after(key, families[i]) != NULL;
    return found;
}

static const char *const secret[] = {WTL_META_HOST_NAME, WTL_META_NODE_NAME, WTL_META_NODE_KEY,
                                     WTL_META_RUN_ID, NULL};

/* Names of the host and the job become secrets; only facts are kept. */
static json_t *take_provenance(struct wtl_redactor *r, const json_t *pairs)
{
    json_t *kept = json_array(), *pair;
    size_t i;
    json_array_foreach(pairs, i, pair)
    {
        const char *key = json_string_value(json_array_get(pair, 0));
        for (size_t k = 0; key && secret[k]; k++)
            if (strcmp(key, secret[k]) == 0)
                add_secret(r, json_array_get(pair, 1));
        if (key && is_fact(key))
            r->failed |= json_array_append(kept, pair) < 0;
    }
    return kept;
}

static void take_run(struct wtl_redactor *r, const json_t *run)
{
    json_t *node;
    size_t i;
    add_secret(r, json_object_get(run, "host"));
    add_secret(r, json_object_get(run, "run_id"));
    json_array_foreach(json_object_get(run, "nodes"), i, node)
        add_secret(r, json_object_get(node, "name"));
    json_array_foreach(json_object_get(run, "absent"), i, node)
        add_secret(r, json_object_get(node, "name"));
}

/* Cases are called by their values. */
static void name_cases(struct wtl_redactor *r, const json_t *document)
{
    json_t *one, *value;
    size_t i, k;
    json_array_foreach(json_object_get(json_object_get(document, "study"), "cases"), i, one)
    {
        char name[1024] = "";
        json_array_foreach(json_object_get(one, "values"), k, value)
        {
            size_t used = strlen(name);
            (void)snprintf(name + used, sizeof name - used, "%s%s", k ? ", " : "",
                           json_string_value(value) ? json_string_value(value) : "");
        }
        set_member(r, one, "name", json_string(name));
    }
}

static void drop(const struct wtl_redactor *r)
{
    json_decref(r->secrets);
    json_decref(r->given);
    json_decref(r->made);
}

int wtl_redact(json_t *document, struct wtl_redactor *r)
{
    json_t *runs = json_object_get(document, "runs"), *run = json_object_get(document, "run"), *one;
    json_t *provenance = json_object_get(document, "provenance");
    json_t *kept = provenance ? take_provenance(r, provenance) : NULL;
    size_t i;
    take_run(r, run);
    json_array_foreach(runs, i, one) take_run(r, one);
    if (kept)
        set_member(r, document, "provenance", json_null());
    walk(r, document, "", "");
    if (kept)
        set_member(r, document, "provenance", kept);
    name_cases(r, document);
    const json_t *command = json_object_get(run ? run : json_array_get(runs, 0), "command");
    char title[64];
    (void)snprintf(title, sizeof title, "%zu runs compared", json_array_size(runs));
    set_member(r, document, "title",
               json_string(json_array_size(runs) > 1    ? title
                           : json_string_value(command) ? json_string_value(command)
                                                        : "redacted report"));
    set_member(r, document, "redacted", json_true());
    return r->failed ? -ENOMEM : 0;
}

/* ---- text by text ---- */

struct wtl_redactor *wtl_redactor_new(void)
{
    struct wtl_redactor *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    *r = (struct wtl_redactor){
        .secrets = json_object(), .given = json_object(), .made = json_array()};
    if (r->secrets && r->given && r->made)
        return r;
    wtl_redactor_free(r);
    return NULL;
}

void wtl_redactor_free(struct wtl_redactor *r)
{
    if (r)
        drop(r);
    free(r);
}

void wtl_redactor_add_secrets_of(struct wtl_redactor *r, const struct wtl_trace_reader *reader)
{
    for (size_t i = 0; r && secret[i]; i++)
        wtl_redactor_add_secret(r, wtl_trace_reader_meta(reader, secret[i]));
}

void wtl_redactor_add_secrets_at(struct wtl_redactor *r, const char *name)
{
    struct wtl_trace_reader *reader = NULL;
    struct wtl_run *run = NULL;
    char *const words[] = {(char *)(uintptr_t)name};
    if (!r || !name)
        return;
    if (!wtl_run_name_is_run(name)) {
        if (wtl_trace_reader_open(name, &reader, NULL) == 0)
            wtl_redactor_add_secrets_of(r, reader);
        wtl_trace_reader_close(reader);
        return;
    }
    if (wtl_run_open(words, 1, NULL, &run, NULL) < 0)
        return;
    for (size_t i = 0; i < wtl_run_node_count(run); i++) {
        wtl_redactor_add_secret(r, wtl_run_node(run, i)->name);
        wtl_redactor_add_secret(r, wtl_run_node(run, i)->row->host);
    }
    wtl_redactor_add_secret(r, wtl_run_id(run));
    wtl_run_close(run);
}

const char *wtl_redacted(struct wtl_redactor *r, enum wtl_redacted_kind kind, const char *text)
{
    static const enum rule rules[] = {[WTL_REDACTED_NAME] = NAME,
                                      [WTL_REDACTED_NODE] = NODE,
                                      [WTL_REDACTED_RUN] = RUN,
                                      [WTL_REDACTED_PROGRAM] = PROGRAM};
    if (!r || !text)
        return text;
    json_t *made = redacted(r, rules[kind], text);
    if (!json_is_string(made) || json_array_append(r->made, made) < 0) {
        json_decref(made);
        return kind == WTL_REDACTED_PROGRAM ? NULL : "";
    }
    json_decref(made);
    return json_string_value(made);
}

const char *wtl_redacted_flag(struct wtl_redactor *r, const char *name, const char *text)
{
    return r ? meaning_of(name) : text;
}
