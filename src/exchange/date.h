/* SPDX-License-Identifier: BSD-3-Clause */
/* Dates of the Gregorian calendar. */
#ifndef WTL_EXCHANGE_DATE_H
#define WTL_EXCHANGE_DATE_H

#include <stdint.h>

/* Days from 1970-01-01 to a date, counting years that begin in March. */
static inline int64_t wtl_date_days(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

#endif
