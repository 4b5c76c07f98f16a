/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers with a few significant digits, for sentences. */
#ifndef WTL_BASE_FIGURES_H
#define WTL_BASE_FIGURES_H

#include <stddef.h>

enum { WTL_FIGURES = 32 }; /* bytes of the text */

/* The text of WTL_FIGURES bytes: the value with so many significant digits, as "%.*g" has it, but with zeros instead of an
 * exponent up to 10^15: "250", not "2.5e+02". */
const char *wtl_figures(char *text, double value, int digits);

/* The same for an argument of printf(), valid until the end of the block. */
#define WTL_IN_FIGURES(value, digits) wtl_figures((char[WTL_FIGURES]){""}, value, digits)

#endif
