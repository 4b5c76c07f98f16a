/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kill -9 at every step: of the holder, of the guard, of both, at the n-th thing that lasts (a mark in the journal, a write of a knob,
 * the journal itself), for all n until a hold gets through unharmed. Afterwards the settings are as before: at once if the guard lived,
 * else after the next start. Then random machines, requests, foreign changes and kills; WATTLE_TEST_SEQUENCES = their number.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/random.h"
#include "control/restore.h"
#include "folder_world.h"

#define FOREIGN "3499999" /* not below any lowest frequency */

enum victim { HOLDER, GUARD, BOTH, HOLDER_THEN_RESTORER };
static const char *const victims[] = {"holder", "guard", "both",
                                      "holder and guard, then who restores"};

/* Shared by all processes of a case. */
struct stage {
    _Atomic int steps, limit; /* the step that is the last; 0 = none */
    _Atomic int guard_left;   /* steps of the guard after the holder's death */
    _Atomic int victim;
    _Atomic int holder;
    _Atomic bool struck;
};
static struct stage *stage;

static void strike(void *context, bool in_guard)
{
    (void)context;
    int victim = stage->victim;
    if (in_guard && stage->struck && victim >= BOTH && --stage->guard_left == 0)
        (void)raise(SIGKILL);
    if ((victim == HOLDER && in_guard) || (victim == GUARD && !in_guard) || stage->struck ||
        ++stage->steps != stage->limit)
        return;
    stage->struck = true;
    if (victim >= BOTH && in_guard)
        (void)kill(stage->holder, SIGKILL);
    (void)raise(SIGKILL);
}

struct fixture {
    struct folder folder;
    struct wtl_control control;
    struct wtl_cpu_set cpus;
    struct wtl_hold_request want;
    const char *foreign; /* a file that another program changes during the hold; NULL = none */
    char before[8192];
};

static void show(void *context, const char *sentence)
{
    (void)context;
    if (strstr(sentence, "cannot restore"))
        diag("%s", sentence);
}

static void set_up(struct fixture *f)
{
    *f = (struct fixture){.control.step = strike};
    folder_create(&f->folder);
    f->control.world = &f->folder.world;
    f->control.folder = f->folder.journals;
    f->control.tell = show;
    f->cpus.bits[0] = 0xf;
    f->want.cpus = &f->cpus;
    folder_state(&f->folder, f->before, sizeof f->before);
}

/* Guards become our children, since this process adopts orphans: wait until they have done their work, or died. */
static void reap(void)
{
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
        continue;
}

/* One holder that sets and restores. Returns whether it got through. */
static bool hold_once(struct fixture *f, enum victim victim, int limit, int guard_left)
{
    *stage = (struct stage){.limit = limit, .victim = victim, .guard_left = guard_left};
    pid_t child = fork();
    if (child == 0) {
        struct wtl_hold *hold = NULL;
        struct wattle_error err;
        stage->holder = getpid();
        int rc = wtl_hold_begin(&f->control, &f->want, &hold, &err);
        if (rc == 0 && f->foreign)
            folder_set(&f->folder, f->foreign, FOREIGN);
        if (rc == 0)
            rc = wtl_hold_end(hold, &err);
        _exit(rc < 0);
    }
    int status;
    (void)waitpid(child, &status, 0);
    return !stage->struck;
}

static bool is_as_before(struct fixture *f)
{
    char now[8192];
    folder_state(&f->folder, now, sizeof now);
    if (strcmp(now, f->before) == 0)
        return true;
    diag("before:\n%s", f->before);
    diag("is:\n%s", now);
    return false;
}

static bool restore(struct fixture *f, struct wtl_restored *sum)
{
    struct wattle_error err = {""};
    int lock = wtl_control_lock(&f->control, &err),
        rc = lock < 0 ? lock : wtl_restore_all(&f->control, false, sum, &err);
    if (lock >= 0)
        (void)close(lock);
    if (rc < 0)
        diag("%s", err.text);
    return rc == 0;
}

/* Kill the n-th step, and see what is left. */
static bool survives(struct fixture *f,
                     enum victim victim,
                     int n,
                     int guard_left,
                     bool *ret_through)
{
    struct wtl_restored sum;
    *ret_through = hold_once(f, victim, n, guard_left);
    reap();
    *stage = (struct stage){.limit = 0};
    if (victim < BOTH && !is_as_before(f)) {
        diag("not at once");
        return false;
    }
    for (int k = 1; victim == HOLDER_THEN_RESTORER && k < 4; k++) {
        *stage = (struct stage){.limit = k * guard_left, .victim = HOLDER};
        pid_t child = fork();
        if (child == 0)
            _exit(!restore(f, &sum));
        (void)waitpid(child, NULL, 0);
    }
    *stage = (struct stage){.limit = 0};
    return restore(f, &sum) && is_as_before(f) && sum.open == 0 && sum.held == 0;
}

static void test_every_step(enum victim victim)
{
    struct fixture f;
    struct wattle_error err;
    bool through = false, good = true;
    int n = 0;
    set_up(&f);
    if (wtl_hold_set(&f.want, WTL_ASK_FREQUENCY, "2.1GHz", &err) < 0 ||
        wtl_hold_set(&f.want, WTL_ASK_TURBO, "off", &err) < 0 ||
        wtl_hold_set(&f.want, WTL_ASK_GOVERNOR, "performance", &err) < 0 ||
        wtl_hold_set(&f.want, WTL_ASK_POWER_LIMIT, "100W", &err) < 0)
        diag("%s", err.text);
    while (good && !through && n < 2000) {
        good = survives(&f, victim, ++n, 1, &through);
        if (!good)
            diag("step %d", n);
    }
    ok(good && through && n > 10, "%s killed at each of %d steps: settings are as before",
       victims[victim], n - 1);
    folder_remove(&f.folder);
}

struct draws {
    uint64_t stream, count;
};

static unsigned draw(struct draws *draws, unsigned below)
{
    return (unsigned)(wtl_random_bits(draws->stream, draws->count++) % below);
}

static void randomise(struct fixture *f, struct draws *d)
{
    static const char *const governors[] = {"ondemand", "performance", "powersave", "userspace"};
    static const char *const words[] = {"min",    "max",    "1.2-2.1GHz",
                                        "2.1GHz", "3.5GHz", "1.3-3.4GHz"};
    char text[32], path[128];
    struct wattle_error err;
    f->folder.strict = draw(d, 2);
    folder_set(&f->folder, CPU "/cpufreq/boost", draw(d, 2) ? "1" : "0");
    for (int policy = 0; policy < 2; policy++) {
        unsigned low = 12 + draw(d, 20), high = low + draw(d, 36 - low);
        (void)snprintf(path, sizeof path, CPU "/cpufreq/policy%d/scaling_governor", policy);
        folder_set(&f->folder, path,
                   governors[2 * draw(d, 2)]); /* performance has a preference of its own */
        (void)snprintf(path, sizeof path, CPU "/cpufreq/policy%d/scaling_min_freq", policy);
        (void)snprintf(text, sizeof text, "%u00000", low);
        folder_set(&f->folder, path, text);
        (void)snprintf(path, sizeof path, CPU "/cpufreq/policy%d/scaling_max_freq", policy);
        (void)snprintf(text, sizeof text, "%u00000", high);
        folder_set(&f->folder, path, text);
    }
    f->want = (struct wtl_hold_request){.cpus = &f->cpus};
    int rc = wtl_hold_set(&f->want, WTL_ASK_FREQUENCY, words[draw(d, 6)], &err);
    if (rc == 0 && draw(d, 2))
        rc = wtl_hold_set(&f->want, WTL_ASK_GOVERNOR, governors[draw(d, 4)], &err);
    if (rc == 0 && draw(d, 2))
        rc = wtl_hold_set(&f->want, WTL_ASK_TURBO, draw(d, 2) ? "on" : "off", &err);
    if (rc == 0 && draw(d, 2))
        rc = wtl_hold_set(&f->want, WTL_ASK_POWER_LIMIT, "99W:0.5s", &err);
    if (rc < 0)
        abort();
    folder_state(&f->folder, f->before, sizeof f->before);
}

/* A foreign change is kept where it came after the last write; before, it is taken for ours. The rest is as before. */
static bool is_kept(struct fixture *f)
{
    char old[64], *line = strstr(f->before, "frequency-max:policy1=");
    (void)snprintf(old, sizeof old, "%.*s", (int)strcspn(line + 22, "\n"), line + 22);
    const char *now = folder_get(&f->folder, f->foreign);
    bool good = strcmp(now, FOREIGN) == 0 || strcmp(now, old) == 0;
    folder_set(&f->folder, f->foreign, old);
    return good && is_as_before(f);
}

static void test_random(uint64_t seed, int count)
{
    struct fixture f;
    bool good = true, through;
    int i, foreign = 0, harmed = 0;
    set_up(&f);
    for (i = 0; i < count && good; i++) {
        struct draws d = {seed, (uint64_t)i << 32};
        struct wtl_restored sum;
        folder_remove(&f.folder);
        folder_fill(&f.folder);
        randomise(&f, &d);
        enum victim victim = draw(&d, 4);
        int n = 1 + (int)draw(&d, 90), left = 1 + (int)draw(&d, 40);
        f.foreign = draw(&d, 4) == 0 ? CPU "/cpufreq/policy1/scaling_max_freq" : NULL;
        if (!f.foreign) {
            good = survives(&f, victim, n, left, &through);
            harmed += !through;
        } else {
            through = hold_once(&f, victim, n, left);
            reap();
            *stage = (struct stage){.limit = 0};
            good = restore(&f, &sum) && is_kept(&f);
            foreign++;
        }
        if (!good)
            diag("sequence %d: %s killed at step %d, %d left", i, victims[victim], n, left);
    }
    ok(good,
       "%d of %d random sequences (%d killed, %d with foreign changes): settings are as before",
       i - !good, count, harmed, foreign);
    folder_remove(&f.folder);
}

int main(void)
{
    stage = mmap(NULL, sizeof *stage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (stage == MAP_FAILED || prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
        return 1;
    test_every_step(HOLDER);
    test_every_step(GUARD);
    test_every_step(BOTH);
    test_every_step(HOLDER_THEN_RESTORER);
    const char *given = getenv("WATTLE_TEST_SEQUENCES");
    test_random(17, given ? (int)strtol(given, NULL, 10) : 40);
    return done_testing();
}
