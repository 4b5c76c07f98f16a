/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of serial meters: what is exactly a line is taken; nothing that became of one by damage is. */
#include "sensors/meters/meter_line.h"

#include <errno.h>

#include "tap.h"

static const char *framed(const char *body)
{
    static char line[600];
    (void)snprintf(line, sizeof line, "$%s*%04X", body, wtl_meter_crc(body, strlen(body)));
    return line;
}

static void check_good(void)
{
    struct wtl_meter_line line;
    is_int(wtl_meter_crc("123456789", 9), 0x29b1, "the checksum is CRC-16/CCITT-FALSE");
    is_int(wtl_meter_line_parse(framed("WM1,rig-2,77,40000,3"), &line), 0, "hello");
    ok(line.kind == WTL_METER_HELLO && line.boot == 77 && line.period_us == 40000 &&
           line.count == 3 && strcmp(line.name, "rig-2") == 0,
       "... with its values");
    is_int(wtl_meter_line_parse(framed("WC1,2,adc,board,12V.a"), &line), 0, "channel");
    ok(line.kind == WTL_METER_CHANNEL && line.count == 2 && line.unit == WTL_METER_ADC &&
           strcmp(line.domain, "board") == 0 && strcmp(line.name, "12V.a") == 0,
       "... with its values");
    is_int(wtl_meter_line_parse(framed("WD1,77,4294967295,1234567,-5,-,9000000000000"), &line), 0,
           "data");
    ok(line.kind == WTL_METER_DATA && line.seq == UINT32_MAX && line.t_us == 1234567 &&
           line.count == 3 && line.values[0] == -5 && line.unknown == 2 &&
           line.values[2] == INT64_C(9000000000000),
       "... with its values");
    char text[600];
    (void)snprintf(text, sizeof text, "%s\r", framed("WD1,1,2,3,4"));
    is_int(wtl_meter_line_parse(text, &line), 0, "a carriage return is no damage");
}

static void check_bad(void)
{
    static const char *const bodies[] = {
        "WD1,77,1,2",      "WD1,77,1,2,",           "WD1,77,1,2,x",
        "WD1,77,1,2,1.5",  "WD1,-1,1,2,3",          "WD1,77,1,2, 3",
        "WD2,77,1,2,3",    "WM1,a b,1,40000,1",     "WM1,a,1,0,1",
        "WM1,a,1,40000,0", "WM1,a,1,40,33",         "WC1,32,uJ,node,a",
        "WC1,0,kJ,node,a", "WC1,0,uJ,node,",        "",
        "WD1,1,1,1,--",    "WD1,77,4294967296,2,3", "WD1,77,1,99999999999999999999,3"};
    struct wtl_meter_line line;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        is_int(wtl_meter_line_parse(framed(bodies[i]), &line), -EBADMSG, "refused: %s", bodies[i]);
    char many[400] = "WD1,1,1,1";
    for (int i = 0; i < 33; i++)
        strcat(many, ",1");
    is_int(wtl_meter_line_parse(framed(many), &line), -EBADMSG, "refused: 33 values");
}

/* Each byte changed to each other, left out, doubled, and each end cut off. */
static void check_damage(void)
{
    char good[600], bad[600];
    struct wtl_meter_line line;
    unsigned taken = 0, tries = 0;
    (void)snprintf(good, sizeof good, "%s", framed("WD1,77,1200,1234567,118250,-12"));
    size_t n = strlen(good);
    for (size_t i = 0; i < n; i++) {
        for (int c = 1; c < 256; c++) {
            memcpy(bad, good, n + 1);
            bad[i] = (char)c;
            taken += bad[i] != good[i] && wtl_meter_line_parse(bad, &line) == 0;
            tries++;
        }
        memcpy(bad, good, i);
        memcpy(bad + i, good + i + 1, n - i);
        taken += wtl_meter_line_parse(bad, &line) == 0;
        memcpy(bad, good, i + 1);
        memcpy(bad + i + 1, good + i, n - i + 1);
        taken += wtl_meter_line_parse(bad, &line) == 0;
        memcpy(bad, good, i);
        bad[i] = '\0';
        taken += wtl_meter_line_parse(bad, &line) == 0;
        taken += i > 0 && wtl_meter_line_parse(good + i, &line) == 0;
        tries += 4;
    }
    is_int(taken, 0, "none of %u damaged lines is taken", tries);
}

static void check_wattsup(void)
{
    static const struct {
        int line;
        const char *text;
        int rc;
        uint64_t tenths;
    } rows[] = {
        {__LINE__, "#d,-,18,1184,1203,1012,40,_,_,_,1190,_,_,_,_,_,97,_,_,600,1217", 1, 1184},
        {__LINE__, "\r\n#d,-,18,124,1191,107,0,_,_,_,124,_,_,_,_,_,_,_,_,_,_", 1, 124},
        {__LINE__, "#d,-,18,0,1191,0,0,_,_,_,124,_,_,_,_,_,_,_,_,_,_", 1, 0},
        {__LINE__, "#d,-,18,11184,1203,1012,40,_,_,_,1190,_,_,_,_,_,97,_,_,600,1217", -EBADMSG, 0},
        {__LINE__, "#d,-,18,118,1203,1012,40,_,_,_,1190,_,_,_,_,_,97,_,_,600,1217", -EBADMSG, 0},
        {__LINE__, "#d,-,18,1184,1203,1012,40,_,_,_,1190,_,_,_,_,97,_,_,600,1217", -EBADMSG, 0},
        {__LINE__, "#d,-,18,_,1203,1012,40,_,_,_,1190,_,_,_,_,_,97,_,_,600,1217", -EBADMSG, 0},
        {__LINE__, "#d,-,18,11x4,1203,1012,40,_,_,_,1190,_,_,_,_,_,97,_,_,600,1217", -EBADMSG, 0},
        {__LINE__, "84,1203,1012,40,_,_,_,1190,_,_,_,_,_,97,_,_,600,1217", -EBADMSG, 0},
        {__LINE__, "#l,-,0", 0, 0},
        {__LINE__, "\xfe\x01#", -EBADMSG, 0},
        {__LINE__, "", -EBADMSG, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t tenths = 0;
        tap_line = rows[i].line;
        is_int(wtl_wattsup_parse(rows[i].text, &tenths), rows[i].rc, "record %zu", i);
        if (rows[i].rc > 0)
            is_int(tenths, rows[i].tenths, "... its power");
    }
    tap_line = 0;
}

int main(void)
{
    check_good();
    check_bad();
    check_damage();
    check_wattsup();
    return done_testing();
}
