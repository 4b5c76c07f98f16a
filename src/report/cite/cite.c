/* SPDX-License-Identifier: BSD-3-Clause */
/* The citation as text, BibTeX and JSON; its sentences come from cite_machine.c, cite_sensors.c and cite_result.c. */
#define _GNU_SOURCE
#include "report/cite/cite.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "model/meta_key.h"
#include "report/cite/cite_text.h"
#include "report/table.h"

static const char *const topics[WTL_CITE_TOPICS] = {"measurement", "machine", "settings", "sensors",
                                                    "sampling",    "window",  "total",    "result",
                                                    "intervals",   "quality", "cost"};

void wtl_cite_say(struct wtl_cite *cite, enum wtl_cite_topic topic, const char *format, ...)
{
    va_list args;
    char *text = NULL;
    int rc = wtl_grow(&cite->sentences, cite->sentence_count, sizeof *cite->sentences);
    va_start(args, format);
    if (rc < 0 || vasprintf(&text, format, args) < 0) {
        cite->failed = true;
        text = NULL;
    }
    va_end(args);
    if (text)
        cite->sentences[cite->sentence_count++] = (struct wtl_cite_sentence){topic, text};
}

void wtl_cite_list(char *list, const char *format, ...)
{
    va_list args;
    size_t n = strlen(list);
    if (n > 0 && n + 3 < WTL_CITE_LIST)
        n += (size_t)snprintf(list + n, WTL_CITE_LIST - n, ", ");
    va_start(args, format);
    (void)vsnprintf(list + n, WTL_CITE_LIST - n, format, args);
    va_end(args);
}

void wtl_cite_miss(struct wtl_cite *cite, const char *what)
{
    wtl_cite_list(cite->missing, "%s", what);
}

const char *wtl_cite_need(struct wtl_cite *cite, const char *key, const char *what)
{
    const char *value = wtl_cite_value(&cite->facts, key);
    if (!value || !value[0])
        wtl_cite_miss(cite, what);
    return value && value[0] ? value : NULL;
}

const struct wtl_result *wtl_cite_result(const struct wtl_cite *cite)
{
    return cite->facts.count > 1 ? &cite->facts.repeat.mean : &cite->facts.results[0];
}

int wtl_cite_read(char *const *paths,
                  size_t count,
                  struct wtl_cite **ret_cite,
                  struct wattle_error *err)
{
    struct wtl_cite *cite = calloc(1, sizeof *cite);
    if (!cite)
        return wtl_no_memory(err);
    int rc = wtl_cite_facts_read(paths, count, &cite->facts, err);
    if (rc < 0) {
        free(cite);
        return rc;
    }
    wtl_cite_say_measurement(cite);
    wtl_cite_say_machine(cite);
    wtl_cite_say_sensors(cite);
    wtl_cite_say_result(cite);
    if (cite->failed) {
        wtl_cite_free(cite);
        return wtl_no_memory(err);
    }
    *ret_cite = cite;
    return 0;
}

void wtl_cite_free(struct wtl_cite *cite)
{
    if (!cite)
        return;
    for (size_t i = 0; i < cite->sentence_count; i++)
        free(cite->sentences[i].text);
    free(cite->sentences);
    wtl_cite_facts_fini(&cite->facts);
    free(cite);
}

/* All sentences in sequence, for the caller to free; NULL if out of memory. */
static char *paragraph_of(const struct wtl_cite *cite)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (size_t i = 0; i < cite->sentence_count; i++)
        (void)fprintf(out, "%s%s", i ? " " : "", cite->sentences[i].text);
    if (cite->missing[0])
        (void)fprintf(out, " Not recorded: %s.", cite->missing);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

void wtl_cite_text(const struct wtl_cite *cite, FILE *out)
{
    char *text = paragraph_of(cite);
    (void)fputc('\n', out);
    wtl_print_paragraph(out, NULL, WTL_PLAIN, 0, "", text ? text : WTL_NO_MEMORY);
    (void)fputc('\n', out);
    wtl_cite_bibtex(cite, out);
    free(text);
}

/* Text of unknown origin within the braces of a BibTeX field. */
static void put_bibtex(FILE *out, const char *text)
{
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, "{}\\%#$&_~^");
        wtl_print_clean(out, p, n);
        p += n;
        if (*p && strchr("%#$&_", *p))
            (void)fprintf(out, "\\%c", *p);
        else if (*p)
            (void)fputc('?', out); /* characters that would end the field or start a command */
        p += *p != '\0';
    }
}

void wtl_cite_bibtex(const struct wtl_cite *cite, FILE *out)
{
    const char *version = wtl_cite_value(&cite->facts, WTL_META_WATTLE_VERSION);
    (void)fputs(
        "@misc{wattle,\n"
        "  author       = {{wattle authors}},\n"
        "  title        = {{wattle}: the energy of commands on {Linux} and {HPC} machines},\n"
        "  howpublished = {Computer software, BSD-3-Clause license},\n"
        "  note         = {",
        out);
    if (version) {
        (void)fputs(strcmp(version, "varying") == 0 ? "Versions: " : "Version ", out);
        put_bibtex(out, version);
    } else {
        (void)fputs("Version not recorded", out);
    }
    (void)fputs("}\n}\n", out);
    if (cite->facts.edges)
        (void)fputs(
            "\n@article{haehnel2012rapl,\n"
            "  author  = {H{\\\"a}hnel, Marcus and D{\\\"o}bel, Bj{\\\"o}rn and V{\\\"o}lp, "
            "Marcus and H{\\\"a}rtig, Hermann},\n"
            "  title   = {Measuring energy consumption for short code paths using {RAPL}},\n"
            "  journal = {ACM SIGMETRICS Performance Evaluation Review},\n"
            "  volume  = {40},\n"
            "  number  = {3},\n"
            "  pages   = {13--17},\n"
            "  year    = {2012}\n"
            "}\n",
            out);
}

static char *bibtex_of(const struct wtl_cite *cite)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    wtl_cite_bibtex(cite, out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* ---- JSON ---- */

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
struct document {
    const char *missing;
    char *paragraph, *bibtex;
    const struct wtl_cite_sentence *sentences;
    size_t sentence_count;
    const struct wtl_result *results;
    size_t count;
};

static bool next_missing(const void *of, size_t *cursor, struct wtl_value *ret)
{
    return wtl_next_word(ret, cursor, ((const struct document *)of)->missing);
}

static const struct wtl_member of_sentence[] = {
    {"topic", WTL_WORD_AT(struct wtl_cite_sentence, topic, topics),
     .meaning = "measurement, machine, settings, sensors, sampling, window, total, result, "
                "intervals, quality, cost"},
    {"text", WTL_TEXT_AT(struct wtl_cite_sentence, text),
     .meaning = "for humans; the wording may change"},
    {.key = NULL}};
static const struct wtl_noun sentence = {"sentence", of_sentence};

static const struct wtl_member of_cite[] = {
    {"traces", WTL_TEXT_OF_EACH(struct document, results, count, struct wtl_result, trace),
     .meaning = "paths"},
    {"runs", WTL_SIZE_AT(struct document, count), .meaning = "number of traces"},
    {"paragraph", WTL_TEXT_AT(struct document, paragraph),
     .meaning = "the sentences and what was not recorded, as in text output"},
    {"sentences", WTL_LIST_AT(struct document, sentences, sentence_count, sentence),
     .meaning = "sentences in the order of the paragraph, below"},
    {"not_recorded", WTL_MEMBER_LIST, .next = next_missing,
     .meaning = "facts that no trace contains"},
    {"bibtex", WTL_TEXT_AT(struct document, bibtex), .meaning = "the references"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_cite = {"cite", of_cite};
/* NOLINTEND(bugprone-macro-parentheses) */

json_t *wtl_cite_json(const struct wtl_cite *cite)
{
    const struct document document = {.missing = cite->missing,
                                      .paragraph = paragraph_of(cite),
                                      .bibtex = bibtex_of(cite),
                                      .sentences = cite->sentences,
                                      .sentence_count = cite->sentence_count,
                                      .results = cite->facts.results,
                                      .count = cite->facts.count};
    json_t *json = document.paragraph && document.bibtex
                       ? wtl_noun_document("wattle.cite/1", &wtl_noun_cite, &document)
                       : NULL;
    free(document.paragraph);
    free(document.bibtex);
    return json;
}
