/* SPDX-License-Identifier: BSD-3-Clause */
/* The meaning of a code table's column, by its name: see code_table.h. */
#ifndef WTL_EXCHANGE_CODE_COLUMN_H
#define WTL_EXCHANGE_CODE_COLUMN_H

enum wtl_code_meaning {
    WTL_CODE_OTHER,
    WTL_CODE_LABEL,
    WTL_CODE_GROUP,
    WTL_CODE_TIME,
    WTL_CODE_ENERGY,
    WTL_CODE_HALF, /* half width of the energy's 95 % interval */
    WTL_CODE_PMIN,
    WTL_CODE_PMAX,
    WTL_CODE_REPEAT,   /* the number of a run */
    WTL_CODE_PARAMETER /* not determined by its name */
};

struct wtl_code_column {
    char *name; /* as in the header, without surrounding blanks; owned */
    enum wtl_code_meaning meaning;
    enum wtl_code_meaning
        strange;   /* the meaning its name suggests although its unit does not fit; else OTHER */
    double factor; /* factor to s, J, W */
};

/* 0, or -ENOMEM. A column with an unknown unit becomes OTHER. */
int wtl_code_column_of(const char *name, struct wtl_code_column *ret_column);

/* "run time", "energy": for messages. */
const char *wtl_code_meaning_name(enum wtl_code_meaning meaning);

/* The units of a quantity, as text: "W, mW, kW and MW". */
const char *wtl_code_meaning_units(enum wtl_code_meaning meaning);

/* Split the name of a parameter's column into name and unit: "frequency_ghz" is "frequency", "GHz";
 * "threads" has no unit (""). */
void wtl_code_parameter_split(const char *column, char name[64], char unit[16]);

#endif
