/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of Slurm's plugins that need no Slurm: what they parse, and what they count. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../../../plugins/slurm/energy_count.h"
#include "../../../../plugins/slurm/errand.h"
#include "../../../../plugins/slurm/site_settings.h"
#include "../../../../plugins/slurm/step_options.h"

#include "tap.h"

static void titles(void)
{
    static const struct {
        int line;
        const char *name, *title, *id, *job;
        enum daemon_kind kind;
        bool is_extern;
    } rows[] = {
        {__LINE__, "slurmstepd", "slurmstepd: [24.0]", "24.0", "24", DAEMON_STEPD, false},
        {__LINE__, "slurmstepd", "slurmstepd: [24.batch]", "24.batch", "24", DAEMON_STEPD, false},
        {__LINE__, "slurmstepd", "slurmstepd: [24.extern]", "24.extern", "24", DAEMON_STEPD, true},
        {__LINE__, "slurmstepd", "slurmstepd: [24+1.0]", "24+1.0", "24+1", DAEMON_STEPD, false},
        {__LINE__, "slurmstepd", "/usr/sbin/slurmstepd", "", "", DAEMON_STEPD, false},
        {__LINE__, "slurmstepd", "slurmstepd: [24.0", "", "", DAEMON_STEPD, false},
        {__LINE__, "slurmstepd", "slurmstepd: [24.0\nend 1]", "", "", DAEMON_STEPD, false},
        {__LINE__, "slurmstepd", "slurmstepd: [.0]", "", "", DAEMON_STEPD, false},
        {__LINE__, "slurmstepd", "slurmstepd: [24]", "", "", DAEMON_STEPD, false},
        {__LINE__, "slurmd", "slurmd -D -N [24.0]", "", "", DAEMON_SLURMD, false},
        {__LINE__, "slurmctld", "slurmctld", "", "", DAEMON_OTHER, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct daemon_step step = {.kind = DAEMON_OTHER};
        tap_line = rows[i].line;
        daemon_step_parse(&step, rows[i].name, rows[i].title, (long)strlen(rows[i].title));
        is_int(step.kind, rows[i].kind, "kind of %s", rows[i].title);
        is_str(step.id, rows[i].id, "step");
        is_str(step.job, rows[i].job, "job");
        ok(step.extern_ == rows[i].is_extern, "the step of the whole job");
    }
    tap_line = 0;
}

static void cgroups(void)
{
    static const struct {
        int line;
        const char *text, *path;
    } rows[] = {
        {__LINE__, "0::/system.slice/slurmstepd.scope/job_12/step_0/user/task_0\n",
         "/system.slice/slurmstepd.scope/job_12/step_0"},
        {__LINE__, "3:cpuset:/x\n2:cpu,cpuacct:/slurm/uid_7/job_12/step_batch/task_0\n0::/\n",
         "/slurm/uid_7/job_12/step_batch"},
        {__LINE__, "4:freezer:/slurm/uid_7/job_12/step_0\n0::/user.slice\n", ""},
        {__LINE__, "0::/system.slice/ssh.service\n", ""},
        {__LINE__, "0::/step_0\n", ""},
        {__LINE__, "0::/job_1\n1:cpuacct:/step_0\n", ""},
        {__LINE__, "garbage", ""},
        {__LINE__, "", ""},
    };
    char path[128], tiny[8];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        daemon_step_cgroup(rows[i].text, path, sizeof path);
        is_str(path, rows[i].path, "cgroup of a step");
    }
    tap_line = 0;
    daemon_step_cgroup(rows[0].text, tiny, sizeof tiny);
    is_str(tiny, "", "a path that does not fit is not cut");
}

static void options(void)
{
    struct step_options o = {.on = false};
    char why[SLURM_WHY];
    is_int(step_options_parse(NULL, &o, why), 0, "no options");
    ok(o.on && o.mpi && o.summary && !o.interval[0] && !o.output[0], "defaults");
    is_int(step_options_parse("interval=10ms,output=/a/b,sensor=powercap+hwmon,mpi=off,summary=off",
                              &o, why),
           0, "all options");
    is_str(o.interval, "10ms", "interval");
    is_str(o.output, "/a/b", "output");
    is_str(o.sensor, "powercap,hwmon", "sensors");
    ok(!o.mpi && !o.summary, "flags");
    static const char *const bad[] = {"foo",
                                      "interval",
                                      "interval=",
                                      "mpi=maybe",
                                      "output=a b",
                                      "output=$(x)",
                                      "interval=-1ms",
                                      "output=--x",
                                      "interval=1234567890123456789012345ms",
                                      "=",
                                      "output=a;b",
                                      "output=\na"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct step_options before = o;
        is_int(step_options_parse(bad[i], &o, why), -EINVAL, "refused: %s", bad[i]);
        ok(why[0] && memcmp(&before, &o, sizeof o) == 0, "with a sentence, and nothing changed");
    }
}

static void settings(void)
{
    static const struct {
        int line;
        const char *text;
        bool estimate, steps, complains;
        double wait_s;
    } rows[] = {
        {__LINE__, "", false, true, false, 5},
        {__LINE__, "[slurm]\nestimate = yes\nsteps=no\nstart-wait = 2s\n", true, false, false, 2},
        {__LINE__, "[run]\nestimate = yes\n# [slurm]\n", false, true, false, 5},
        {__LINE__, "[slurm]\nestimate = perhaps\nsteps = no\n", false, false, true, 5},
        {__LINE__, "[slurm\nestimate = yes\n", false, true, true, 5},
        {__LINE__, "[slurm]\nestimate\n=\n\001\377\n", false, true, true, 5},
        {__LINE__, "[slurm]\nstart-wait = 1e9\n", false, true, true, 5},
        {__LINE__, "[slurm @n1]\nestimate = yes\n", false, true, true, 5},
        {__LINE__, "[slurm]\npost = yes\n", false, true, false, 5},
    };
    char why[SLURM_WHY];
    struct site_settings s;
    (void)setenv("WATTLE_CONF", "settings.conf", 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FILE *file = fopen("settings.conf", "w");
        tap_line = rows[i].line;
        if (!file)
            exit(1);
        (void)fputs(rows[i].text, file);
        (void)fclose(file);
        site_settings_read(&s, why);
        ok(s.estimate == rows[i].estimate && s.steps == rows[i].steps, "flags");
        is_double(s.start_wait_s, rows[i].wait_s, 0, "start-wait");
        ok((why[0] != '\0') == rows[i].complains, "said: %s", why);
    }
    tap_line = 0;
    (void)unlink("settings.conf");
    site_settings_read(&s, why);
    ok(!why[0] && s.steps && !s.frequency_range[0], "no file: the defaults, nothing to say");
}

static void shares(void)
{
    static const struct {
        int line;
        const char *reply;
        enum share_state state;
        double charged_j;
    } rows[] = {
        {__LINE__,
         "ok 1.5 2.5\nid = 1\nrule = cpu_time\nnote = rule = exclusive\n"
         "p:package-0 157 0.000000000 0.1 1 measured 137.5 1 0 18.5\np:dram-0 46 0 0.04 1 measured "
         "40.25 0.3 0 5.7\n"
         "p:core-0 99 0 0 0 measured 77 0 0 0",
         SHARE_CHARGED, 177.75},
        {__LINE__, "ok 1 2\nrule = exclusive\np:node-0 10 0 0.1 1 measured 10.5 0 0 0",
         SHARE_EXCLUSIVE, 10.5},
        {__LINE__, "ok 1 2\nrule = none\np:node-0 10 0 0.1 1 measured - 0 0 10", SHARE_UNKNOWN,
         NAN},
        {__LINE__, "ok 1 2\nrule = cpu_time\np:node-0 10 0.5 0.1 1 measured 5 0 0 5", SHARE_UNKNOWN,
         NAN},
        {__LINE__, "ok 1 2\nrule = cpu_time\np:node-0 10 0 0.1 1 measured 5 0 0 5\nmore 1 1",
         SHARE_UNKNOWN, NAN},
        {__LINE__, "ok 1 2\nrule = cpu_time\np:node-0 10 0 0.1 1 measured 5 0 0 5\nmore 3 0",
         SHARE_CHARGED, 5},
        {__LINE__, "ok 1 2\np:node-0 10 0 0.1 1 measured", SHARE_UNKNOWN, NAN},
        {__LINE__, "ok 1 2", SHARE_UNKNOWN, NAN},
        {__LINE__, "no missing nothing is known of job 9", SHARE_UNKNOWN_JOB, NAN},
        {__LINE__, "no denied only root may ask", SHARE_UNKNOWN, NAN},
        {__LINE__, "", SHARE_UNKNOWN, NAN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char reply[1024];
        double charged_j = NAN;
        tap_line = rows[i].line;
        (void)snprintf(reply, sizeof reply, "%s", rows[i].reply);
        is_int(job_share_parse(reply, false, &charged_j), rows[i].state, "state");
        ok(isnan(rows[i].charged_j) ? isnan(charged_j) : charged_j == rows[i].charged_j,
           "charged: %g J", charged_j);
    }
    tap_line = 0;
    for (int estimates = 0; estimates < 2; estimates++) {
        char reply[] = "ok 1 2\nrule = exclusive\np:node-0 10 0 5 1 estimated 10.5 0 0 0";
        double charged_j = 0;
        is_int(job_share_parse(reply, estimates, &charged_j), SHARE_EXCLUSIVE, "an estimate");
        ok(estimates ? charged_j == 10.5 : isnan(charged_j), "is one only where they are accepted");
    }
}

static struct energy_for_slurm counted_reading(struct energy_count *count,
                                               bool is_step,
                                               double s,
                                               int rc,
                                               double j,
                                               double w,
                                               uint64_t lost,
                                               uint64_t identity)
{
    struct slurm_node_energy node = {j, w, lost, identity};
    struct energy_for_slurm shown;
    char why[SLURM_WHY] = "why";
    energy_count_take(count, is_step, (uint64_t)(s * 1e9), rc, &node, &shown, why);
    if (shown.known == (why[0] != '\0'))
        ok(false, "known, or a reason: \"%s\"", why);
    return shown;
}

static void counts(void)
{
    struct energy_count step = {.begun = false};
    struct energy_for_slurm s = counted_reading(&step, true, 1, 0, 1000.4, 100, 7, 1);
    ok(s.known && s.consumed_j == 0 && s.current_w == 100 && !s.average_known,
       "a step begins with 0 J");
    s = counted_reading(&step, true, 3, 0, 1201.0, 99.6, 7, 1);
    ok(s.known && s.consumed_j == 201 && s.current_w == 100 && s.average_w == 100,
       "200.6 J in 2 s");
    ok(!counted_reading(&step, true, 4, -EIO, 0, 0, 0, 0).known,
       "a reading that fails is unknown, not 0");
    s = counted_reading(&step, true, 5, 0, 1400.4, NAN, 7, 1);
    ok(s.known && s.consumed_j == 400 && !s.power_known, "afterwards all of it is known");
    ok(!counted_reading(&step, true, 6, 0, 1500, 100, 8, 1).known,
       "energy that left something out is unknown");
    ok(!counted_reading(&step, true, 6, 0, 500, 100, 7, 2).known, "and what was counted anew");
    ok(!counted_reading(&step, true, 6, 0, 900, 100, 7, 1).known, "and less than before");
    ok(!counted_reading(&step, true, 6, 0, NAN, 100, 7, 1).known, "and no number");
    ok(!counted_reading(&step, true, 6, 0, 1e17, 100, 7, 1).known,
       "and what Slurm's integers do not hold");
    ok(counted_reading(&step, true, 6, 0, 8e15, 5e9, 7, 1).known, "large energies are whole");
    ok(!counted_reading(&step, true, 6, 0, 1600, 5e9, 7, 1).power_known,
       "5 GW is no power of a node");

    struct energy_count late = {.begun = false};
    ok(!counted_reading(&late, true, 1, -ENOENT, 0, 0, 0, 0).known,
       "no wattled when the step begins");
    ok(!counted_reading(&late, true, 9, 0, 5000, 100, 0, 1).known,
       "what was before is unknown for good");

    struct energy_count node = {.begun = false};
    ok(!counted_reading(&node, false, 1, -ENOENT, 0, 0, 0, 0).known, "a node without wattled");
    ok(counted_reading(&node, false, 2, 0, 5000, 100, 0, 1).consumed_j == 0,
       "counts from its first reading");
    ok(counted_reading(&node, false, 3, 0, 5100, 100, 0, 1).consumed_j == 100, "on");
    s = counted_reading(&node, false, 4, 0, 10, 100, 0, 2);
    ok(s.known && s.consumed_j == 0 && s.base_j == 10, "and anew with its counter");
}

static void charges(void)
{
    struct energy_count count = {.begun = false};
    struct energy_for_slurm s = {.known = true};
    char why[SLURM_WHY] = "";
    energy_count_charge(&count, 1000000000, SHARE_CHARGED, 12.6, &s, why);
    ok(s.known && s.consumed_j == 13 && !s.power_known && !why[0], "12.6 J are charged");
    energy_count_charge(&count, 3000000000, SHARE_CHARGED, 112.6, &s, why);
    ok(s.known && s.consumed_j == 113 && s.power_known && s.current_w == 50, "100 J in 2 s");
    energy_count_charge(&count, 4000000000, SHARE_UNKNOWN, NAN, &s, why);
    ok(!s.known && why[0], "unknown: %s", why);
    energy_count_charge(&count, 4000000000, SHARE_UNKNOWN_JOB, NAN, &s, why);
    ok(!s.known && strstr(why, "SPANK"), "not in the ledger: %s", why);
    struct energy_count first = {.begun = false};
    energy_count_charge(&first, 1000000000, SHARE_UNKNOWN_JOB, NAN, &s, why);
    ok(!s.known && !why[0], "a step that is not in the ledger yet is not worth a line");
    energy_count_charge(&first, 2000000000, SHARE_UNKNOWN_JOB, NAN, &s, why);
    ok(!s.known && strstr(why, "SPANK"), "unless it stays so");
}

static void others(void)
{
    static const struct {
        const char *reply;
        bool others;
    } rows[] = {{"ok", false},
                {"ok\n", false},
                {"ok\n12 1700000000 5\n12.0 1700000000 4\n", false},
                {"ok\n12 1700000000 5\n123 1700000000 5\n", true},
                {"ok\n1 1700000000 5", true},
                {"no denied only root may", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ok(job_share_has_others(rows[i].reply, "12") == rows[i].others, "others than job 12, %zu",
           i);
}

static int run(const char *script, int limit_ms, bool kill_late, char *said, size_t n)
{
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    struct slurm_errand errand = {
        .argv = argv, .envp = environ, .limit_ms = limit_ms, .kill_late = kill_late};
    return slurm_errand_run(&errand, said, n);
}

static void errands(void)
{
    char said[4096], tiny[4];
    is_int(run("echo one; echo two >&2", 20000, true, said, sizeof said), 0, "a program");
    is_str(said, "one\ntwo\n", "both of its streams");
    is_int(run("printf 123456789", 20000, true, tiny, sizeof tiny), 0,
           "more than there is room for");
    is_str(tiny, "123", "is cut");
    is_int(run("exec sleep 60", 100, true, said, sizeof said), -ETIMEDOUT, "a limit of time");
    int fd = dup(0);
    is_int(run("ls /proc/self/fd | tr '\\n' ' '", 20000, true, said, sizeof said), 0,
           "descriptors");
    ok(fd > 2 && strcmp(said, "0 1 2 3 ") == 0, "none of ours: %s", said);
    const char *const none[] = {"/nonexistent/wattle", NULL};
    struct slurm_errand errand = {.argv = none, .envp = environ, .limit_ms = 20000};
    is_int(slurm_errand_run(&errand, said, sizeof said), 0, "a program that is not there");
    is_str(said, "", "says nothing");
    struct slurm_errand makes = {
        .argv = none, .envp = environ, .made = "made/of/three", .limit_ms = 20000};
    struct stat st;
    (void)slurm_errand_run(&makes, said, sizeof said);
    ok(stat("made/of/three", &st) == 0, "folders are created");
    (void)rmdir("made/of/three"), (void)rmdir("made/of"), (void)rmdir("made");
}

/* A wattled that hangs: it accepts connections and answers nothing. */
static int hanging_wattled(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    (void)unlink(path);
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) < 0 || listen(fd, 8) < 0)
        return -1;
    return fd;
}

/* Another slurmstepd: what it finds. */
static bool another_finds_it_hanging(void)
{
    int status = -1;
    pid_t pid = fork();
    if (pid == 0)
        _exit(slurm_wattled_hangs() ? 7 : 8);
    (void)waitpid(pid, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

static int connections(int fd)
{
    int count = 0;
    for (int one; (one = accept(fd, NULL, NULL)) >= 0; count++)
        (void)close(one);
    return count;
}

static void patience(void)
{
    static const char path[] = "hanging";
    const struct timespec far[2] = {{0, UTIME_OMIT}, {4102444800, 0}};
    (void)setenv("WATTLE_SOCKET", path, 1);
    int fd = hanging_wattled(path);
    ok(another_finds_it_hanging() && connections(fd) == 1, "one step waits for wattled");
    ok(another_finds_it_hanging() && another_finds_it_hanging() && connections(fd) == 0,
       "the others of the node know it from that one");
    (void)close(fd);
    fd = hanging_wattled(path);
    ok(another_finds_it_hanging() && connections(fd) == 1, "a new wattled is asked");
    (void)utimensat(AT_FDCWD, path, far, 0);
    ok(another_finds_it_hanging() && connections(fd) == 1, "a time far ahead means nothing");
    (void)close(fd);
    (void)unlink(path);
    ok(!another_finds_it_hanging(), "none is there");
    (void)unsetenv("WATTLE_SOCKET");
}

/* ---- a wattled that has no page, and answers after some time ---- */

static struct {
    int fd, delay_ms;
    const char *reply; /* to "job 12.0" */
    unsigned missing;  /* so often it does not know job 12 yet */
} late;

static const char *late_reply(const char *request)
{
    if (strcmp(request, "page 2") == 0)
        return "no sensors none";
    if (strcmp(request, "jobs") == 0)
        return "ok\n13 1700000000 5";
    if (strncmp(request, "job 12", 6) != 0 || (late.missing > 0 && late.missing--))
        return "no missing nothing is known of it";
    (void)usleep((useconds_t)late.delay_ms * 1000);
    return late.reply;
}

static void *answer(void *arg)
{
    for (int one; (one = accept(late.fd, NULL, NULL)) >= 0; (void)close(one)) {
        char request[100];
        ssize_t n = recv(one, request, sizeof request - 1, 0);
        request[n > 0 ? n : 0] = '\0';
        const char *reply = late_reply(request);
        (void)send(one, reply, strlen(reply), MSG_NOSIGNAL);
    }
    return arg;
}

/* A look at step 12.0; `task`: a task of it runs. */
static struct energy_for_slurm energy_of_step(struct energy_count *count,
                                              const char *id,
                                              bool task,
                                              char *why)
{
    struct daemon_step step = {
        .kind = DAEMON_STEPD, .job = "12", .extern_ = strcmp(id, "12.extern") == 0};
    struct energy_for_slurm shown;
    pid_t pid = task ? fork() : 0;
    if (task && pid == 0) {
        (void)pause();
        _exit(0);
    }
    (void)snprintf(step.id, sizeof step.id, "%s", id);
    why[0] = '\0';
    energy_count_read(count, &step, false, &shown, why);
    if (pid > 0) {
        (void)kill(pid, SIGKILL);
        (void)waitpid(pid, NULL, 0);
    }
    return shown;
}

/* Steps have what the ledger has for their records, also where wattled is late, or the prolog. */
static void records(void)
{
    static const char path[] = "late",
                      exclusive[] = "ok 1 2\nrule = exclusive\n"
                                    "p:node-0 554.4 0 0.1 1 measured 554.4 0 0 0",
                      shared[] = "ok 1 2\nrule = cpu_time\n"
                                 "p:node-0 554.4 0 0.1 1 measured 77.2 470 7.2 0";
    struct energy_count count = {.begun = false}, slow = count, unborn = count, silent = count;
    char why[SLURM_WHY];
    pthread_t thread;
    (void)setenv("WATTLE_SOCKET", path, 1);
    late.fd = hanging_wattled(path);
    (void)fcntl(late.fd, F_SETFL, 0);
    late.reply = exclusive;
    if (late.fd < 0 || pthread_create(&thread, NULL, answer, NULL) != 0)
        exit(1);
    struct energy_for_slurm s = energy_of_step(&count, "12.0", true, why);
    ok(s.known && s.consumed_j == 554, "a step of an exclusive job has what its record has: %s",
       why);
    late.reply = shared;
    s = energy_of_step(&count, "12.0", false, why);
    ok(s.known && s.consumed_j == 77, "and one on a shared node");

    late.delay_ms = 1500;
    s = energy_of_step(&slow, "12.0", true, why);
    ok(!s.known && why[0], "wattled is late: no number while the step runs (%s)", why);
    s = energy_of_step(&slow, "12.0", false, why);
    ok(s.known && s.consumed_j == 77, "its last look waits: %s", why);

    late.delay_ms = 0;
    late.missing = 3;
    (void)energy_of_step(&unborn, "12.extern", true, why);
    s = energy_of_step(&unborn, "12.extern", false, why);
    ok(s.known && s.consumed_j == 77, "and for a prolog that is late: %s", why);

    late.delay_ms = 6000;
    (void)energy_of_step(&silent, "12.0", true, why);
    time_t before = time(NULL);
    s = energy_of_step(&silent, "12.0", false, why);
    ok(!s.known && time(NULL) - before <= 5, "not for long: %s", why);
    silent.had_child = true;
    before = time(NULL);
    (void)energy_of_step(&silent, "12.0", false, why);
    ok(time(NULL) - before <= 1, "and the next one not at all");
    (void)shutdown(late.fd, SHUT_RDWR);
    (void)close(late.fd);
    (void)pthread_join(thread, NULL);
    (void)unlink(path);
    (void)unsetenv("WATTLE_SOCKET");
}

int main(void)
{
    char folder[] = "/tmp/wattle-test-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) < 0)
        return 1;
    titles();
    cgroups();
    options();
    settings();
    shares();
    counts();
    charges();
    others();
    errands();
    patience();
    records();
    (void)chdir("/"), (void)rmdir(folder);
    return done_testing();
}
