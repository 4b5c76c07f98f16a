/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of MonEQ's files. */
#include <errno.h>
#include <string.h>

#include "exchange/moneq/moneq_line.h"
#include "tap.h"

static int parse(const char *text, struct wtl_moneq_line *ret_line)
{
    const char *why;
    int rc = wtl_moneq_line_parse(text, strlen(text), ret_line, &why);
    ok((rc < 0) == (why != NULL), "what is refused has a reason");
    return rc;
}

#define FRONT  "2014-05-13 11:53:26,1400000006,9600000000,"
#define POWERS "1743.9889,915.7174,417.1284,53.1389,57.5081,208.6086,52.5118,39.3755"

static void test_glued(void)
{
    struct wtl_moneq_line line;
    is_int(parse(FRONT "6.5600010,1,2,15," POWERS, &line), 0, "15 fields");
    is_int(line.what, WTL_MONEQ_SAMPLE, "a sample");
    is_int(line.elapsed_ns, 6560001000, "six digits are the seconds");
    is_int(line.place.row, 0, "the rest is the row");
    is_int(line.place.board, 15, "node board");
    is_int(line.epoch_s, 1400000006, "seconds since 1970");
    is_int(line.date_s - line.epoch_s, -5 * 3600, "the date is five hours behind UTC");
    is_int(line.power[0].value.digits, 17439889, "node card");
    is_int(line.power[7].value.digits, 393755, "link chip core");
    is_int(parse(FRONT "106.00000012,3,1,4," POWERS, &line), 0, "a row of two digits");
    is_int(line.place.row, 12, "row 12");
    is_int(line.elapsed_ns, 106000000000, "106 s");
}

static void test_others(void)
{
    struct wtl_moneq_line line;
    is_int(parse(FRONT "6.560001,0,1,2,15," POWERS, &line), 0, "with the comma");
    is_int(line.place.midplane, 2, "midplane");
    is_int(parse("6.0483130," POWERS, &line), 0, "the paper's listing");
    ok(!line.has_place, "without a place");
    is_int(line.elapsed_ns, 6048313000, "its seconds");
    is_int(parse("6.05\t1\t2\t3\t4\t5\t6\t7\t8", &line), 0, "a .dat");
    is_int(parse(FRONT "6.5600010,1,2,15,nan,1,2,3,4,5,6,7", &line), 0, "no value");
    is_int(line.power[0].form, WTL_CELL_NAN, "nan is no value");
    is_int(parse("---MonEQ_START_POWER_TAG=work_loop", &line), 0, "a marker");
    is_int(line.what, WTL_MONEQ_TAG_START, "START");
    is_int(line.tag_length, 9, "its name");
    is_int(parse("---MonEQ_END_POWER_TAG=", &line), 0, "a marker without a name");
    is_int(line.what, WTL_MONEQ_TAG_END, "END");
    is_int(parse("", &line), 0, "an empty line");
    is_int(line.what, WTL_MONEQ_NOTHING, "nothing");
    is_int(parse("#seconds\tnode_card_power", &line), 0, "a header");
    is_int(line.what, WTL_MONEQ_NOTHING, "nothing");
}

static void test_wrong(void)
{
    static const char *const wrong[] = {"hello",
                                        FRONT "6.560001,1,2,15," POWERS,
                                        FRONT "6.56,1,2,15," POWERS,
                                        FRONT "-6.5600010,1,2,15," POWERS,
                                        FRONT "6.5600010,1,x,15," POWERS,
                                        FRONT "6.5600010,1,2,15,x,1,2,3,4,5,6,7",
                                        FRONT "6.5600010,1,2,15," POWERS ",1,2",
                                        "2014,x,1,6.5600010,1,2,15," POWERS,
                                        "x," POWERS,
                                        "1e300," POWERS,
                                        FRONT "6.5600010,1,2,99999999999999999999," POWERS};
    struct wtl_moneq_line line;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        is_int(parse(wrong[i], &line), -EBADMSG, "%s", wrong[i]);
}

int main(void)
{
    char place[48];
    test_glued();
    test_others();
    test_wrong();
    wtl_moneq_place_print(&(struct wtl_moneq_place){1, 2, 0, 15}, place);
    is_str(place, "R1-C2-M0-N15", "a place in words");
    struct wtl_moneq_place back;
    ok(wtl_moneq_place_parse(place, &back) && back.column == 2 && back.board == 15, "and back");
    ok(!wtl_moneq_place_parse("R1-C2-M0-N", &back), "without a number");
    ok(!wtl_moneq_place_parse("R1-C2-M0-N15x", &back), "with more behind");
    ok(!wtl_moneq_place_parse("n1", &back), "another name");
    return done_testing();
}
