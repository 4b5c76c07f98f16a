/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decimal: a number as it was written, digits * 10^exponent, without the rounding of a double. Imported
 * samples are kept as such: a trace holds whole numbers and a scale.
 */
#ifndef WTL_EXCHANGE_DECIMAL_H
#define WTL_EXCHANGE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wtl_decimal {
    int64_t digits; /* 18 of them, or 19; further ones are rounded away */
    int exponent;   /* zeros at the end of a fraction are left out: "1.50" is 15 * 10^-1 */
};

/*
 * Read n bytes that are the whole number: "-1.5e-3", "12", ".5"; `point` is its decimal sign. Blanks
 * around it are passed over. Returns 0, or -EINVAL when it is none (also "nan", "inf", hexadecimal), or
 * -ERANGE when it is beyond 10^+-300. *ret is touched only on success.
 */
int wtl_decimal_parse(const char *text, size_t n, char point, struct wtl_decimal *ret);

/* The nearest double, or next to it. */
double wtl_decimal_value(struct wtl_decimal decimal);

/*
 * digits * 10^(exponent + places), rounded, as a whole number: the number in units of 10^-places.
 * Returns 0, or -ERANGE when it has more than 18 digits. *ret_exact (may be NULL): nothing was rounded.
 */
int wtl_decimal_scaled(struct wtl_decimal decimal, int places, int64_t *ret, bool *ret_exact);

/* The same with all of 64 bits: times in ns since 1970 have 19 digits. */
int wtl_decimal_whole(struct wtl_decimal decimal, int places, int64_t *ret);

/* Number of digits before the point: 3 of 123.4, 0 of 0.5, -1 of 0.05. */
int wtl_decimal_magnitude(struct wtl_decimal decimal);

#endif
