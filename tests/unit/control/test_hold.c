/* SPDX-License-Identifier: BSD-3-Clause */
/* Holds on a machine in a folder: what is written, in which order, what is refused, and that it all comes back. */
#define _GNU_SOURCE
#include <math.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "control/restore.h"
#include "folder_world.h"

static char told[4096];

static void note(void *context, const char *sentence)
{
    (void)context;
    size_t used = strlen(told);
    (void)snprintf(told + used, sizeof told - used, "%s; ", sentence);
}

struct fixture {
    struct folder folder;
    struct wtl_control control;
    struct wtl_cpu_set cpus;
    struct wtl_hold_request want;
    struct wtl_hold *hold;
    struct wattle_error err;
    char before[8192];
};

static void set_up(struct fixture *f)
{
    *f = (struct fixture){.hold = NULL};
    folder_create(&f->folder);
    f->control =
        (struct wtl_control){.world = &f->folder.world, .folder = f->folder.journals, .tell = note};
    f->cpus.bits[0] = 0xf;
    f->want.cpus = &f->cpus;
    folder_state(&f->folder, f->before, sizeof f->before);
    told[0] = '\0';
}

static void tear_down(struct fixture *f)
{
    folder_remove(&f->folder);
}

static void ask(struct fixture *f, enum wtl_ask what, const char *text)
{
    if (wtl_hold_set(&f->want, what, text, &f->err) < 0)
        diag("%s", f->err.text);
}

static int begin(struct fixture *f)
{
    int rc = wtl_hold_begin(&f->control, &f->want, &f->hold, &f->err);
    if (rc < 0)
        diag("%d %s", rc, f->err.text);
    return rc;
}

static bool is_as_before(struct fixture *f)
{
    char now[8192];
    folder_state(&f->folder, now, sizeof now);
    bool same = strcmp(now, f->before) == 0;
    if (!same)
        diag("is:\n%s", now);
    return same;
}

static int restore(struct fixture *f, bool force, struct wtl_restored *sum)
{
    int lock = wtl_control_lock(&f->control, &f->err),
        rc = wtl_restore_all(&f->control, force, sum, &f->err);
    (void)close(lock);
    return rc;
}

static size_t journals(struct fixture *f)
{
    char **names;
    size_t found = 0;
    int count = wtl_world_real()->ops->list(&f->folder.world, f->folder.journals, &names);
    for (int i = 0; i < count; i++)
        found += strcmp(names[i], "lock") != 0;
    if (count >= 0)
        free(names);
    return found;
}

#define P0   CPU "/cpufreq/policy0/"
#define P1   CPU "/cpufreq/policy1/"
#define RAPL "/sys/class/powercap/intel-rapl:"

static void test_frequency(bool strict)
{
    struct fixture f;
    set_up(&f);
    f.folder.strict = strict;
    ask(&f, WTL_ASK_FREQUENCY, "2.1GHz");
    is_int(begin(&f), 0, "a frequency is set");
    is_str(folder_get(&f.folder, P0 "scaling_min_freq"), "2100000", "as the lowest");
    is_str(folder_get(&f.folder, P1 "scaling_max_freq"), "2100000", "and highest, of all policies");
    struct wtl_hold_frequency accepted = wtl_hold_accepted(f.hold);
    ok(accepted.low_hz == 2.1e9 && accepted.high_hz == 2.1e9, "which is reported");
    is_int(journals(&f), 1, "a journal says so");
    is_int(wtl_hold_end(f.hold, &f.err), 0, "restored");
    ok(is_as_before(&f), "all is as before");
    is_int(journals(&f), 0, "the journal has gone");
    is_str(told, "", "nothing to report");
    /* From a low range to a high one: the highest has to rise first. */
    folder_set(&f.folder, P0 "scaling_max_freq", "1500000");
    folder_state(&f.folder, f.before, sizeof f.before);
    is_int(begin(&f), 0, "from below");
    is_int(wtl_hold_end(f.hold, &f.err), 0, "restored");
    ok(is_as_before(&f), "all is as before");
    tear_down(&f);
}

static void test_all_kinds(void)
{
    struct fixture f;
    set_up(&f);
    ask(&f, WTL_ASK_TURBO, "off");
    ask(&f, WTL_ASK_GOVERNOR, "performance");
    ask(&f, WTL_ASK_POWER_LIMIT, "120W:1s");
    ask(&f, WTL_ASK_EPP, "performance");
    is_int(begin(&f), 0, "turbo, governor, preference and limit");
    is_str(folder_get(&f.folder, CPU "/cpufreq/boost"), "0", "turbo is off");
    is_str(folder_get(&f.folder, P0 "scaling_max_freq"), "2300000", "which lowered a limit");
    is_str(folder_get(&f.folder, P0 "energy_performance_preference"), "performance",
           "the preference");
    is_str(folder_get(&f.folder, RAPL "1/constraint_0_power_limit_uw"), "120000000",
           "the limit of a package");
    is_str(folder_get(&f.folder, RAPL "1/constraint_0_time_window_us"), "1000000", "its window");
    is_str(folder_get(&f.folder, RAPL "1/constraint_1_power_limit_uw"), "180000000",
           "not the short-term limit");
    is_int(wtl_hold_end(f.hold, &f.err), 0, "restored");
    ok(is_as_before(&f), "all is as before, also what changed with others");
    is_str(told, "", "nothing to report");
    tear_down(&f);
}

static void test_userspace(void)
{
    struct fixture f;
    set_up(&f);
    ask(&f, WTL_ASK_GOVERNOR, "userspace");
    ask(&f, WTL_ASK_FREQUENCY, "1.6GHz");
    is_int(begin(&f), 0, "userspace");
    is_str(folder_get(&f.folder, P1 "scaling_setspeed"), "1600000", "has its speed");
    is_int(wtl_hold_end(f.hold, &f.err), 0, "restored");
    is_str(folder_get(&f.folder, P1 "scaling_governor"), "ondemand", "with the governor");
    is_str(told, "", "\"<unsupported>\" is not written");
    tear_down(&f);
}

static void test_refusals(void)
{
    static const struct {
        int line;
        enum wtl_ask what;
        const char *value;
        int code;
        const char *says;
    } rows[] = {
        {__LINE__, WTL_ASK_FREQUENCY, "4GHz", -EINVAL, "1.2 GHz to 3.5 GHz"},
        {__LINE__, WTL_ASK_FREQUENCY, "1GHz", -EINVAL, "out of range"},
        {__LINE__, WTL_ASK_FREQUENCY, "1-2GHz", -EINVAL, "out of range"},
        {__LINE__, WTL_ASK_GOVERNOR, "turbo", -EINVAL, "use one of: performance"},
        {__LINE__, WTL_ASK_EPP, "fast", -EINVAL, "not offered"},
        {__LINE__, WTL_ASK_POWER_LIMIT, "170W", -EINVAL, "at most 165 W"},
        {__LINE__, WTL_ASK_UNCORE, "2GHz", -ENODEV, "no such setting"},
    };
    struct fixture f;
    set_up(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        f.want = (struct wtl_hold_request){.cpus = &f.cpus};
        ask(&f, rows[i].what, rows[i].value);
        is_int(begin(&f), rows[i].code, "%s is refused", rows[i].value);
        ok(strstr(f.err.text, rows[i].says) != NULL, "and says why");
        ok(is_as_before(&f), "nothing has changed");
    }
    tap_line = 0;
    is_int(journals(&f), 0, "no journals are left");
    tear_down(&f);
}

static void test_table(void)
{
    struct fixture f;
    set_up(&f);
    folder_set(&f.folder, P0 "scaling_available_frequencies", "2301000 2300000 1900000 1200000");
    f.cpus.bits[0] = 3;
    ask(&f, WTL_ASK_FREQUENCY, "2.1GHz");
    is_int(begin(&f), -EINVAL, "a frequency between those of the list");
    ok(strstr(f.err.text, "1.9 and 2.3 GHz") != NULL, "the nearest are named");
    ask(&f, WTL_ASK_FREQUENCY, "2301000");
    is_int(begin(&f), 0, "in kHz");
    is_str(folder_get(&f.folder, P1 "scaling_max_freq"), "3500000", "other CPUs are left alone");
    is_int(wtl_hold_end(f.hold, &f.err), 0, "restored");
    ask(&f, WTL_ASK_FREQUENCY, "min");
    is_int(begin(&f), 0, "min");
    is_str(folder_get(&f.folder, P0 "scaling_max_freq"), "1200000", "is the lowest of the machine");
    is_int(wtl_hold_end(f.hold, &f.err), 0, "restored");
    tear_down(&f);
}

/* Efficient cores have a lower range. */
static void test_hybrid(void)
{
    struct fixture f;
    set_up(&f);
    folder_set(&f.folder, P1 "cpuinfo_max_freq", "2000000");
    folder_set(&f.folder, P1 "scaling_max_freq", "2000000");
    folder_state(&f.folder, f.before, sizeof f.before);
    ask(&f, WTL_ASK_FREQUENCY, "2.5GHz");
    is_int(begin(&f), -EINVAL, "beyond the range of some");
    ok(strstr(f.err.text, "policy1") != NULL, "they are named");
    ask(&f, WTL_ASK_FREQUENCY, "max");
    is_int(begin(&f), 0, "max is that of each");
    is_str(folder_get(&f.folder, P0 "scaling_min_freq"), "3500000", "of the fast");
    is_str(folder_get(&f.folder, P1 "scaling_min_freq"), "2000000", "and of the others");
    is_int(wtl_hold_end(f.hold, &f.err), 0, "restored");
    ok(is_as_before(&f), "all is as before");
    tear_down(&f);
}

static void test_others_cpus(void)
{
    struct fixture f;
    set_up(&f);
    f.cpus.bits[0] = 1; /* CPU 0 of the policy of 0 and 1 */
    ask(&f, WTL_ASK_FREQUENCY, "min");
    is_int(begin(&f), -EPERM, "a policy with a CPU of others");
    ok(strstr(f.err.text, "CPU 1,") != NULL, "it is named");
    f.want = (struct wtl_hold_request){.cpus = &f.cpus};
    f.cpus.bits[0] = 2 + 4;
    ask(&f, WTL_ASK_POWER_LIMIT, "100W");
    is_int(begin(&f), -EPERM, "a package with CPUs of others");
    f.want.alone = true;
    is_int(begin(&f), 0, "unless nobody else is there");
    is_int(wtl_hold_end(f.hold, &f.err), 0, "restored");
    f.want = (struct wtl_hold_request){.cpus = &f.cpus};
    f.cpus.bits[0] = 3;
    ask(&f, WTL_ASK_TURBO, "off");
    is_int(begin(&f), -EPERM, "turbo is of the machine");
    ok(is_as_before(&f), "nothing has changed");
    tear_down(&f);
}

static void test_ignored(void)
{
    struct fixture f;
    set_up(&f);
    f.folder.ignored = "policy1/scaling_max_freq";
    ask(&f, WTL_ASK_FREQUENCY, "2.1GHz");
    is_int(begin(&f), -EIO, "a value that is accepted and ignored");
    ok(strstr(f.err.text, "frequency-max:policy1") && strstr(f.err.text, "shows 3.5 GHz"),
       "is said");
    ok(is_as_before(&f), "and all is restored");
    f.folder.ignored = NULL;
    f.folder.refused = "constraint_0_power_limit_uw";
    ask(&f, WTL_ASK_POWER_LIMIT, "100W");
    is_int(begin(&f), -EIO, "a value that is refused");
    ok(is_as_before(&f), "all is restored");
    is_int(journals(&f), 0, "no journals are left");
    tear_down(&f);
}

static void test_foreign(void)
{
    struct fixture f;
    set_up(&f);
    ask(&f, WTL_ASK_FREQUENCY, "2.1GHz");
    is_int(begin(&f), 0, "held");
    folder_set(&f.folder, P0 "scaling_max_freq", "1800000");
    is_int(wtl_hold_end(f.hold, &f.err), 0, "restored");
    is_str(folder_get(&f.folder, P0 "scaling_max_freq"), "1800000",
           "what another program set is kept");
    is_str(folder_get(&f.folder, P0 "scaling_min_freq"), "1200000", "the others are restored");
    ok(strstr(told, "frequency-max:policy0: another program has set it to 1.8 GHz"),
       "and it is said: %s", told);
    is_int(journals(&f), 0, "no journal is left");
    tear_down(&f);
}

/* A knob whose file goes away is open: it may come back as it was. */
static void test_vanished(void)
{
    struct fixture f;
    struct wtl_restored sum;
    char path[256], away[256];
    set_up(&f);
    ask(&f, WTL_ASK_FREQUENCY, "2.1GHz");
    is_int(begin(&f), 0, "held");
    (void)snprintf(path, sizeof path, "%s" P1 "scaling_max_freq", f.folder.root);
    (void)snprintf(away, sizeof away, "%s/away", f.folder.root);
    is_int(rename(path, away), 0, "its module is removed");
    is_int(wtl_hold_end(f.hold, &f.err), -EIO, "not all is restored: %s", f.err.text);
    ok(strstr(told, "frequency-max:policy1: its file has gone"), "what has gone is said: %s", told);
    is_str(folder_get(&f.folder, P0 "scaling_max_freq"), "3500000", "the others are restored");
    is_int(restore(&f, false, &sum), -EIO, "nor while it is away");
    is_int(rename(away, path), 0, "and loaded again, with what was set");
    is_int(restore(&f, false, &sum), 0, "then it is restored");
    ok(is_as_before(&f), "all is as before");
    is_int(journals(&f), 0, "the journal has gone");

    is_int(begin(&f), 0, "held");
    is_int(rename(path, away), 0, "once more");
    is_int(wtl_hold_end(f.hold, &f.err), -EIO, "not restored");
    is_int(restore(&f, true, &sum), 0, "given up by force");
    is_int(journals(&f), 0, "without a journal");
    (void)unlink(away);
    tear_down(&f);
}

/* Each byte of a journal, changed: it is not believed, whatever it says of boot, holder, states or values. */
static void test_flips(void)
{
    struct fixture f;
    char path[300], text[16384], copy[16384];
    struct wtl_journal j;
    set_up(&f);
    ask(&f, WTL_ASK_FREQUENCY, "2.1GHz");
    is_int(begin(&f), 0, "held");
    (void)snprintf(path, sizeof path, "%s/%d-0.journal", f.folder.journals, (int)getpid());
    FILE *file = fopen(path, "r");
    size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0, believed = 0;
    if (file)
        (void)fclose(file);
    ok(n > 100 && n < sizeof text - 1, "a journal of %zu bytes", n);
    text[n] = '\0';
    for (size_t i = 0; i < n; i++) {
        memcpy(copy, text, n + 1);
        copy[i] ^= 1;
        if (wtl_journal_parse(copy, n, &j) == 0) {
            believed++;
            wtl_journal_fini(&j);
        }
    }
    is_int((int)believed, 0, "no changed byte is believed");
    is_int(wtl_hold_end(f.hold, &f.err), 0, "restored");
    tear_down(&f);
}

static void test_two_holders(void)
{
    struct fixture f;
    struct wtl_hold *second = NULL;
    set_up(&f);
    f.cpus.bits[0] = 3;
    ask(&f, WTL_ASK_FREQUENCY, "2.1GHz");
    is_int(begin(&f), 0, "held");
    is_int(wtl_hold_begin(&f.control, &f.want, &second, &f.err), -EBUSY, "not twice");
    ok(strstr(f.err.text, "held by another wattle") != NULL, "and says by whom: %s", f.err.text);
    struct wtl_cpu_set others = {.bits = {0xc}};
    f.want.cpus = &others;
    is_int(wtl_hold_begin(&f.control, &f.want, &second, &f.err), 0, "other CPUs");
    is_int(wtl_hold_end(second, &f.err), 0, "restored");
    is_str(folder_get(&f.folder, P0 "scaling_max_freq"), "2100000", "the first is untouched");
    is_int(wtl_hold_end(f.hold, &f.err), 0, "restored");
    ok(is_as_before(&f), "all is as before");
    tear_down(&f);
}

/* Processes that hold the same knobs again and again, each its own frequency. */
static void test_race(void)
{
    enum { PROCESSES = 6, ROUNDS = 15 };
    struct fixture f;
    int status, wrong = 0;
    set_up(&f);
    f.control.tell = NULL;
    for (int i = 0; i < PROCESSES; i++) {
        if (fork() != 0)
            continue;
        int good = 0;
        char raw[32], text[32];
        (void)snprintf(raw, sizeof raw, "1%d00000", 3 + i);
        (void)snprintf(text, sizeof text, "1.%dGHz", 3 + i);
        ask(&f, WTL_ASK_FREQUENCY, text);
        for (int round = 0; round < ROUNDS; round++) {
            int rc = wtl_hold_begin(&f.control, &f.want, &f.hold, &f.err);
            if (rc != 0 && rc != -EBUSY)
                good = -1000;
            if (rc != 0)
                continue;
            good += strcmp(folder_get(&f.folder, P0 "scaling_max_freq"), raw) == 0 ? 1 : -1000;
            good += wtl_hold_end(f.hold, &f.err) == 0 ? 1 : -1000;
        }
        _exit(good < 0);
    }
    while (waitpid(-1, &status, 0) > 0 || errno == EINTR)
        wrong += status != 0;
    is_int(wrong, 0, "of processes that race, each has its frequency, or is refused");
    ok(is_as_before(&f), "all is as before");
    is_int(journals(&f), 0, "no journals are left");
    tear_down(&f);
}

static void test_no_journal(void)
{
    struct fixture f;
    char path[256];
    set_up(&f);
    ask(&f, WTL_ASK_FREQUENCY, "2.1GHz");
    f.control.folder = "/proc/nothing/journals";
    ok(begin(&f) < 0, "no folder of journals");
    (void)snprintf(path, sizeof path, "%s/open", f.folder.root);
    (void)mkdir(path, 0755);
    (void)chmod(path, 0777);
    f.control.folder = path;
    is_int(begin(&f), geteuid() == 0 ? -EPERM : -EACCES, "a folder that others may write");
    (void)snprintf(path, sizeof path, "%s/open/journals", f.folder.root);
    is_int(begin(&f), geteuid() == 0 ? -EPERM : -EACCES, "one that others may replace");
    (void)rmdir(path);
    /* A full disk: the journal does not fit. */
    struct rlimit limit, small;
    (void)getrlimit(RLIMIT_FSIZE, &limit);
    small = (struct rlimit){.rlim_cur = 300, .rlim_max = limit.rlim_max};
    f.control.folder = f.folder.journals;
    (void)setrlimit(RLIMIT_FSIZE, &small);
    is_int(begin(&f), -EFBIG, "no room for the journal");
    (void)setrlimit(RLIMIT_FSIZE, &limit);
    ok(is_as_before(&f), "nothing was written");
    is_int(journals(&f), 0, "no journals are left");
    tear_down(&f);
}

static void die_in_guard(void *context, bool in_guard)
{
    (void)context;
    if (in_guard)
        (void)raise(SIGKILL);
}

/* A holder that is killed together with its guard. */
static void crash(struct fixture *f)
{
    f->control.step = die_in_guard;
    if (fork() == 0) {
        (void)wtl_hold_begin(&f->control, &f->want, &f->hold, &f->err);
        (void)raise(SIGKILL);
    }
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR) /* guards become our children */
        continue;
    f->control.step = NULL;
    told[0] = '\0';
}

static void test_crashed(void)
{
    struct fixture f;
    struct wtl_restored sum;
    set_up(&f);
    ask(&f, WTL_ASK_FREQUENCY, "2.1GHz");
    crash(&f);
    is_int(journals(&f), 1, "both are killed: a journal is left");
    is_str(folder_get(&f.folder, P0 "scaling_min_freq"), "2100000", "and the settings");
    folder_set(&f.folder, P0 "scaling_max_freq", "2200000");
    is_int(restore(&f, false, &sum), 0, "restore");
    ok(sum.holds == 1 && sum.knobs == 3 && sum.foreign == 1 && sum.open == 0,
       "three are restored, one is foreign");
    ok(strstr(told, "frequency-max:policy0: another program") && strstr(told, "which was killed"),
       "both are told: %s", told);
    is_str(folder_get(&f.folder, P0 "scaling_max_freq"), "2200000", "the foreign one is kept");
    folder_set(&f.folder, P0 "scaling_max_freq", "3500000");
    ok(is_as_before(&f), "the others are as before");

    crash(&f);
    folder_set(&f.folder, P0 "scaling_max_freq", "2200000");
    is_int(restore(&f, true, &sum), 0, "with force");
    ok(is_as_before(&f), "also foreign ones are restored");

    crash(&f);
    told[0] = '\0';
    is_int(begin(&f), 0, "the next hold");
    ok(strstr(told, "which was killed") != NULL, "restores first, and says so: %s", told);
    is_int(wtl_hold_end(f.hold, &f.err), 0, "and ends");
    ok(is_as_before(&f), "all is as before");

    crash(&f);
    folder_set(&f.folder, "/proc/sys/kernel/random/boot_id", "another");
    is_int(restore(&f, false, &sum), 0, "after a reboot");
    ok(strstr(told, "the last boot") != NULL, "the journal is dropped: %s", told);
    is_str(folder_get(&f.folder, P0 "scaling_min_freq"), "2100000", "nothing is written");
    is_int(journals(&f), 0, "no journal is left");
    tear_down(&f);
}

/* What cannot be restored stays open, and is not held by anybody else meanwhile. */
static void test_open(void)
{
    struct fixture f;
    struct wtl_restored sum;
    set_up(&f);
    ask(&f, WTL_ASK_FREQUENCY, "2.1GHz");
    crash(&f);
    f.folder.refused = "policy1/scaling_max_freq";
    is_int(restore(&f, false, &sum), -EIO, "a knob that cannot be restored");
    is_int(sum.open, 1, "is open");
    ok(strstr(told, "frequency-max:policy1: cannot restore 3.5 GHz") != NULL, "and named: %s",
       told);
    is_int(begin(&f), -EBUSY, "it cannot be held");
    f.folder.refused = NULL;
    is_int(restore(&f, false, &sum), 0, "later it can");
    ok(is_as_before(&f), "all is as before");
    is_int(journals(&f), 0, "no journal is left");
    tear_down(&f);
}

static void test_damaged(void)
{
    struct fixture f;
    struct wtl_restored sum;
    char path[256];
    set_up(&f);
    ask(&f, WTL_ASK_FREQUENCY, "2.1GHz");
    is_int(begin(&f), 0, "a hold");
    is_int(wtl_hold_end(f.hold, &f.err), 0, "that ends");
    (void)snprintf(path, sizeof path, "%s/1-0.journal", f.folder.journals);
    FILE *file = fopen(path, "w");
    (void)fputs("wattle-control 2\nboot x\nholder 1 1\nbegin 1\nknob "
                "w\tx\t0\t0\t1\t0\t/etc/passwd\tturbo\nend 1 0\n",
                file);
    (void)fclose(file);
    is_int(restore(&f, false, &sum), -EBADMSG, "a damaged journal");
    ok(strstr(f.err.text, "1-0.journal is damaged") != NULL, "is named");
    is_int(begin(&f), 0, "it stops nobody");
    is_int(wtl_hold_end(f.hold, &f.err), 0, "restored");
    is_int(restore(&f, true, &sum), 0, "force removes it");
    is_int(journals(&f), 0, "no journal is left");
    tear_down(&f);
}

int main(void)
{
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    test_frequency(false);
    test_frequency(true);
    test_all_kinds();
    test_userspace();
    test_refusals();
    test_table();
    test_hybrid();
    test_others_cpus();
    test_ignored();
    test_foreign();
    test_vanished();
    test_flips();
    test_two_holders();
    test_race();
    test_no_journal();
    test_crashed();
    test_open();
    test_damaged();
    return done_testing();
}
