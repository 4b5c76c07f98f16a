/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a function prints on stderr: said_begin(); call; said_end() is the text, until the
 * next said_begin().
 */
#ifndef WATTLE_TESTS_SAID_H
#define WATTLE_TESTS_SAID_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char said_text[4096];
static int said_stderr = -1;
static FILE *said_file;

static void said_begin(void)
{
    said_file = tmpfile();
    said_stderr = dup(STDERR_FILENO);
    if (!said_file || said_stderr < 0 || dup2(fileno(said_file), STDERR_FILENO) < 0)
        exit(1);
}

static const char *said_end(void)
{
    (void)fflush(stderr);
    if (dup2(said_stderr, STDERR_FILENO) < 0)
        exit(1);
    (void)close(said_stderr);
    rewind(said_file);
    said_text[fread(said_text, 1, sizeof said_text - 1, said_file)] = '\0';
    (void)fclose(said_file);
    return said_text;
}

#endif
