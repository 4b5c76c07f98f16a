/* SPDX-License-Identifier: BSD-3-Clause */
/* Alignment by characters, wrapping at 80 columns, and colour only if requested. */
#define _GNU_SOURCE
#include "report/table.h"

#include "base/utf8.h"

#include "tap.h"

static char *text;
static size_t size;

static FILE *begin(void)
{
    free(text);
    text = NULL;
    return open_memstream(&text, &size);
}

static void test_table(void)
{
    static const struct wtl_column columns[] = {{"name", false}, {"J", true}, {"last", false}};
    struct wtl_table *table = wtl_table_create(columns, 3);
    const char *first[] = {"a", "1", "x"}, *second[] = {"b\xC3\xA4r", "1234", NULL};
    wtl_table_row(table, WTL_PLAIN, first);
    wtl_table_rule(table);
    wtl_table_row(table, WTL_STRONG, second);
    FILE *out = begin();
    is_int(wtl_table_print(table, out, 1, NULL), 0, "printed");
    fclose(out);
    is_str(text,
           " name     J  last\n"
           " a        1  x\n"
           " ----------------\n"
           " b\xC3\xA4r   1234\n",
           "columns fit, no blanks at the end of lines");
    struct wtl_style style = {.color = true};
    out = begin();
    is_int(wtl_table_print(table, out, 1, &style), 0, "printed with colour");
    fclose(out);
    ok(strstr(text, "\033[1mb\xC3\xA4r\033[0m   "), "the escape stands outside of the padding");
    wtl_table_destroy(table);
    is_int(wtl_table_print(NULL, stdout, 0, NULL), -12, "no table for want of memory");
}

/* Narrower gaps first, then optional columns are dropped, those of the highest order first. */
static void test_narrow(void)
{
    static const struct wtl_column columns[] = {
        {"name", false}, {"energy", true}, {"mean", true}, {"range", true}, {"quality", false}};
    static const char *const cells[] = {"a rather long name of it", "12345678 +- 1", "1234567",
                                        "1234567..1234567", "measured"};
    static const struct {
        int line, width;
        const char *head;
    } pages[] = {
        {__LINE__, 80,
         " name                             energy     mean             range  quality\n"},
        {__LINE__, 74,
         " name                            energy    mean            range quality\n"},
        {__LINE__, 62, " name                             energy     mean  quality\n"},
        {__LINE__, 57, " name                            energy    mean quality\n"},
        {__LINE__, 50, " name                             energy  quality\n"},
        {__LINE__, 20, " name                             energy  quality\n"},
    };
    struct wtl_table *table = wtl_table_create(columns, 5);
    wtl_table_spare(table, 2, 1);
    wtl_table_spare(table, 3, 2);
    wtl_table_row(table, WTL_PLAIN, cells);
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        tap_line = pages[i].line;
        const struct wtl_style style = {.width = pages[i].width};
        FILE *out = begin();
        is_int(wtl_table_print(table, out, 1, &style), 0, "printed");
        (void)fclose(out);
        ok(strncmp(text, pages[i].head, strlen(pages[i].head)) == 0, "%d columns: %s",
           pages[i].width, text);
        ok(pages[i].width < 40 ||
               (!strstr(text, "too narrow") == (strstr(pages[i].head, "range") != NULL) &&
                !strstr(text, "too narrow for: mean") == (strstr(pages[i].head, "mean") != NULL)),
           "names what was left out: %s", text);
    }
    tap_line = 0;
    wtl_table_destroy(table);
}

static void test_paragraph(void)
{
    char words[2000] = "";
    for (size_t i = 0; i < 120; i++)
        snprintf(words + strlen(words), sizeof words - strlen(words), "%sw%zu", i ? " " : "", i);
    FILE *out = begin();
    wtl_print_paragraph(out, NULL, WTL_PLAIN, 16, "label", words);
    wtl_print_paragraph(out, NULL, WTL_PLAIN, 4, "longer label", "x y");
    wtl_print_paragraph(out, NULL, WTL_PLAIN, 4, "none", "");
    fclose(out);
    size_t longest = 0;
    for (const char *p = text; *p; p += strcspn(p, "\n") + 1) {
        size_t n = strcspn(p, "\n");
        longest = n > longest ? n : longest;
    }
    ok(longest <= 80 && longest > 72, "lines are filled up to 80 columns: %zu", longest);
    ok(strncmp(text, " label           w0 w1", 22) == 0, "the label stands before the text");
    ok(strstr(text, "\n                 w"), "further lines are below the text");
    ok(strstr(text, "\n longer label x y\n"), "a longer label pushes the text");
    ok(strstr(text, "\n none \n"), "an empty text");
    for (size_t i = 0; i < 120; i += 17) {
        char word[16];
        snprintf(word, sizeof word, "w%zu", i);
        ok(strstr(text, word), "%s is there", word);
    }
    char *one = malloc(400);
    memset(one, 'x', 399);
    one[399] = '\0';
    out = begin();
    wtl_print_paragraph(out, NULL, WTL_PLAIN, 2, "l", one);
    fclose(out);
    size_t xs = 0;
    for (const char *p = text; *p; p++)
        xs += *p == 'x';
    is_int(xs, 399, "nothing of an overlong word is lost");
    free(one);

    struct wtl_style style = {.color = true};
    out = begin();
    wtl_print_paragraph(out, &style, WTL_CAUTION, 4, "l", "text");
    fclose(out);
    is_str(text, "\033[33m l   text\033[0m\n", "a paragraph in colour");
}

/* Names of regions, channels and files are untrusted: none may move the cursor or break a table. */
static void test_hostile_text(void)
{
    static const struct wtl_column columns[] = {{"name", false}, {"J", true}};
    struct wtl_table *table = wtl_table_create(columns, 2);
    const char *row[] = {"a\n\033[2Jb\xFF\xC2\x9B\xC3\xA4", "1"};
    wtl_table_row(table, WTL_PLAIN, row);
    FILE *out = begin();
    is_int(wtl_table_print(table, out, 0, NULL), 0, "printed");
    wtl_print_paragraph(out, NULL, WTL_PLAIN, 4, "l\r", "x\033y\tz");
    wtl_print_sentence(out, "%s: %d rows\n", "a\033]0;\xE2\x80\xAE.wtl", 3);
    fclose(out);
    is_str(text,
           "name        J\n"
           "a??[2Jb??\xC3\xA4  1\n"
           " l?  x?y?z\n"
           "a?]0;?.wtl: 3 rows\n",
           "control characters and bytes that are no UTF-8 are replaced");
    wtl_table_destroy(table);
}

int main(void)
{
    test_table();
    test_narrow();
    test_paragraph();
    test_hostile_text();
    free(text);
    return done_testing();
}
