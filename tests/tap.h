/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A test is a program that prints TAP and exits 0 (passed), 1 (failed) or 77 (skipped). Each check
 * takes a printf format as its name and returns whether it held. Rows of a table name themselves:
 * `tap_line = row->line;` before a check. End main() with `return done_testing();`.
 */
#ifndef WATTLE_TESTS_TAP_H
#define WATTLE_TESTS_TAP_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAP_FN(format_at) __attribute__((format(printf, format_at, (format_at) + 1), unused)) static
#define ok(holds, ...)    tap_ok((holds), __FILE__, __LINE__, __VA_ARGS__)
#define is_int(got, want, ...) \
    tap_int((intmax_t)(got), (intmax_t)(want), __FILE__, __LINE__, __VA_ARGS__)
#define is_double(got, want, tolerance, ...) \
    tap_double((got), (want), (tolerance), __FILE__, __LINE__, __VA_ARGS__)
#define is_str(got, want, ...) tap_str((got), (want), __FILE__, __LINE__, __VA_ARGS__)

/* Weak: one for all sources of a test, or failures in one of them would not count. */
__attribute__((weak)) int tap_count, tap_failed;
__attribute__((weak)) int tap_line; /* line of the table's row, when not 0 */

/* Prints a comment line. */
TAP_FN(1) void diag(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    printf("# ");
    vprintf(format, ap);
    putchar('\n');
    va_end(ap);
}

__attribute__((format(printf, 4, 0), unused)) static bool tap_check(bool holds,
                                                                    const char *file,
                                                                    int line,
                                                                    const char *format,
                                                                    va_list ap)
{
    printf("%sok %d - ", holds ? "" : "not ", ++tap_count);
    vprintf(format, ap);
    putchar('\n');
    if (!holds) {
        tap_failed++;
        diag("at %s:%d", file, tap_line ? tap_line : line);
    }
    fflush(stdout);
    return holds;
}

TAP_FN(4) bool tap_ok(bool holds, const char *file, int line, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    tap_check(holds, file, line, format, ap);
    va_end(ap);
    return holds;
}

TAP_FN(5)
bool tap_int(intmax_t got, intmax_t want, const char *file, int line, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    if (!tap_check(got == want, file, line, format, ap))
        diag("got %jd, want %jd", got, want);
    va_end(ap);
    return got == want;
}

TAP_FN(6)
bool tap_double(double got,
                double want,
                double tolerance,
                const char *file,
                int line,
                const char *format,
                ...)
{
    bool near = got > want ? got - want <= tolerance : want - got <= tolerance;
    va_list ap;

    va_start(ap, format);
    if (!tap_check(near, file, line, format, ap))
        diag("got %.17g, want %.17g within %g", got, want, tolerance);
    va_end(ap);
    return near;
}

TAP_FN(5)
bool tap_str(const char *got, const char *want, const char *file, int line, const char *format, ...)
{
    bool same = got && want ? !strcmp(got, want) : got == want;
    va_list ap;

    va_start(ap, format);
    if (!tap_check(same, file, line, format, ap))
        diag("got \"%s\", want \"%s\"", got ? got : "(null)", want ? want : "(null)");
    va_end(ap);
    return same;
}

/* One check that is not possible here. */
TAP_FN(1) void skip(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    printf("ok %d # SKIP ", ++tap_count);
    vprintf(format, ap);
    putchar('\n');
    va_end(ap);
}

/* Nothing of this program can run here. */
__attribute__((unused)) static _Noreturn void skip_all(const char *why)
{
    printf("1..0 # SKIP %s\n", why);
    exit(77);
}

/* The exit status of main(); a program without checks has failed. */
__attribute__((unused)) static int done_testing(void)
{
    printf("1..%d\n", tap_count);
    if (tap_failed)
        diag("%d of %d failed", tap_failed, tap_count);
    return tap_failed || !tap_count ? 1 : 0;
}

#endif
