/* SPDX-License-Identifier: BSD-3-Clause */
/* A model as a file: docs/format/phase-model.md. Lines of fields separated by tabs, each kind in its place. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/phases/model.h"
#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"
#include "base/utf8.h"
#include "base/whole.h"

#define HEAD "wattle phase model"
static const double micro = 1e6;

/* -- writing -- */

/* Text as a field: what would end it or the line becomes "?". */
static void write_text(FILE *out, const char *text)
{
    size_t n = strlen(text), length = 0;
    for (size_t i = 0; i < n; i += length) {
        if (wtl_utf8_printable(text + i, n - i, &length) > 0)
            (void)fwrite(text + i, 1, length, out);
        else
            (void)fputc('?', out);
    }
}

static void write_number(FILE *out, double value)
{
    if (isfinite(value))
        (void)fprintf(out, "\t%.17g", value);
    else
        (void)fputs("\t-", out);
}

static void write_alphabet(const struct wtl_alphabet *alphabet, FILE *out)
{
    for (size_t c = 0; c < alphabet->columns; c++) {
        (void)fputs("counter\t", out);
        write_text(out, alphabet->names[c]);
        write_number(out, alphabet->noise[c]);
        write_number(out, alphabet->rows[c]);
        write_number(out, alphabet->repeated[c]);
        write_number(out, alphabet->most[c]);
        (void)fputc('\n', out);
    }
    for (size_t i = 0; i < alphabet->count; i++) {
        const struct wtl_letter *letter = &alphabet->letters[i];
        (void)fprintf(out, "letter\t%s\t%u\t%d", letter->name, (unsigned)letter->code,
                      letter->idle);
        write_number(out, letter->rows);
        write_number(out, letter->seconds);
        write_number(out, letter->occurrences);
        write_number(out, letter->mean_w);
        write_number(out, letter->sd_w);
        write_number(out, letter->power_s);
        write_number(out, letter->squares);
        for (size_t c = 0; c < alphabet->columns; c++)
            write_number(out, letter->centre[c]);
        (void)fputc('\n', out);
    }
}

/* Power from counters. */
static void write_power(const struct wtl_counter_energy *power, FILE *out)
{
    if (power->columns == 0)
        return;
    (void)fputs("power", out);
    write_number(out, power->base_w);
    write_number(out, power->error);
    write_number(out, power->error_df);
    write_number(out, power->row_w);
    write_number(out, power->learnt_s);
    (void)fputc('\n', out);
    for (size_t c = 0; c < power->columns; c++) {
        (void)fputs("watts\t", out);
        write_text(out, power->names[c]);
        write_number(out, power->weight[c]);
        write_number(out, power->root[c]);
        write_number(out, power->low[c]);
        write_number(out, power->high[c]);
        (void)fputc('\n', out);
    }
}

static uint64_t millionths(double value)
{
    return wtl_whole_u64(value * micro + 0.5);
}

/* The energy may be negative: a total may be a difference of meters. */
static void write_dna(const struct wtl_dna *dna, size_t letters, FILE *out)
{
    (void)fputs("dna\t", out);
    for (size_t i = 0; i < dna->count; i++) {
        const struct wtl_base *base = &dna->list[i];
        uint64_t duration = millionths(base->duration_s), known = millionths(base->known_s);
        const char *blank = i ? " " : "", *sign = base->energy_j < 0 ? "-" : "";
        if (base->letter < letters)
            (void)fprintf(out, "%s%u", blank, (unsigned)base->letter);
        else
            (void)fprintf(out, "%s?", blank);
        (void)fprintf(out, ":%" PRIu64 ":%s%" PRIu64, duration, sign,
                      millionths(fabs(base->energy_j)));
        if (known != duration || base->half_j > 0)
            (void)fprintf(out, ":%" PRIu64, known);
        if (base->half_j > 0)
            (void)fprintf(out, ":%" PRIu64, millionths(base->half_j));
    }
    (void)fputc('\n', out);
}

void wtl_phase_model_write(const struct wtl_phase_model *model, FILE *out)
{
    (void)fprintf(out, HEAD "\t%d\nset\t", WTL_PHASE_MODEL_VERSION);
    write_text(out, model->alphabet.set);
    (void)fprintf(out, "\nmethod\t%s\nstep\t%" PRIu64 "\nalike", model->method,
                  millionths(model->step_s));
    write_number(out, model->alphabet.alike);
    (void)fputs("\nidle", out);
    write_number(out, model->alphabet.idle_beta);
    (void)fputc('\n', out);
    write_alphabet(&model->alphabet, out);
    write_power(&model->power, out);
    for (size_t r = 0; r < model->run_count; r++) {
        const struct wtl_model_run *run = &model->runs[r];
        (void)fputs("run\t", out);
        write_text(out, run->name);
        (void)fputc('\t', out);
        write_text(out, run->platform);
        (void)fprintf(out, "\t%zu\t%s\t%d\n", run->node_count, wattle_quality_name(run->quality),
                      run->simulated);
        for (size_t n = 0; n < run->node_count; n++)
            write_dna(&run->nodes[n], model->alphabet.count, out);
    }
    (void)fprintf(out, "end\t%zu\n", model->run_count);
}

/* -- reading -- */

enum { FIELDS = 11 + WTL_ALPHABET_COLUMNS, LOAD_STEP = 1 << 20 };

struct parser {
    const char *name;
    const char *at, *stop;
    unsigned long line;
    char *text; /* the line, cut into fields */
    size_t room;
    char *fields[FIELDS];
    size_t field_count;
    size_t letter_room;
    bool has_power;
    struct wtl_phase_model *model;
    struct wtl_model_run run; /* the one being read */
    size_t nodes_left;
    struct wattle_error *err;
};

static int wrong(const struct parser *parser, const char *what)
{
    return wtl_fail(parser->err, -EBADMSG, "%s:%lu: %s; learn the model again", parser->name,
                    parser->line, what);
}

/* Cut a line into fields in place; more than FIELDS are an error. */
static int cut(struct parser *parser, char *text)
{
    parser->field_count = 0;
    for (char *next = text; next;) {
        if (parser->field_count == FIELDS)
            return wrong(parser, "too many fields");
        parser->fields[parser->field_count++] = next;
        next = strchr(next, '\t');
        if (next)
            *next++ = '\0';
    }
    return 0;
}

static int next_line(struct parser *parser)
{
    assert(parser->at && parser->stop);
    const char *end = memchr(parser->at, '\n', (size_t)(parser->stop - parser->at));
    parser->line++;
    if (!end)
        return wrong(parser, "the file is cut off");
    size_t n = (size_t)(end - parser->at);
    if (wtl_reserve(&parser->text, &parser->room, n + 1, 1) < 0)
        return wtl_no_memory_for(parser->err, "%s", parser->name);
    assert(parser->text);
    memcpy(parser->text, parser->at, n);
    parser->text[n] = '\0';
    if (memchr(parser->text, '\0', n))
        return wrong(parser, "not text");
    parser->at = end + 1;
    return cut(parser, parser->text);
}

static bool is(const struct parser *parser, const char *kind, size_t fields)
{
    return parser->field_count == fields && strcmp(parser->fields[0], kind) == 0;
}

/* "-" is NaN. */
static bool number(const char *text, double least, double *ret)
{
    if (strcmp(text, "-") == 0) {
        *ret = NAN;
        return true;
    }
    return wtl_parse_double(text, ret) == 0 && *ret >= least;
}

/* The same, but known. */
static bool amount(const char *text, double *ret)
{
    return number(text, 0, ret) && !isnan(*ret);
}

static bool take_text(const char *text, char *buf, size_t n)
{
    size_t length = strlen(text), bytes;
    for (size_t i = 0; i < length; i += bytes) {
        if (wtl_utf8_printable(text + i, length - i, &bytes) == 0)
            return false;
    }
    return (size_t)snprintf(buf, n, "%s", text) < n;
}

static int expect(struct parser *parser, const char *kind)
{
    char message[64];
    int rc = next_line(parser);
    (void)snprintf(message, sizeof message, "expected a line \"%s\"", kind);
    return rc < 0 ? rc : is(parser, kind, 2) ? 0 : wrong(parser, message);
}

/* The first line: what the file is, and its version. */
static int read_version(struct parser *parser)
{
    uint64_t version;
    size_t n = (size_t)(parser->stop - parser->at);
    if (n < sizeof HEAD || memcmp(parser->at, HEAD "\t", sizeof HEAD) != 0)
        return wtl_fail(parser->err, -EBADMSG,
                        n == 0
                            ? "%s is empty; write a model with \"wattle phases learn\""
                            : "%s is not a model of phases; write one with \"wattle phases learn\"",
                        parser->name);
    int rc = next_line(parser);
    if (rc < 0)
        return rc;
    if (parser->field_count != 2 || wtl_parse_u64(parser->fields[1], &version) < 0)
        return wrong(parser, "no version");
    if (version < 1 || version > WTL_PHASE_MODEL_VERSION)
        return wtl_fail(parser->err, -ENOTSUP,
                        "%s has version %" PRIu64
                        " of the format, this wattle reads versions 1 to %d: use a newer wattle",
                        parser->name, version, WTL_PHASE_MODEL_VERSION);
    parser->model->version = WTL_PHASE_MODEL_VERSION;
    return 0;
}

/* The lines of one value each. */
static bool take_set(struct wtl_phase_model *model, const char *text)
{
    return take_text(text, model->alphabet.set, sizeof model->alphabet.set);
}

static bool take_method(struct wtl_phase_model *model, const char *text)
{
    int method = wtl_phase_method_of(text);
    model->alphabet.codes = method == WTL_PHASE_PAPER;
    return method >= 0 && take_text(text, model->method, sizeof model->method);
}

static bool take_step(struct wtl_phase_model *model, const char *text)
{
    uint64_t step;
    if (wtl_parse_u64(text, &step) < 0)
        return false;
    model->step_s = (double)step / micro;
    return true;
}

static bool take_alike(struct wtl_phase_model *model, const char *text)
{
    return amount(text, &model->alphabet.alike);
}

static bool take_idle(struct wtl_phase_model *model, const char *text)
{
    return number(text, 0, &model->alphabet.idle_beta);
}

static int read_head(struct parser *parser)
{
    static const struct {
        const char *kind, *wrong;
        bool (*take)(struct wtl_phase_model *model, const char *text);
    } lines[] = {{"set", "not the name of a counter set", take_set},
                 {"method", "not a method", take_method},
                 {"step", "not a length in microseconds", take_step},
                 {"alike", "not a number", take_alike},
                 {"idle", "not a number", take_idle}};
    int rc = read_version(parser);
    for (size_t i = 0; rc == 0 && i < sizeof lines / sizeof *lines; i++) {
        rc = expect(parser, lines[i].kind);
        if (rc == 0 && !lines[i].take(parser->model, parser->fields[1]))
            rc = wrong(parser, lines[i].wrong);
    }
    return rc;
}

static bool has_name(const char (*names)[WTL_ALPHABET_NAME], size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

static int read_counter(struct parser *parser)
{
    struct wtl_alphabet *alphabet = &parser->model->alphabet;
    size_t c = alphabet->columns;
    char **fields = parser->fields;
    if (c == WTL_ALPHABET_COLUMNS)
        return wrong(parser, "more than 16 counters");
    if (!take_text(fields[1], alphabet->names[c], WTL_ALPHABET_NAME) || !*fields[1])
        return wrong(parser, "not the name of a counter");
    if (has_name((const char(*)[WTL_ALPHABET_NAME])alphabet->names, c, alphabet->names[c]))
        return wrong(parser, "the counter is there twice");
    if (!amount(fields[2], &alphabet->noise[c]) || !amount(fields[3], &alphabet->rows[c]) ||
        !amount(fields[4], &alphabet->repeated[c]) || !(alphabet->repeated[c] < 1) ||
        !amount(fields[5], &alphabet->most[c]))
        return wrong(parser, "not the noise of a counter");
    alphabet->columns++;
    return 0;
}

static bool take_flag(const char *text, bool *ret)
{
    *ret = strcmp(text, "1") == 0;
    return *ret || strcmp(text, "0") == 0;
}

static bool take_letter(struct wtl_letter *letter, char **fields, size_t columns)
{
    uint64_t code;
    double *amounts[] = {&letter->rows, &letter->seconds, &letter->occurrences};
    if (!take_flag(fields[3], &letter->idle) ||
        !take_text(fields[1], letter->name, sizeof letter->name) || !*fields[1] ||
        wtl_parse_u64(fields[2], &code) < 0 || code > UINT16_MAX)
        return false;
    letter->code = (uint16_t)code;
    bool right = number(fields[7], -INFINITY, &letter->mean_w) &&
                 number(fields[8], 0, &letter->sd_w) && amount(fields[9], &letter->power_s) &&
                 amount(fields[10], &letter->squares);
    for (size_t i = 0; i < 3; i++)
        right = right && amount(fields[4 + i], amounts[i]);
    for (size_t c = 0; c < columns; c++)
        right = right && number(fields[11 + c], 0, &letter->centre[c]);
    return right;
}

static int read_letter(struct parser *parser)
{
    struct wtl_alphabet *alphabet = &parser->model->alphabet;
    struct wtl_letter letter = {.idle = false};
    if (!take_letter(&letter, parser->fields, alphabet->columns))
        return wrong(parser, "not a letter");
    if (wtl_alphabet_find(alphabet, letter.name) >= 0)
        return wrong(parser, "the letter is there twice");
    if (alphabet->count == WTL_ALPHABET_LETTERS)
        return wrong(parser, "too many letters");
    if (wtl_grow(&alphabet->letters, alphabet->count, sizeof letter) < 0)
        return wtl_no_memory_for(parser->err, "%s", parser->name);
    alphabet->letters[alphabet->count++] = letter;
    return 0;
}

static char *copied(struct parser *parser, const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = malloc(n);
    if (copy && !take_text(text, copy, n)) {
        free(copy);
        copy = NULL;
        (void)wrong(parser, "not a name");
    } else if (!copy)
        (void)wtl_no_memory_for(parser->err, "%s", parser->name);
    return copy;
}

static bool take_quality(const char *text, enum wattle_quality *ret)
{
    int quality = 0;
    while (quality < WATTLE_QUALITY_COUNT &&
           strcmp(text, wattle_quality_name((enum wattle_quality)quality)) != 0)
        quality++;
    *ret = (enum wattle_quality)quality;
    return quality < WATTLE_QUALITY_COUNT;
}

static int read_run(struct parser *parser)
{
    uint64_t nodes;
    struct wtl_model_run *run = &parser->run;
    if (parser->nodes_left > 0)
        return wrong(parser, "a run with fewer nodes than it says");
    if (wtl_parse_u64(parser->fields[3], &nodes) < 0 || nodes < 1 || nodes > WTL_PHASE_MODEL_NODES)
        return wrong(parser, "not a number of nodes");
    if (!take_quality(parser->fields[4], &run->quality) ||
        !take_flag(parser->fields[5], &run->simulated))
        return wrong(parser, "not the quality of an energy");
    if (!(run->name = copied(parser, parser->fields[1])) ||
        !(run->platform = copied(parser, parser->fields[2])))
        return -EBADMSG;
    parser->nodes_left = (size_t)nodes;
    return 0;
}

/* A letter of a run: its numbers as they are in the file. */
struct base_fields {
    uint64_t value[5]; /* letter, duration, energy, known, half width */
    size_t count;
    bool unknown, negative;
};

/* Bytes used, or 0. */
static size_t read_fields(const char *text, struct base_fields *fields)
{
    size_t used = *text == '?';
    fields->unknown = used > 0;
    for (fields->count = 0; fields->count < 5; fields->count++) {
        uint64_t *value = &fields->value[fields->count];
        if (fields->count == 2 && text[used] == '-') {
            fields->negative = true;
            used++;
        }
        if (fields->count > 0 || !fields->unknown) {
            int n = wtl_scan_u64(text + used, 20, value);
            if (n <= 0)
                return 0;
            used += (size_t)n;
        }
        if (text[used] != ':')
            break;
        used++;
    }
    return used;
}

/* "LETTER:MICROSECONDS:MICROJOULES[:MICROSECONDS[:MICROJOULES]]" up to a blank or the end. Bytes used, or 0. */
static size_t read_base(const char *text, size_t letters, struct wtl_base *base)
{
    struct base_fields fields = {.count = 0};
    const uint64_t *value = fields.value;
    size_t used = read_fields(text, &fields);
    if (used == 0 || fields.count < 2 || fields.count > 4)
        return 0;
    if (fields.count == 2)
        fields.value[3] = value[1];
    if ((!fields.unknown && value[0] >= letters) || value[1] == 0 || value[3] > value[1] ||
        (value[3] == 0 && value[2] > 0))
        return 0;
    base->letter = fields.unknown ? WTL_DNA_UNKNOWN : (uint16_t)value[0];
    base->flags = 0;
    base->duration_s = (double)value[1] / micro;
    base->energy_j = (fields.negative ? -1.0 : 1.0) * ((double)value[2] / micro);
    base->known_s = (double)value[3] / micro;
    base->half_j = fields.count == 4 ? (double)value[4] / micro : 0;
    return used;
}

static int read_dna(struct parser *parser)
{
    struct wtl_model_run *run = &parser->run;
    struct wtl_dna dna = {.step_s = parser->model->step_s};
    size_t room = 0, used;
    int rc = 0;
    if (parser->nodes_left == 0)
        return wrong(parser, "more nodes than the run has");
    for (const char *at = parser->fields[1]; *at && rc == 0; at += used) {
        rc = wtl_reserve(&dna.list, &room, dna.count + 1, sizeof *dna.list);
        used = rc == 0 ? read_base(at, parser->model->alphabet.count, &dna.list[dna.count]) : 0;
        if (rc == 0 && used == 0)
            rc = wrong(parser, "not a letter with its duration and energy");
        dna.count += used > 0;
        used += at[used] == ' ' && at[used + 1];
    }
    if (rc == 0 && wtl_grow(&run->nodes, run->node_count, sizeof *run->nodes) < 0)
        rc = -ENOMEM;
    if (rc < 0) {
        wtl_dna_fini(&dna);
        return rc == -ENOMEM ? wtl_no_memory_for(parser->err, "%s", parser->name) : rc;
    }
    run->nodes[run->node_count++] = dna;
    if (--parser->nodes_left == 0 && wtl_phase_model_add(parser->model, run) < 0)
        return wtl_no_memory_for(parser->err, "%s", parser->name);
    return 0;
}

/* The line "end" states the number of runs; nothing follows it. */
static int read_end(struct parser *parser)
{
    uint64_t runs;
    if (parser->nodes_left > 0)
        return wrong(parser, "a run with fewer nodes than it says");
    if (wtl_parse_u64(parser->fields[1], &runs) < 0 || runs != parser->model->run_count)
        return wrong(parser, "the file states another number of runs than it has");
    if (parser->at != parser->stop)
        return wrong(parser, "something follows the end");
    return 1;
}

static bool finite_number(const char *text, double *ret)
{
    return number(text, -INFINITY, ret) && isfinite(*ret);
}

static int read_power(struct parser *parser)
{
    struct wtl_counter_energy *power = &parser->model->power;
    char **fields = parser->fields;
    if (parser->has_power)
        return wrong(parser, "power is there twice");
    parser->has_power = true;
    if (!finite_number(fields[1], &power->base_w) || !amount(fields[2], &power->error) ||
        !amount(fields[3], &power->error_df) || power->error_df < 1 ||
        !amount(fields[4], &power->row_w) || !amount(fields[5], &power->learnt_s))
        return wrong(parser, "not the power of counters");
    return 0;
}

static int read_watts(struct parser *parser)
{
    struct wtl_counter_energy *power = &parser->model->power;
    size_t c = power->columns;
    char **fields = parser->fields;
    if (c == WTL_ROW_COLUMNS)
        return wrong(parser, "more than 16 counters");
    if (!take_text(fields[1], power->names[c], sizeof power->names[c]) || !*fields[1] ||
        !finite_number(fields[2], &power->weight[c]) ||
        !finite_number(fields[3], &power->root[c]) || !finite_number(fields[4], &power->low[c]) ||
        !finite_number(fields[5], &power->high[c]) || power->low[c] > power->high[c])
        return wrong(parser, "not the power of a counter");
    if (!has_name((const char(*)[WTL_ALPHABET_NAME])parser->model->alphabet.names,
                  parser->model->alphabet.columns, power->names[c]) ||
        has_name((const char(*)[WTL_ALPHABET_NAME])power->names, c, power->names[c]))
        return wrong(parser, "the power of a counter that the model does not have, or has twice");
    power->columns++;
    return 0;
}

/* Counters, then letters, then power from counters, before the first run. */
static int read_alphabet(struct parser *parser)
{
    const struct wtl_alphabet *alphabet = &parser->model->alphabet;
    if (alphabet->count == 0 && is(parser, "counter", 6))
        return read_counter(parser);
    if (is(parser, "power", 6))
        return read_power(parser);
    if (parser->has_power && is(parser, "watts", 6))
        return read_watts(parser);
    if (alphabet->columns > 0 && is(parser, "letter", 11 + alphabet->columns))
        return read_letter(parser);
    return wrong(parser, "not a line of a model, or not in its place");
}

/* 1 at the end. */
static int read_one(struct parser *parser)
{
    bool begun = parser->model->run_count > 0 || parser->run.name;
    bool may_run = parser->model->alphabet.columns > 0;
    int rc = next_line(parser);
    if (rc < 0)
        return rc;
    if (may_run && is(parser, "run", 6))
        return read_run(parser);
    if (may_run && is(parser, "end", 2))
        return read_end(parser);
    if (begun && is(parser, "dna", 2))
        return read_dna(parser);
    return begun ? wrong(parser, "not a line of a model, or not in its place")
                 : read_alphabet(parser);
}

int wtl_phase_model_parse(const char *name,
                          const char *text,
                          size_t n,
                          struct wtl_phase_model *ret_model,
                          struct wattle_error *err)
{
    struct wtl_phase_model model = {0};
    struct parser parser = {
        .name = name, .at = text, .stop = text + n, .model = &model, .err = err};
    int rc = read_head(&parser);
    while (rc == 0)
        rc = read_one(&parser);
    free(parser.text);
    wtl_model_run_fini(&parser.run);
    if (rc < 0) {
        wtl_phase_model_fini(&model);
        return rc;
    }
    *ret_model = model;
    return 0;
}

int wtl_phase_model_read(const char *path,
                         struct wtl_phase_model *ret_model,
                         struct wattle_error *err)
{
    FILE *file = fopen(path, "re");
    size_t size = 0, room = 0, got = 1;
    char *text = NULL;
    int rc = 0;
    if (!file)
        return wtl_fail(err, -errno, "cannot read %s: %s", path, wtl_strerror(errno));
    errno = 0;
    while (rc == 0 && got > 0) {
        rc = wtl_reserve(&text, &room, size + LOAD_STEP, 1);
        got = rc == 0 ? fread(text + size, 1, LOAD_STEP, file) : 0;
        size += got;
    }
    if (rc < 0)
        rc = wtl_no_memory_for(err, "%s", path);
    else if (ferror(file))
        rc = wtl_fail(err, errno ? -errno : -EIO, "cannot read %s: %s", path,
                      wtl_strerror(errno ? errno : EIO));
    (void)fclose(file);
    rc = rc < 0 ? rc : wtl_phase_model_parse(path, text, size, ret_model, err);
    free(text);
    return rc;
}
