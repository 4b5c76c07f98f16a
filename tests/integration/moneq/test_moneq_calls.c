/* SPDX-License-Identifier: BSD-3-Clause */
/* MonEQ's calls, correct and incorrect, in one process without MPI. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bgq_err.h"
#include "powermon_bgq.h"
#include "tap.h"

static void test_before(void)
{
    double watts[7] = {5, 5, 5, 5, 5, 5, 5};
    is_str(MonEQ_GetLastErrorMessage(), "No last error message.", "no error yet");
    is_int(MonEQ_MonitorAgentOnRank(), 0, "no agent before Initialize");
    is_double(MonEQ_GetPower(), -1, 0, "no power before Initialize");
    is_double(MonEQ_GetDomainPower(watts), -1, 0, "nor of domains");
    is_double(watts[0], 5, 0, "they are left as they are");
    is_int(MonEQ_StartPowerTag("early"), ENOTAGENTONRANK, "no tags before Initialize");
    is_int(MonEQ_Finalize(), EEMONERR, "nor Finalize");
    is_int(MonEQ_SetFirstCollectionDelay(2, 999999), EFSTCOLLSHORT, "2.999999 s are too short");
    ok(strstr(MonEQ_GetLastErrorMessage(), "3 seconds") != NULL, "and it says so");
    is_int(MonEQ_SetFirstCollectionDelay(3, 0), MonEQ_SUCCESS, "3 s are not");
    is_int(MonEQ_SetCollectionInterval(0, 20000), MonEQ_SUCCESS, "20 ms");
}

static void test_facts(void)
{
    static const int want[7] = {1, 2, 6, 7, 3, 4, 8};
    int ids[7];
    uint32_t ratio[7];
    is_int(MonEQ_GetNumDomains(), 7, "domains");
    is_int(MonEQ_GetNumDCA(), 2, "converters");
    is_int(MonEQ_GetDomainIDs(ids), 0, "ids");
    ok(memcmp(ids, want, sizeof want) == 0, "those of table 1, without a 5");
    is_int(MonEQ_GetVTMRatio(ratio), 0, "factors");
    for (int i = 0; i < 7; i++)
        is_int(ratio[i], 1, "factor of domain %d", i);
}

static void test_tags(void)
{
    char name[300], volatile_name[] = "copied";
    is_int(MonEQ_StartPowerTag("outer"), 0, "a tag");
    is_int(MonEQ_StartPowerTag("inner"), 0, "within it another one");
    is_int(MonEQ_StartPowerTag(volatile_name), 0, "one more");
    memset(volatile_name, '#', sizeof volatile_name - 1);
    is_int(MonEQ_EndPowerTag("copied"), 0, "its name was copied");
    is_int(MonEQ_EndPowerTag("outer"), 0, "they may cross");
    is_int(MonEQ_EndPowerTag("inner"), 0, "the rest");
    is_int(MonEQ_StartPowerTag("outer"), 0, "a name again");
    is_int(MonEQ_EndPowerTag("outer"), 0, "and its end");
    is_int(MonEQ_StartPowerTag("two words"), EMKPWRTAGSP, "a blank");
    is_int(MonEQ_EndPowerTag("two words"), EMKPWRTAGSP, "a blank in the end");
    is_int(MonEQ_StartPowerTag(""), EMKPWRTAGSP, "no name");
    is_int(MonEQ_StartPowerTag(NULL), EMKPWRTAGSP, "NULL");
    is_int(MonEQ_EndPowerTag("unheard"), EFINDPWRTAGNM, "an end without begin");
    ok(strstr(MonEQ_GetLastErrorMessage(), "No tag") != NULL, "in words");
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    is_int(MonEQ_StartPowerTag(name), EMKPWRTAG, "a name that is too long");
    is_int(MonEQ_EndPowerTag(name), EFINDPWRTAGNM, "which was not started");
}

static void test_power(void)
{
    double volts[14], amperes[14], first[7], second[7], watts[7];
    bool all_unknown = true;
    double total = MonEQ_GetPower();
    ok(isnan(total) || total > 0, "power now, or unknown: %g W", total);
    total = MonEQ_GetVoltageAndCurrent(volts, amperes);
    ok(isnan(total) || total > 0, "the same beside volts and amperes");
    for (int i = 0; i < 14; i++)
        all_unknown = all_unknown && isnan(volts[i]) && isnan(amperes[i]);
    (void)MonEQ_GetDomainPowerByDCA(first, second);
    for (int i = 0; i < 7; i++)
        all_unknown = all_unknown && isnan(first[i]) && isnan(second[i]);
    ok(all_unknown, "volts, amperes and converters are unknown, not 0");
    (void)MonEQ_GetDomainPower(watts);
    ok(isnan(watts[3]) && isnan(watts[4]) && isnan(watts[6]), "SRAM, optics, link chips: unknown");
    for (int i = 0; i < 7; i++)
        ok(isnan(watts[i]) || watts[i] > 0, "domain %d is not silently 0", i);
}

int main(void)
{
    const MonEQ_ERROR error = {EOPENOUTPUT, (char *)"words"};
    test_before();
    is_int(MonEQ_Initialize(), MonEQ_SUCCESS, "Initialize: %s", MonEQ_GetLastErrorMessage());
    is_int(MonEQ_Initialize(), MonEQ_SUCCESS, "again: harmless");
    is_int(MonEQ_MonitorAgentOnRank(), 1, "alone, this process is the agent");
    test_facts();
    test_tags();
    test_power();
    is_str(MonEQ_GetMessageForError(error), "words", "the words of an error");
    is_int(MonEQ_Finalize(), MonEQ_SUCCESS, "Finalize");
    is_int(MonEQ_Finalize(), EEMONERR, "again: told");
    is_int(MonEQ_MonitorAgentOnRank(), 0, "no agent any more");
    is_double(MonEQ_GetPower(), -1, 0, "no power any more");
    (void)fflush(stdout);
    (void)puts("# BEGIN");
    MonEQ_PrintPowerTagsList();
    MonEQ_PrintDomainInfo();
    MonEQ_PrintVTMRatio();
    (void)puts("# END");
    return done_testing();
}
