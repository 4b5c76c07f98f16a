/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The values of a fake vendor library: the file $WATTLE_FAKE_GPU, read again at each call, has a line "KEY VALUE" for each
 * thing that the fake devices answer. A value "!CODE" is an error of the library, "hang" never returns, "crash" is a wild
 * pointer. A key without a line is what the vendor's "not supported" is. So a test changes a device by writing the file. After
 * a value, " mark:NAME" makes a file $WATTLE_FAKE_GPU.NAME when the value is asked for.
 */
#ifndef WATTLE_TESTS_FAKE_VALUES_H
#define WATTLE_TESTS_FAKE_VALUES_H

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fake_value {
    bool known;
    int status;     /* 0, or what was after "!" */
    uint64_t whole; /* the value as a whole number, as a number, as text */
    double real;
    char text[128];
};

__attribute__((format(printf, 1, 2), unused)) static struct fake_value fake_value(
    const char *format,
    ...)
{
    struct fake_value value = {.known = false};
    char key[64], line[256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(key, sizeof key - 1, format, args);
    va_end(args);
    size_t n = strlen(key);
    const char *path = getenv("WATTLE_FAKE_GPU");
    FILE *file = path ? fopen(path, "re") : NULL;
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, key, n) == 0 && line[n] == ' ') {
            line[strcspn(line, "\n")] = '\0';
            value.known = true;
            (void)snprintf(value.text, sizeof value.text, "%.127s", line + n + 1);
        }
    if (file)
        (void)fclose(file);
    char *mark = strstr(value.text, " mark:");
    if (mark) {
        char made[512];
        *mark = '\0';
        (void)snprintf(made, sizeof made, "%s.%s", path, mark + strlen(" mark:"));
        file = fopen(made, "we");
        if (file)
            (void)fclose(file);
    }
    while (strcmp(value.text, "hang") == 0)
        (void)pause();
    if (strcmp(value.text, "crash") == 0)
        (void)raise(SIGSEGV);
    if (value.text[0] == '!')
        value.status = (int)strtoul(value.text + 1, NULL, 0);
    value.whole = strtoull(value.text, NULL, 0);
    value.real = strtod(value.text, NULL);
    return value;
}

/* The status of a call whose answer is this value. */
__attribute__((unused)) static int fake_status(const struct fake_value *value, int not_supported)
{
    return value->known ? value->status : not_supported;
}

#endif
