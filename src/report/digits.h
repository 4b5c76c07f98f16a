/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers with as many digits as their interval supports, and no more. */
#ifndef WTL_REPORT_DIGITS_H
#define WTL_REPORT_DIGITS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/energy.h"

/* All write into buf (n >= 32 bytes serve every number) and return it. NaN is "unknown". */

/* The value, rounded to the second significant digit of its half width: 1234.567 with 0.2345 is
 * "1234.57". Half width unknown (NaN): three significant digits. 0: six. */
char *wtl_digits_value(char *buf, size_t n, double value, double half);

/* The value rounded down to those digits: what is true of a lower bound. half: at most the value. */
double wtl_digits_lowered(double value, double half);

/* "1234.57 +- 0.23"; "1230" when the half width is unknown. */
char *wtl_digits_interval(char *buf, size_t n, double value, double half);

/* "810 (450..1390)": an estimate between low and high. */
char *wtl_digits_range(char *buf, size_t n, double value, double low, double high);

/* An estimate between low and high, or with two digits if these are unknown (NaN). */
char *wtl_digits_estimate(char *buf, size_t n, double value, double low, double high);

/* With its uncertainty: an estimate, or a value too short to resolve, between its ends; an estimate with
 * unknown ends with two digits; a partly unknown sum as "at least 206.00", the lower end of what is known; otherwise with its half width. */
char *wtl_digits_energy(char *buf, size_t n, const struct wtl_energy *energy);

/* The half width that the digits of what is worked out from the energy may follow. */
double wtl_digits_half(const struct wtl_energy *energy);

/* With a prefix of 10^-12 to 10^12, for a unit to follow: "1.10 u", "909 k", "12.3 ". */
char *wtl_digits_si(char *buf, size_t n, double value, double half);

/* As the value alone, for a product that may be tiny: below 0.001 with a prefix, and always at least
 * one digit that is not 0: "15999.8 ", "120 n". */
char *wtl_digits_product(char *buf, size_t n, double value, double half);

/* Two to three digits, for minimum and maximum power: "8.2", "104". */
char *wtl_digits_short(char *buf, size_t n, double value);

/* A duration in seconds in a handy unit, with three digits: "976 us", "1.21 ms", "12.3 s". */
char *wtl_digits_time(char *buf, size_t n, double seconds);

/* Bytes: "812 MiB". */
char *wtl_digits_bytes(char *buf, size_t n, double bytes);

#endif
