/* SPDX-License-Identifier: BSD-3-Clause */
/* What a column of a code table means, by its name: see code_table.h. */
#ifndef WTL_EXCHANGE_CODE_COLUMN_H
#define WTL_EXCHANGE_CODE_COLUMN_H

enum wtl_code_meaning {
    WTL_CODE_OTHER,
    WTL_CODE_LABEL,
    WTL_CODE_GROUP,
    WTL_CODE_TIME,
    WTL_CODE_ENERGY,
    WTL_CODE_PMIN,
    WTL_CODE_PMAX,
    WTL_CODE_REPEAT,   /* the number of a run */
    WTL_CODE_PARAMETER /* not by its name */
};

struct wtl_code_column {
    char *name; /* as it stands in the header, without blanks around it; owned */
    enum wtl_code_meaning meaning;
    enum wtl_code_meaning
        strange;   /* of another one: named as this, but with what is no unit of it; else OTHER */
    double factor; /* to s, J, W */
};

/* 0, or -ENOMEM. A unit that is not known makes the column another one. */
int wtl_code_column_of(const char *name, struct wtl_code_column *ret_column);

/* "run time", "energy": for sentences. */
const char *wtl_code_meaning_name(enum wtl_code_meaning meaning);

/* The units of a number, as words: "W, mW, kW and MW". */
const char *wtl_code_meaning_units(enum wtl_code_meaning meaning);

/* The name and unit of a parameter from its column: "frequency_ghz" is "frequency", "GHz"; "threads" has none (""). */
void wtl_code_parameter_split(const char *column, char name[64], char unit[16]);

#endif
