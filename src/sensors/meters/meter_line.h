/* SPDX-License-Identifier: BSD-3-Clause */
/* What lines of serial meters say: the line protocol of docs/format/line-meter.md, and WattsUp's records. Pure. */
#ifndef WTL_SENSORS_METER_LINE_H
#define WTL_SENSORS_METER_LINE_H

#include <stddef.h>
#include <stdint.h>

enum { WTL_METER_VALUES = 32, WTL_METER_NAME = 32 };

enum wtl_meter_line_kind {
    WTL_METER_HELLO = 'M',
    WTL_METER_CHANNEL = 'C',
    WTL_METER_DATA = 'D',
};

enum wtl_meter_unit { WTL_METER_UJ, WTL_METER_MW, WTL_METER_ADC };

struct wtl_meter_line {
    enum wtl_meter_line_kind kind;
    uint32_t boot;             /* hello, data */
    char name[WTL_METER_NAME]; /* hello: of the meter; channel: its label */
    uint32_t period_us;        /* hello */
    unsigned count;            /* hello: channels; data: values; channel: its number */
    enum wtl_meter_unit unit;  /* channel */
    char domain[16];           /* channel: a name of wattle_domain_name() */
    uint32_t seq;              /* data */
    uint64_t t_us;             /* data: the meter's clock */
    int64_t values[WTL_METER_VALUES];
    uint32_t unknown; /* bit i: value i is not known now */
};

/* CRC-16/CCITT-FALSE: polynomial 0x1021, initial value 0xffff. */
uint16_t wtl_meter_crc(const char *text, size_t n);

/* Returns 0, or -EBADMSG for anything that is not exactly a line of this protocol. */
int wtl_meter_line_parse(const char *text, struct wtl_meter_line *ret);

/* A data record of a WattsUp? Pro, without its ';'. Returns 1 and tenths of a watt; 0 for a record of another kind; -EBADMSG if it is
 * damaged. Its protocol has no checksum: the power must agree with volts, amperes and power factor where they are known. */
int wtl_wattsup_parse(const char *text, uint64_t *ret_tenths);

#endif
