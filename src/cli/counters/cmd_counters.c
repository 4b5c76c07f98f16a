/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle counters": which counter sets and events there are, and which of them this machine counts. */
#include "cli/commands.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/flush.h"
#include "cli/documents.h"
#include "counters/columns/columns.h"
#include "report/json_value.h"
#include "report/style.h"
#include "report/table.h"

enum format { AS_TEXT, AS_JSON };

static const char *const format_names[] = {"text", "json", NULL};

struct counters_request {
    enum format format;
    const char *host;
};

static const struct wtl_option options_table[] = {
    {0, "format", "FORMAT", "text or json (default text)",
     WTL_TAKES_CHOICE(struct counters_request, format, format_names)},
    {0, "host", "DIR", "show a recorded host instead of this machine",
     WTL_TAKES_TEXT(struct counters_request, host)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

/* ---- the list: sets and events, and whether this machine counts them, for a command and as a whole ---- */

/* A set, opened for a command (this process stands for it) and for the machine. */
struct wtl_counter_listing {
    struct wtl_counter_set set;
    bool is_set; /* else all known events */
    struct wtl_count_columns tree, machine;
    char broken[512]; /* why the set cannot be read; "" = it can */
};

struct wtl_counter_list {
    struct wtl_counter_listing
        *items; /* sets; the last one, if there are several, is of all events */
    size_t count, set_count;
};

/* A set of all events that are known by name, which come first in the tables of their files. */
static void fill_all(struct wtl_counter_set *set)
{
    const char *name, *about;
    *set = (struct wtl_counter_set){.column_count = 0};
    for (size_t i = 0; (name = wtl_count_source(i, &about)) != NULL; i++) {
        struct wtl_counter_column *column = &set->columns[set->column_count++];
        (void)snprintf(column->name, sizeof column->name, "EVENT_%zu", set->column_count);
        (void)snprintf(column->source, sizeof column->source, "%s", name);
    }
    for (size_t i = 0; (name = wtl_perf_name(i)) && set->column_count < WTL_COUNTER_COLUMNS; i++) {
        struct wtl_counter_column *column = &set->columns[set->column_count++];
        (void)snprintf(column->name, sizeof column->name, "EVENT_%zu", set->column_count);
        (void)snprintf(column->source, sizeof column->source, "perf:%s", name);
    }
}

static int open_listing(struct wtl_counter_listing *one, const struct wtl_world *world)
{
    const struct wtl_target command = {.pid = getpid(), .inherit = true, .scope = WTL_COUNTED_TREE};
    const struct wtl_target machine = {.scope = WTL_COUNTED_MACHINE};
    int rc = wtl_count_columns_open(&one->tree, world, &command, &one->set);
    return rc < 0 ? rc : wtl_count_columns_open(&one->machine, world, &machine, &one->set);
}

static int open_all(struct wtl_counter_list *list,
                    const struct wtl_world *world,
                    struct wattle_error *err)
{
    char **names;
    struct wattle_error why = {""};
    int count = wtl_counter_set_names(wtl_world_real(), &names), rc = 0;
    if (count < 0)
        return wtl_fail(err, count, "the counter sets: %s", wtl_strerror(count));
    list->items = calloc((size_t)count + 1, sizeof *list->items);
    rc = list->items ? 0 : -ENOMEM;
    for (int i = 0; i < count && rc == 0; i++) {
        struct wtl_counter_listing *one = &list->items[list->count++];
        one->is_set = true;
        rc = wtl_counter_set_load(&one->set, wtl_world_real(), names[i], &why);
        if (rc < 0 && rc != -ENOMEM) {
            (void)snprintf(one->set.name, sizeof one->set.name, "%s", names[i]);
            (void)snprintf(one->broken, sizeof one->broken, "%s", why.text);
        }
        rc = rc == 0 || rc == -ENOMEM ? rc : 0;
        if (rc == 0 && !one->broken[0])
            rc = open_listing(one, world);
    }
    free((void *)names);
    list->set_count = list->count;
    if (rc < 0)
        return wtl_no_memory(err);
    struct wtl_counter_listing *all = &list->items[list->count++];
    fill_all(&all->set);
    return open_listing(all, world) < 0 ? wtl_no_memory(err) : 0;
}

/* All sets and all events, or the one of this name. A set that cannot be read is listed as such, unless it is the one.
 * 0, or -errno; counter_list_close() in any case. */
static int counter_list_open(struct wtl_counter_list *list,
                             const struct wtl_world *world,
                             const char *name,
                             struct wattle_error *err)
{
    *list = (struct wtl_counter_list){.items = NULL};
    if (!name)
        return open_all(list, world, err);
    list->items = calloc(1, sizeof *list->items);
    if (!list->items)
        return wtl_no_memory(err);
    list->count = list->set_count = 1;
    list->items[0].is_set = true;
    int rc = wtl_counter_set_load(&list->items[0].set, wtl_world_real(), name, err);
    if (rc == 0 && open_listing(&list->items[0], world) < 0)
        rc = wtl_no_memory(err);
    return rc;
}

static void counter_list_close(struct wtl_counter_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].tree.list)
            wtl_count_columns_close(&list->items[i].tree);
        if (list->items[i].machine.list)
            wtl_count_columns_close(&list->items[i].machine);
        wtl_counter_set_fini(&list->items[i].set);
    }
    free(list->items);
    *list = (struct wtl_counter_list){.items = NULL};
}

/* ---- text and JSON ---- */

enum { CELL = 64 };

static size_t counted(const struct wtl_count_columns *columns, const struct wtl_counter_set *set)
{
    size_t n = 0;
    for (size_t i = 0; i < set->column_count; i++)
        n += columns->list[i].status == 0;
    return n;
}

static const char *word_of(const struct wtl_counter_state *state)
{
    return state->status < 0 ? "no" : state->note ? "yes *" : "yes";
}

/* The columns that share a sentence, each once: "NAME, NAME: sentence". */
struct reasons {
    FILE *out;
    const struct wtl_style *style;
    const char *label; /* of the next paragraph; then "" */
};

static const char *sentence_of(const struct wtl_counter_state *state, bool missing)
{
    if ((state->status < 0) != missing)
        return NULL;
    return missing ? state->why.text : state->note;
}

static void print_reason(struct reasons *to,
                         const struct wtl_counter_listing *one,
                         const struct wtl_count_columns *columns,
                         bool missing,
                         bool *told,
                         size_t first)
{
    const char *sentence = sentence_of(&columns->list[first], missing);
    char text[4000] = "";
    size_t used = 0;
    assert(sentence); /* the caller has found one */
    for (size_t i = first; i < one->set.column_count; i++) {
        const char *other = sentence_of(&columns->list[i], missing);
        if (!other || strcmp(other, sentence) != 0)
            continue;
        told[i] = true;
        const struct wtl_counter_column *column = &one->set.columns[i];
        if (used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "",
                                     one->is_set ? column->name : column->source);
    }
    if (used < sizeof text)
        (void)snprintf(text + used, sizeof text - used, ": %s", sentence);
    wtl_print_paragraph(to->out, to->style, missing ? WTL_CAUTION : WTL_PLAIN, WTL_TEXT_LABEL,
                        to->label, text);
    to->label = "";
}

/* Of the command; of the machine only what the command does not have. */
static void print_reasons(FILE *out,
                          const struct wtl_style *style,
                          const struct wtl_counter_listing *one,
                          bool missing)
{
    bool told[WTL_COUNTER_COLUMNS] = {false};
    struct reasons to = {out, style, missing ? "not counted" : "*"};
    const struct wtl_count_columns *both[] = {&one->tree, &one->machine};
    for (size_t b = 0; b < 2; b++) {
        for (size_t i = 0; i < one->set.column_count; i++) {
            if (!told[i] && sentence_of(&both[b]->list[i], missing))
                print_reason(&to, one, both[b], missing, told, i);
        }
    }
}

/* The first command that would allow more. */
static void print_remedy(FILE *out,
                         const struct wtl_style *style,
                         const struct wtl_counter_listing *one)
{
    const struct wtl_count_columns *both[] = {&one->machine, &one->tree};
    for (size_t b = 0; b < 2; b++) {
        for (size_t i = 0; i < one->set.column_count; i++) {
            const struct wtl_remedy *remedy = &both[b]->list[i].remedy;
            if (!remedy->now[0])
                continue;
            wtl_print_paragraph(out, style, WTL_PLAIN, WTL_TEXT_LABEL, "as root", remedy->now);
            if (remedy->lasting[0])
                wtl_print_paragraph(out, style, WTL_PLAIN, WTL_TEXT_LABEL, "for good",
                                    remedy->lasting);
            return;
        }
    }
}

static int print_events(FILE *out,
                        const struct wtl_style *style,
                        const struct wtl_counter_listing *one)
{
    static const struct wtl_column set_heads[] = {
        {"counter", false}, {"source", false}, {"command", false}, {"machine", false}};
    static const struct wtl_column all_heads[] = {
        {"event", false}, {"", false}, {"command", false}, {"machine", false}};
    struct wtl_table *table = wtl_table_create(one->is_set ? set_heads : all_heads, 4);
    for (size_t i = 0; i < one->set.column_count; i++) {
        const struct wtl_counter_column *column = &one->set.columns[i];
        const char *about = "";
        for (size_t k = 0; !one->is_set && wtl_count_source(k, &about); k++) {
            if (strcmp(wtl_count_source(k, &about), column->source) == 0)
                break;
            about = "";
        }
        const char *cells[] = {one->is_set ? column->name : column->source,
                               one->is_set ? column->source : about, word_of(&one->tree.list[i]),
                               word_of(&one->machine.list[i])};
        bool none = one->tree.list[i].status < 0 && one->machine.list[i].status < 0;
        wtl_table_row(table, none ? WTL_FAINT : WTL_PLAIN, cells);
    }
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    print_reasons(out, style, one, true);
    print_reasons(out, style, one, false);
    print_remedy(out, style, one);
    return rc;
}

static int print_formulas(FILE *out,
                          const struct wtl_style *style,
                          const struct wtl_counter_set *set)
{
    static const struct wtl_column heads[] = {
        {"metric", false}, {"unit", false}, {"formula", false}};
    struct wtl_table *table = wtl_table_create(heads, 3);
    for (size_t i = 0; i < set->metric_count; i++)
        wtl_table_row(table, WTL_PLAIN,
                      (const char *const[]){set->metrics[i].name, set->metrics[i].unit,
                                            set->metrics[i].formula});
    (void)fputc('\n', out);
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    return rc;
}

static int print_sets(FILE *out, const struct wtl_style *style, const struct wtl_counter_list *list)
{
    static const struct wtl_column heads[] = {
        {"set", false}, {"command", false}, {"machine", false}, {"about", false}};
    struct wtl_table *table = wtl_table_create(heads, 4);
    for (size_t i = 0; i < list->set_count; i++) {
        const struct wtl_counter_listing *one = &list->items[i];
        char tree[CELL] = "", machine[CELL] = "";
        if (!one->broken[0]) {
            (void)snprintf(tree, sizeof tree, "%zu of %zu", counted(&one->tree, &one->set),
                           one->set.column_count);
            (void)snprintf(machine, sizeof machine, "%zu of %zu", counted(&one->machine, &one->set),
                           one->set.column_count);
        }
        wtl_table_row(table, WTL_PLAIN,
                      (const char *const[]){one->set.name, tree, machine,
                                            one->broken[0] ? one->broken : one->set.about});
    }
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    (void)fputc('\n', out);
    return rc;
}

/* 0 or -ENOMEM. */
static int counter_list_text(FILE *out,
                             const struct wtl_style *style,
                             const struct wtl_counter_list *list)
{
    assert(list->items && list->count > 0);
    const struct wtl_counter_listing *last = &list->items[list->count - 1];
    int rc = last->is_set ? 0 : print_sets(out, style, list);
    if (last->is_set && last->set.about[0])
        wtl_print_paragraph(out, style, WTL_PLAIN, WTL_TEXT_LABEL, last->set.name, last->set.about);
    rc = rc < 0 ? rc : print_events(out, style, last);
    if (rc == 0 && last->is_set && last->set.metric_count > 0)
        rc = print_formulas(out, style, &last->set);
    return rc;
}

/* ---- as nouns ---- */

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
static const struct wtl_counter_state *state_of(const void *of)
{
    return of;
}

WTL_MEMBER_GET(is_counted)
{
    wtl_value_bool(ret, state_of(of)->status == 0);
}

WTL_MEMBER_GET(why_not)
{
    wtl_value_text(ret, state_of(of)->status < 0 ? state_of(of)->why.text : NULL);
}

WTL_MEMBER_GET(note_of)
{
    wtl_value_text(ret, state_of(of)->note);
}

WTL_MEMBER_GET(where_of)
{
    wtl_value_text(ret, state_of(of)->status == 0 ? state_of(of)->where : NULL);
}

WTL_MEMBER_GET(remedy_of)
{
    wtl_value_text(ret, state_of(of)->remedy.now[0] ? state_of(of)->remedy.now : NULL);
}

static const struct wtl_member of_state[] = {
    {"counted", WTL_MEMBER_BOOLEAN, .get = is_counted, .meaning = "whether it can be counted here"},
    {"why", WTL_MEMBER_TEXT, .nullable = true, .get = why_not, .meaning = "why not"},
    {"note", WTL_MEMBER_TEXT, .nullable = true, .get = note_of,
     .meaning = "what to know about the count"},
    {"where", WTL_MEMBER_TEXT, .nullable = true, .get = where_of, .meaning = "where it is read"},
    {"remedy", WTL_MEMBER_TEXT, .nullable = true, .get = remedy_of,
     .meaning = "command that would allow it, as root"},
    {.key = NULL}};
static const struct wtl_noun state = {"counter here", of_state};

struct listed {
    const struct wtl_counter_column *column;
    const struct wtl_counter_state *tree, *machine;
};

WTL_MEMBER_GET(listed_name)
{
    wtl_value_text(ret, ((const struct listed *)of)->column->name);
}

WTL_MEMBER_GET(listed_source)
{
    wtl_value_text(ret, ((const struct listed *)of)->column->source);
}

static const struct wtl_member of_listed[] = {
    {"name", WTL_MEMBER_TEXT, .get = listed_name, .meaning = "name in the set"},
    {"source", WTL_MEMBER_TEXT, .get = listed_source, .meaning = "what is counted"},
    {"command", WTL_OBJECT_OF(struct listed, tree, state),
     .meaning = "for a command: a process tree"},
    {"machine", WTL_OBJECT_OF(struct listed, machine, state), .meaning = "for the whole machine"},
    {.key = NULL}};
static const struct wtl_noun listed = {"listed counter", of_listed};

static bool next_column(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_counter_listing *one = of;
    if (*cursor >= one->set.column_count || one->broken[0])
        return false;
    const struct listed row = {&one->set.columns[*cursor], &one->tree.list[*cursor],
                               &one->machine.list[*cursor]};
    ++*cursor;
    wtl_value_copy(ret, &row, sizeof row);
    return true;
}

static const struct wtl_member of_formula[] = {
    {"name", WTL_NAME_AT(struct wtl_counter_metric, name), .meaning = "name in the set"},
    {"unit", WTL_CHARS_AT(struct wtl_counter_metric, unit), .meaning = "`\"\"` = none"},
    {"formula", WTL_NAME_AT(struct wtl_counter_metric, formula),
     .meaning = "of columns, `time` in seconds and `energy` in joules"},
    {.key = NULL}};
static const struct wtl_noun formula = {"listed metric", of_formula};

static bool next_formula(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_counter_listing *one = of;
    if (*cursor >= one->set.metric_count)
        return false;
    wtl_value_noun(ret, &one->set.metrics[(*cursor)++]);
    return true;
}

static const struct wtl_member of_listing[] = {
    {"name", WTL_CHARS_AT(struct wtl_counter_listing, set.name),
     .meaning = "name of the set; `\"\"`: all events that are known by name"},
    {"about", WTL_CHARS_AT(struct wtl_counter_listing, set.about), .meaning = "its description"},
    {"broken", WTL_CHARS_AT(struct wtl_counter_listing, broken),
     .meaning = "why its file cannot be read; `\"\"` = it can"},
    {"columns", WTL_MEMBER_LIST, .next = next_column, .of = &listed,
     .meaning = "in the order of their ids"},
    {"metrics", WTL_MEMBER_LIST, .next = next_formula, .of = &formula, .meaning = "derived values"},
    {.key = NULL}};
static const struct wtl_noun listing = {"counter set", of_listing};

static const struct wtl_member of_list[] = {
    {"sets", WTL_LIST_AT(struct wtl_counter_list, items, count, listing),
     .meaning = "all sets, then all events; or the set that was named"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_counter_list = {"counters list", of_list};
/* NOLINTEND(bugprone-macro-parentheses) */

static int counter_list_json(FILE *out, const struct wtl_counter_list *list)
{
    return wtl_json_print(out,
                          wtl_noun_document("wattle.counters/1", &wtl_noun_counter_list, list));
}

/* ---- the verb ---- */

static int print(const struct wtl_counter_list *list, enum format format, struct wattle_error *err)
{
    struct wtl_style style = wtl_style_of(stdout);
    int rc = format == AS_JSON ? counter_list_json(stdout, list)
                               : counter_list_text(stdout, &style, list);
    return rc < 0 ? wtl_no_memory(err) : wtl_flush(stdout, err);
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_counters_command;
    struct wtl_command_line line;
    struct counters_request request = {.format = AS_TEXT};
    struct wattle_error err = {""};
    struct wtl_counter_list list;
    struct wtl_world *recorded = NULL;
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    if (line.count > 1)
        return wtl_usage(command, "more than one set; name one, or none for all");
    int rc = request.host ? wtl_world_recorded(request.host, &recorded, &err) : 0;
    if (rc == 0) {
        rc = counter_list_open(&list, recorded ? recorded : wtl_world_real(),
                               line.count > 0 ? line.words[0] : NULL, &err);
        rc = rc < 0 ? rc : print(&list, request.format, &err);
        counter_list_close(&list);
    }
    wtl_world_close(recorded);
    if (rc < 0)
        wtl_complain(command, "%s", err.text);
    return rc < 0 ? WTL_EXIT_FAILED : WTL_EXIT_OK;
}

const struct wtl_command wtl_counters_command = {
    .verb = "counters",
    .run = run,
    .operands = "[SET]",
    .summary = "list counter sets, and what this machine counts",
    .text = "Without SET, lists the sets for \"wattle run --counters\" and all events known by\n"
            "name; with SET, what is in it. Each is tried for a command and for the machine;\n"
            "what cannot be counted is shown with the reason and the remedy.\n",
    .options = options_table,
    .examples = "wattle counters\n"
                "wattle counters paper\n"
                "wattle counters ./my-set.ini\n"
                "wattle run --counters paper -- ./app\n",
    .usage_exit = WTL_EXIT_USAGE,
};
