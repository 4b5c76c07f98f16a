/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of regions for values of event types: "TYPE:VALUE", or with the texts of Extrae_define_event_type
 * "DESCRIPTION: TEXT". Of a type, values above VALUE_NAMED_MOST without a text share one region "TYPE:...", since
 * programs also use values as counters. Looking up a known one takes no lock.
 */
#ifndef EXTRAE_VALUE_NAME_H
#define EXTRAE_VALUE_NAME_H

#include <stdint.h>

enum { VALUE_NAMED_MOST = 255 };

/* Id of the region; 0 = none (the table is full). value > 0. */
uint32_t value_name(uint32_t type, uint64_t value);

/* NULL or "" = no text. */
void value_name_define_type(uint32_t type, const char *description);
void value_name_define(uint32_t type, uint64_t value, const char *text);

#endif
