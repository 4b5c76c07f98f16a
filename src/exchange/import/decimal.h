/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decimal: a number as written, digits * 10^exponent, without rounding to a double. Imported
 * samples are kept in this form: a trace stores integers and a scale.
 */
#ifndef WTL_EXCHANGE_DECIMAL_H
#define WTL_EXCHANGE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wtl_decimal {
    int64_t digits; /* 18 or 19 digits; further ones are rounded */
    int exponent;   /* trailing zeros of a fraction are dropped: "1.50" is 15 * 10^-1 */
};

/*
 * Parse n bytes that must be one number: "-1.5e-3", "12", ".5"; `point` is its decimal sign.
 * Surrounding blanks are skipped. Returns 0, or -EINVAL if it is not a number (also for "nan",
 * "inf", hexadecimal), or -ERANGE if it is beyond 10^+-300. *ret is set only on success.
 */
int wtl_decimal_parse(const char *text, size_t n, char point, struct wtl_decimal *ret);

/* The nearest double, or one next to it. */
double wtl_decimal_value(struct wtl_decimal decimal);

/*
 * digits * 10^(exponent + places), rounded to an integer: the number in units of 10^-places.
 * Returns 0, or -ERANGE if it has more than 18 digits. *ret_exact (may be NULL): nothing was
 * rounded.
 */
int wtl_decimal_scaled(struct wtl_decimal decimal, int places, int64_t *ret, bool *ret_exact);

/* The same with all 64 bits: times in ns since 1970 have 19 digits. */
int wtl_decimal_whole(struct wtl_decimal decimal, int places, int64_t *ret);

/* Number of digits before the point: 3 for 123.4, 0 for 0.5, -1 for 0.05. */
int wtl_decimal_magnitude(struct wtl_decimal decimal);

#endif
