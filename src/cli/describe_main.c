/* SPDX-License-Identifier: BSD-3-Clause */
/* A program for scripts/describe: prints the descriptions of documents in docs/format from their tables. */
#include <stdio.h>
#include <string.h>

#include "cli/documents.h"
#include "report/json_value.h"

static int print_schema(const char *name)
{
    for (const struct wtl_document *document = wtl_documents; document->schema; document++)
        if (strcmp(document->schema, name) == 0)
            return wtl_json_print(stdout, wtl_document_schema(document));
    return -1;
}

static int print_columns(const char *of)
{
    const struct wtl_columns *columns = wtl_export_columns;
    while (columns->of && strcmp(columns->of, of) != 0)
        columns++;
    for (size_t i = 0; columns->of && columns->names[i]; i++)
        (void)printf("%s`%s`", i ? ", " : "", columns->names[i]);
    (void)putchar('\n');
    return columns->of ? 0 : -1;
}

int main(int argc, char **argv)
{
    const struct wtl_noun *noun = argc == 3 ? wtl_noun_find(wtl_documents, argv[2]) : NULL;
    int rc = -1;
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        for (const struct wtl_document *document = wtl_documents; document->schema; document++)
            (void)printf("%s\n", document->schema);
        rc = 0;
    } else if (argc == 3 && strcmp(argv[1], "schema") == 0) {
        rc = print_schema(argv[2]);
    } else if (noun && strcmp(argv[1], "members") == 0) {
        wtl_noun_markdown(stdout, noun);
        rc = 0;
    } else if (noun && strcmp(argv[1], "columns") == 0) {
        wtl_noun_markdown_csv(stdout, noun);
        rc = 0;
    } else if (argc == 3 && strcmp(argv[1], "columns") == 0) {
        rc = print_columns(argv[2]);
    }
    if (rc < 0)
        (void)fprintf(stderr,
                      "describe: expected list, schema DOCUMENT, members NOUN or columns NOUN\n");
    return rc < 0 || fflush(stdout) != 0;
}
