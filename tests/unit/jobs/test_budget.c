/* SPDX-License-Identifier: BSD-3-Clause */
/* Budgets, factors and times: what files may say, and what follows from them. */
#define _GNU_SOURCE
#include "tap.h"

#include <errno.h>
#include <math.h>
#include <time.h>

#include "jobs/budget.h"
#include "jobs/factors.h"
#include "jobs/job_time.h"

#define NS INT64_C(1000000000)

static int64_t at(const char *text)
{
    int64_t ns = -1;
    return wtl_job_time_parse(text, &ns) == 0 ? ns : -1;
}

static void test_times(void)
{
    const int64_t noon = INT64_C(1772366400) * NS; /* 2026-03-01 12:00 UTC */
    int64_t ns;
    is_int(at("2026-03-01T12:00Z"), noon, "UTC");
    is_int(at("2026-03-01 13:00:00"), noon, "local");
    is_int(at("1772366400"), noon, "seconds");
    is_int(at("2026-03"), noon - 13 * 3600 * NS, "a month");
    const char *const bad[] = {"",
                               "2026",
                               "2026-13",
                               "2026-02-30",
                               "2026-03-01T",
                               "2026-03-01T24:00",
                               "2026-03-01x",
                               "26-03-01",
                               "2026-3-1",
                               "99999999999999999999",
                               "1772366400x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        is_int(at(bad[i]), -1, "no time: \"%s\"", bad[i]);
    ok(wtl_job_time_parse_from("2h", noon, &ns) == 0 && ns == noon - 7200 * NS, "two hours ago");
    ok(wtl_job_time_parse_from("month", noon, &ns) == 0 && ns == noon - 13 * 3600 * NS,
       "this month");
    ok(wtl_job_time_parse_from("today", noon, &ns) == 0 && ns == noon - 13 * 3600 * NS, "today");
    ok(wtl_job_time_parse_from("7", noon, &ns) < 0 &&
           wtl_job_time_parse_from("-7d", noon, &ns) < 0 &&
           wtl_job_time_parse_from("yesterday", noon, &ns) < 0,
       "no times from now");
    is_int(wtl_job_time_first_of_month(noon, 1), at("2026-04-01"),
           "the next month, over the change of the clock");
}

static void test_factors(void)
{
    static const char text[] =
        "from,price-per-kwh,co2-g-per-kwh\n2026-01-01,0.3,400\n# later\n 2026-07-01 , 0.2 ,\n";
    struct wtl_factors factors;
    struct wattle_error err = {""};
    ok(wtl_factors_init(&factors, 1, NAN) == 0 &&
           wtl_factors_read(&factors, "f", text, strlen(text), &err) == 0,
       "read %s", err.text);
    is_double(wtl_factors_at(&factors, at("2025-12-31"))->price_per_kwh, 1, 0,
              "that of the settings before");
    is_double(wtl_factors_at(&factors, at("2026-01-01"))->price_per_kwh, 0.3, 0,
              "from its first moment on");
    is_double(wtl_factors_at(&factors, at("2026-06-30"))->co2_g_per_kwh, 400, 0, "until the next");
    ok(isnan(wtl_factors_at(&factors, at("2027-01-01"))->co2_g_per_kwh),
       "empty is unknown, not the one before");
    wtl_factors_fini(&factors);
    const char *const bad[] = {"from,price\n2026-01-01,1\n",
                               "from,price-per-kwh\n2026-01-01,-1\n",
                               "from,price-per-kwh\nx,1\n",
                               "from,price-per-kwh\n2026-01-02,1\n2026-01-01,1\n",
                               "from,price-per-kwh\n2026-01-01,1,2\n",
                               "",
                               "from,price-per-kwh\n2026-01-01,nan\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        (void)wtl_factors_init(&factors, NAN, NAN);
        is_int(wtl_factors_read(&factors, "f", bad[i], strlen(bad[i]), &err), -EBADMSG,
               "refused: %s", err.text);
        wtl_factors_fini(&factors);
    }
}

static void test_budgets(void)
{
    static const char text[] = "account,from,to,budget\nphys,2026-01-01,2027-01-01,365 "
                               "kWh\nchem,month,,3.1MJ\nold,2025-01-01,2026-01-01,1 J\n";
    struct wtl_budgets budgets;
    struct wattle_error err = {""};
    double j;
    is_int(wtl_budgets_read(&budgets, "b", text, strlen(text), &err), 0, "read %s", err.text);
    struct wtl_budgets marked;
    static const char spreadsheet[] = "\xef\xbb\xbf"
                                      "account,from,to,budget\r\na,month,,1 J\r\n";
    is_int(wtl_budgets_read(&marked, "b", spreadsheet, sizeof spreadsheet - 1, &err), 0,
           "with the mark of a spreadsheet: %s", err.text);
    is_int(marked.count, 1, "its row");
    wtl_budgets_fini(&marked);
    wtl_budgets_at(&budgets, at("2026-01-11T00:00"));
    is_int(budgets.count, 2, "those of this time");
    is_double(budgets.items[0].joules, 365 * 3.6e6, 1e-6, "kWh");
    is_int(budgets.items[1].to_ns, at("2026-02-01"), "a calendar month");
    is_double(wtl_budget_forecast(&budgets.items[1], 1e6, at("2026-01-11")), 3.1e6, 1,
              "10 of 31 days");
    ok(isnan(wtl_budget_forecast(&budgets.items[0], 1e6, at("2026-01-11"))), "too early");
    wtl_budgets_fini(&budgets);
    ok(wtl_budget_energy("1e3 J", &j) == 0 && j > 999 && j < 1001, "joules");
    ok(wtl_budget_energy("5", &j) < 0 && wtl_budget_energy("0 J", &j) < 0 &&
           wtl_budget_energy("-1 J", &j) < 0 && wtl_budget_energy("5 kwh", &j) < 0 &&
           wtl_budget_energy("1e300 GWh", &j) < 0 && wtl_budget_energy("", &j) < 0,
       "no energies");
    /* By hand: half the energy with half the shares 2^-1; all of it 2^-2; nothing 1. */
    is_double(wtl_budget_fair_share(5, 10, 1, 2), 0.5, 1e-12, "its part");
    is_double(wtl_budget_fair_share(10, 10, 1, 2), 0.25, 1e-12, "twice its part");
    is_double(wtl_budget_fair_share(0, 10, 1, 2), 1, 0, "nothing");
    is_double(wtl_budget_fair_share(0, 0, 1, 2), 1, 0, "nobody");
    const char *const bad[] = {"a,month,2026-01-01,1 J",
                               "a,2026-02-01,2026-01-01,1 J",
                               "a,month,,1",
                               ",month,,1 J",
                               "a,month,,1 J,x",
                               "a,month,,1 J\na,2026-01-01,2026-02-01,1 J",
                               "a,month,,1 J,1\nb,month,,1 J"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char file[256];
        snprintf(file, sizeof file, "account,from,to,budget,shares\n%s\n", bad[i]);
        is_int(wtl_budgets_read(&budgets, "b", file, strlen(file), &err), -EBADMSG, "refused: %s",
               err.text);
        wtl_budgets_fini(&budgets);
    }
}

int main(void)
{
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
    test_times();
    test_factors();
    test_budgets();
    return done_testing();
}
