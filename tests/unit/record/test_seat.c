/* SPDX-License-Identifier: BSD-3-Clause */
/* The seat: one of many processes has it, kill -9 passes it to the next, notes and members. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/seat.h"
#include "tap.h"

static char folder[] = "/tmp/wattle-test-seat-XXXXXX";
static const struct wtl_world *world;
static struct wtl_seat_key key = {.node = "n1:01234567", .name = "n1", .job = "test:1"};

static const uint64_t LONG_NS = 20000000000; /* never waited for: a limit in case of failure */

static struct wtl_seat *join(void)
{
    struct wattle_error err = {""};
    struct wtl_seat *seat = NULL;
    if (wtl_seat_open(world, &key, &seat, &err) < 0)
        diag("%s", err.text);
    return seat;
}

static unsigned files_left(void)
{
    unsigned n = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *at; dir && (at = readdir(dir));)
        n += at->d_name[0] != '.';
    if (dir)
        (void)closedir(dir);
    return n;
}

/* A process that joins, writes 'y' or 'n' for whether it has the seat, and stays until it is killed
 * or the pipe to it is closed. */
struct other {
    pid_t pid;
    int to, from;
};

static void take_part(int in, int out, const char *trace)
{
    struct wtl_seat_note note = {.run_id = "r1"};
    char answer = '?', byte;
    struct wtl_seat *seat = join();
    if (seat && wtl_seat_try(seat) == 1) {
        (void)snprintf(note.trace, sizeof note.trace, "%s", trace);
        answer = wtl_seat_publish(seat, &note) == 0 ? 'y' : '!';
    } else if (seat) {
        answer = 'n';
    }
    (void)!write(out, &answer, 1);
    (void)!read(in, &byte, 1);
    if (seat)
        (void)wtl_seat_tell_usage(seat, 1.5, 1000);
    wtl_seat_close(seat);
    _exit(0);
}

static struct other start_other(const char *trace, char *ret_answer)
{
    int to[2], from[2];
    struct other other = {.pid = -1, .to = -1, .from = -1};

    *ret_answer = 0;
    if (pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0)
        return other;
    other.pid = fork();
    if (other.pid == 0) {
        for (int fd = 3; fd < 1024; fd++) { /* the parent's seat, pipes of others */
            if (fd != to[0] && fd != from[1])
                (void)close(fd);
        }
        take_part(to[0], from[1], trace);
    }
    (void)close(to[0]);
    (void)close(from[1]);
    other.to = to[1];
    other.from = from[0];
    *ret_answer = 0;
    (void)!read(other.from, ret_answer, 1);
    return other;
}

static void end_other(struct other *other, int number)
{
    if (number)
        (void)kill(other->pid, number);
    (void)close(other->to);
    (void)close(other->from);
    (void)waitpid(other->pid, NULL, 0);
}

static void test_alone(void)
{
    struct wtl_seat_note note = {.trace = "/t/a.wtl", .spool = "/t/a.wtl.d", .run_id = "id"}, got;
    struct wattle_error err = {""};
    struct wtl_seat *seat = join(), *none = NULL;
    struct wtl_seat_key alone = {.node = "n"};
    is_int(wtl_seat_open(world, &alone, &none, &err), -EINVAL, "a seat wants a job");
    ok(err.text[0] != '\0', "and says so");
    if (!ok(seat != NULL, "joined"))
        return;
    is_int(wtl_seat_look(seat, 0, &got), -EAGAIN, "nothing published yet");
    is_int(wtl_seat_publish(seat, &note), -EPERM, "only the holder publishes");
    is_int(wtl_seat_try(seat), 1, "alone, it has the seat");
    is_int(wtl_seat_try(seat), 1, "and still has it");
    is_int(wtl_seat_publish(seat, &note), 0, "published");
    is_int(wtl_seat_look(seat, 0, &got), 0, "looked");
    is_str(got.trace, "/t/a.wtl", "trace");
    is_str(got.spool, "/t/a.wtl.d", "spool");
    is_str(got.run_id, "id", "run id");
    is_int(got.pid, getpid(), "pid of the holder");
    is_int(got.generation, 1, "the first generation");
    is_int(wtl_seat_publish(seat, &note), 0, "published again");
    is_int(wtl_seat_look(seat, 0, &got) < 0 ? -1 : (int)got.generation, 1, "by the same holder");
    is_int(wtl_seat_wait_members(seat, 0), 0, "no other members");
    is_int(files_left(), 1, "one file");
    struct wtl_seat *late = join();
    is_int(wtl_seat_try(late), 0, "one that comes while the trace is finished");
    is_int(wtl_seat_look(late, 0, &got), -EAGAIN, "does not find it any more");
    struct wtl_seat_usage usage = {.members = 0};
    is_int(wtl_seat_usage(seat, &usage), 0, "usage");
    is_int(usage.members, 1, "and is not counted");
    wtl_seat_close(late);
    wtl_seat_close(seat);
    is_int(files_left(), 0, "which the last one removes");
    wtl_seat_close(NULL);
    wtl_seat_forget(NULL);
}

static void test_holder_is_killed(void)
{
    struct wtl_seat_note note = {.trace = "/t/b.wtl"}, got;
    char answer;
    struct other holder = start_other("/t/first.wtl", &answer);
    is_int(answer, 'y', "the first process has the seat");
    struct wtl_seat *seat = join();
    if (!ok(seat != NULL, "a second one joins"))
        return;
    is_int(wtl_seat_try(seat), 0, "and has it not");
    is_int(wtl_seat_look(seat, LONG_NS, &got), 0, "sees the note");
    is_str(got.trace, "/t/first.wtl", "of the first");
    is_int(got.pid, holder.pid, "with its pid");
    end_other(&holder, SIGKILL);
    is_int(wtl_seat_try(seat), 1, "once that is killed it has the seat");
    is_int(wtl_seat_look(seat, 0, &got), 0, "the note of the dead one is still there");
    is_str(got.trace, "/t/first.wtl", "to go on from");
    is_int(wtl_seat_publish(seat, &note), 0, "published");
    is_int(wtl_seat_look(seat, 0, &got) < 0 ? -1 : (int)got.generation, 2, "second generation");
    wtl_seat_close(seat);
    is_int(files_left(), 0, "no file is left");
}

/* A holder that ends before the others leaves its note, and records that it was not killed. */
static void test_hand_over(void)
{
    struct wtl_seat_note note = {.trace = "/t/left.wtl"}, got;
    struct wtl_seat *first = join(), *second = join();
    if (!ok(first && second, "two members"))
        return;
    is_int(wtl_seat_try(first), 1, "one has the seat");
    is_int(wtl_seat_publish(first, &note), 0, "and says where its trace is");
    is_int(wtl_seat_hand_over(first, &got), 0, "which goes");
    is_int(wtl_seat_try(second), 1, "the other has it when that is gone");
    is_int(wtl_seat_look(second, 0, &got), 0, "the note is still there");
    is_str(got.trace, "/t/left.wtl", "to go on from");
    is_int(got.pid, 0, "and nobody was killed");
    is_int(wtl_seat_publish(second, &got), 0, "published");
    is_int(wtl_seat_look(second, 0, &got), 0, "looked");
    is_int(got.pid, getpid(), "the new holder could be");
    is_int((int)got.generation, 2, "of the second generation");
    wtl_seat_close(second);
    is_int(files_left(), 0, "no file is left");
    is_int(wtl_seat_hand_over(NULL, &got), 0, "no seat, nothing to hand over");
}

/* Whatever the order of the holder that hands over and the last of the others: one of them has to
 * finish. */
static void test_last_one(void)
{
    struct wtl_seat_note note = {.trace = "/t/last.wtl"}, got = {.trace = ""};
    for (int holder_first = 0; holder_first < 2; holder_first++) {
        struct wtl_seat *holder = join(), *second = join(), *third = join();
        if (!ok(holder && second && third, "three members"))
            return;
        is_int(wtl_seat_try(holder), 1, "one has the seat");
        is_int(wtl_seat_publish(holder, &note), 0, "and says where its trace is");
        is_int(wtl_seat_part(third, 0, &got), 0, "another one leaves");
        if (holder_first) {
            is_int(wtl_seat_hand_over(holder, &got), 0, "the holder goes first");
            is_int(wtl_seat_part(second, 0, &got), 1, "the last one has to finish");
            is_str(got.trace, "/t/last.wtl", "the holder's trace");
            is_int(got.pid, 0, "which was not killed");
            wtl_seat_close(second);
        } else {
            is_int(wtl_seat_part(second, 0, &got), 0, "the others go first");
            is_int(wtl_seat_hand_over(holder, &got), 1, "the holder has to finish");
            is_str(got.trace, "/t/last.wtl", "its own trace");
            wtl_seat_close(holder);
        }
        is_int(files_left(), 0, "no file is left");
    }
    is_int(wtl_seat_part(NULL, 0, &got), 0, "no seat, nothing to leave");
}

/* While others continue, a process that leaves does not have to finish; without a note there is
 * nothing to finish. */
static void test_part(void)
{
    struct wtl_seat_note note = {.trace = "/t/left.wtl"}, got;
    struct wtl_seat *holder = join(), *second = join(), *third = join();
    if (!ok(holder && second && third, "three members"))
        return;
    is_int(wtl_seat_try(holder), 1, "one has the seat");
    is_int(wtl_seat_publish(holder, &note), 0, "and says where its trace is");
    is_int(wtl_seat_hand_over(holder, &got), 0, "and hands over");
    is_int(wtl_seat_part(second, 0, &got), 0, "one of two leaves it to the other");
    is_int(wtl_seat_try(third), 1, "which has the seat");
    wtl_seat_close(third);
    is_int(files_left(), 0, "no file is left");
    holder = join();
    second = join();
    is_int(wtl_seat_try(holder), 1, "one has the seat");
    is_int(wtl_seat_part(second, 1000000, &got), 0, "the other lingers as it leaves");
    is_int(wtl_seat_wait_members(holder, 0), 0, "and is no member any more");
    wtl_seat_close(holder);
    is_int(files_left(), 0, "no file is left");
    struct wtl_seat *alone = join();
    is_int(wtl_seat_part(alone, 0, &got), 0, "nobody has measured: there is nothing to finish");
    is_int(files_left(), 0, "no file is left");
}

/* All processes of a job are killed, and a job of the same name starts: nothing of the old one is
 * continued. */
static void test_all_are_killed(void)
{
    struct wtl_seat_note got;
    char answer;
    struct other holder = start_other("/t/dead.wtl", &answer);
    end_other(&holder, SIGKILL);
    is_int(files_left(), 1, "kill -9 leaves a file behind");
    struct wtl_seat *seat = join();
    if (!ok(seat != NULL, "joined"))
        return;
    is_int(wtl_seat_look(seat, 0, &got), -EAGAIN, "in which there is nothing any more");
    is_int(wtl_seat_try(seat), 1, "and the seat is free");
    wtl_seat_close(seat);
}

/* Leftovers of killed jobs are removed by the next one, files of running ones are not. */
static void test_sweep(void)
{
    struct wtl_seat_key was = key;
    char answer;
    struct other dead = start_other("/t/dead.wtl", &answer);
    end_other(&dead, SIGKILL);
    (void)strcpy(key.job, "test:going-on");
    struct other living = start_other("/t/living.wtl", &answer);
    is_int(files_left(), 1, "a new job clears away the file of one that is dead");
    (void)strcpy(key.job, "test:third");
    struct wtl_seat *seat = join();
    is_int(files_left(), 2, "but not that of one that goes on");
    wtl_seat_close(seat);
    end_other(&living, 0);
    is_int(files_left(), 0, "in the end nothing is left");
    key = was;
}

static void test_end_in_order(void)
{
    struct wtl_seat_note got;
    char answer;
    struct other holder = start_other("/t/c.wtl", &answer);
    struct wtl_seat *seat = join();
    end_other(&holder, 0);
    is_int(wtl_seat_look(seat, 0, &got), -EAGAIN,
           "a holder that ends in order takes its note away");
    is_int(wtl_seat_try(seat), 1, "the seat is free again");
    is_int(wtl_seat_leave(seat), 0, "and given back");
    struct other next = start_other("/t/d.wtl", &answer);
    is_int(answer, 'y', "another one has it, beside a member that does not want it");
    end_other(&next, 0);
    wtl_seat_close(seat);
}

static void test_members(void)
{
    struct wtl_seat_usage usage;
    struct wtl_seat *seat = join();
    struct other others[4] = {{.pid = -1}};
    char answer;
    is_int(wtl_seat_try(seat), 1, "this process has the seat");
    for (int i = 0; i < 4; i++) {
        others[i] = start_other("-", &answer);
        is_int(answer, 'n', "process %d has it not", i);
    }
    is_int(wtl_seat_wait_members(seat, 1000000), -ETIMEDOUT, "the others are still there");
    for (int i = 0; i < 3; i++)
        end_other(&others[i], i == 0 ? SIGKILL : 0);
    is_int(wtl_seat_wait_members(seat, 0), -ETIMEDOUT, "one still is");
    end_other(&others[3], 0);
    is_int(wtl_seat_wait_members(seat, LONG_NS), 0, "now all have gone");
    is_int(wtl_seat_tell_usage(seat, 2, 5000), 0, "word of its own use");
    is_int(wtl_seat_usage(seat, &usage), 0, "usage of all");
    is_int(usage.members, 5, "five members");
    is_int(usage.told, 4, "four have told; the killed one has not");
    is_double(usage.cpu_s, 2 + 3 * 1.5, 1e-12, "processor time is the sum");
    is_double(usage.max_rss_bytes, 5000, 0, "memory is the maximum");
    wtl_seat_close(seat);
}

/* All descriptors are closed, and their numbers reused for a file of the program's own. */
static void close_all(const char *path)
{
    for (int fd = 3; fd < 1024; fd++)
        (void)close(fd);
    int own = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    for (int fd = 300; fd < 500; fd++)
        (void)dup2(own, fd);
}

static off_t end_of_own(const char *path)
{
    struct stat status = {.st_size = -1};
    for (int fd = 3; fd < 1024; fd++)
        (void)close(fd);
    (void)stat(path, &status);
    (void)unlink(path);
    return status.st_size;
}

static void test_closed(void)
{
    char own[sizeof folder + 8], answer;
    struct wtl_seat_note note = {.trace = "/t/closed.wtl"}, found;
    struct wtl_seat *seat = join();
    (void)snprintf(own, sizeof own, "%s.own", folder);
    is_int(wtl_seat_try(seat), 1, "a process that measures");
    is_int(wtl_seat_publish(seat, &note), 0, "says where");
    close_all(own);
    is_int(wtl_seat_look(seat, 0, &found), 0, "when the program has closed all it had");
    is_str(found.trace, "/t/closed.wtl", "its note is still there");
    is_int(wtl_seat_tell_usage(seat, 1, 1), 0, "and what it used");
    struct other other = start_other("/t/other.wtl", &answer);
    is_int(answer, 'n', "and the seat is still its own");
    end_other(&other, SIGKILL);
    wtl_seat_close(seat);
    is_int((int)end_of_own(own), 0, "nothing was written to the program's file");
    is_int((int)files_left(), 0, "no file is left");
    seat = join();
    is_int(wtl_seat_try(seat), 1, "one more");
    close_all(own);
    other = start_other("/t/other.wtl", &answer);
    is_int(answer, 'y', "another one may be faster");
    is_int(wtl_seat_publish(seat, &note), -ESTALE, "then the first has no seat any more");
    is_int(wtl_seat_wait_members(seat, 0), -ESTALE, "and nobody to wait for");
    wtl_seat_close(seat);
    end_other(&other, 0);
    is_int((int)end_of_own(own), 0, "nothing was written to the program's file");
    is_int((int)files_left(), 0, "no file is left");
}

/* A child of fork that releases its copy takes nothing from its parent, and keeps nothing of it. */
static void test_fork(void)
{
    int status = -1;
    struct wtl_seat *seat = join();
    is_int(wtl_seat_try(seat), 1, "the parent has the seat");
    pid_t pid = fork();
    if (pid == 0) {
        wtl_seat_forget(seat);
        struct wtl_seat *own = join();
        _exit(own && wtl_seat_try(own) == 0 ? 0 : 1);
    }
    (void)waitpid(pid, &status, 0);
    is_int(status, 0, "the child has it not, by a seat of its own");
    is_int(wtl_seat_wait_members(seat, LONG_NS), 0, "and is gone with its end");
    int hold[2];
    (void)!pipe2(hold, O_CLOEXEC);
    pid = fork();
    if (pid == 0) { /* keeps the copy */
        char byte;
        (void)close(hold[1]);
        (void)!read(hold[0], &byte, 1);
        _exit(0);
    }
    wtl_seat_close(seat);
    seat = join();
    is_int(wtl_seat_try(seat), 1, "closed is closed, whatever copies are about");
    (void)close(hold[1]);
    (void)close(hold[0]);
    (void)waitpid(pid, NULL, 0);
    wtl_seat_close(seat);
}

static void test_other_jobs(void)
{
    struct wtl_seat *seat = join(), *other = NULL;
    is_int(wtl_seat_try(seat), 1, "this job's seat");
    struct wtl_seat_key was = key;
    (void)strcpy(key.job, "test:2");
    other = join();
    is_int(wtl_seat_try(other), 1, "another job's seat is another");
    wtl_seat_close(other);
    key = was;
    (void)strcpy(key.node, "n2:01234567");
    other = join();
    is_int(wtl_seat_try(other), 1, "another node's seat is another");
    wtl_seat_close(other);
    key = was;
    wtl_seat_close(seat);
}

static void test_folders(void)
{
    struct wattle_error err = {""};
    struct wtl_seat *seat = NULL;
    char path[256];
    (void)snprintf(path, sizeof path, "%s/link", folder);
    (void)!symlink("/tmp", path);
    (void)setenv("WATTLE_SEATS", path, 1);
    is_int(wtl_seat_open(world, &key, &seat, &err), -EPERM, "a link is no folder");
    ok(strstr(err.text, "WATTLE_SEATS") != NULL, "and the sentence has the remedy");
    (void)unlink(path);
    (void)mkdir(path, 0700);
    (void)chmod(path, 0777);
    is_int(wtl_seat_open(world, &key, &seat, &err), -EPERM, "nor one that others may write");
    (void)rmdir(path);
    if (geteuid() == 0) {
        (void)mkdir(path, 0700);
        (void)!chown(path, 12345, 12345);
        is_int(wtl_seat_open(world, &key, &seat, &err), -EPERM, "nor somebody else's");
        (void)rmdir(path);
    }
    (void)snprintf(path, sizeof path, "%s/none/at/all", folder);
    (void)setenv("WATTLE_SEATS", path, 1);
    is_int(wtl_seat_open(world, &key, &seat, &err), -ENOENT, "a folder in one that is not there");
    (void)setenv("WATTLE_SEATS", folder, 1);
}

/* What others may find in the file. */
static void test_foreign_bytes(void)
{
    struct wattle_error err = {""};
    struct wtl_seat *seat = join(), *other = NULL;
    struct dirent *at;
    char path[600] = "";
    DIR *dir = opendir(folder);
    while (dir && (at = readdir(dir))) {
        if (at->d_name[0] != '.')
            (void)snprintf(path, sizeof path, "%s/%s", folder, at->d_name);
    }
    if (dir)
        (void)closedir(dir);
    FILE *file = fopen(path, "r+");
    (void)fputs("XXXXXXXXXXXX", file);
    (void)fclose(file);
    is_int(wtl_seat_open(world, &key, &other, &err), -EPROTO, "a file of another kind is refused");
    ok(strstr(err.text, "version") != NULL, "with a sentence");
    wtl_seat_close(seat);
}

static void test_race(void)
{
    enum { PROCESSES = 8, ROUNDS = 40 };
    unsigned wrong = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int ends[2], holders = 0;
        char answer;
        (void)!pipe2(ends, O_CLOEXEC);
        for (int i = 0; i < PROCESSES; i++) {
            if (fork() != 0)
                continue;
            struct wtl_seat *seat = join();
            answer = !seat ? '!' : wtl_seat_try(seat) == 1 ? 'y' : 'n';
            (void)!write(ends[1], &answer, 1);
            wtl_seat_close(seat); /* others may come later and find no file, or a new one */
            _exit(0);
        }
        (void)close(ends[1]);
        while (read(ends[0], &answer, 1) == 1) {
            holders += answer == 'y';
            wrong += answer == '!';
        }
        (void)close(ends[0]);
        for (int i = 0; i < PROCESSES; i++)
            (void)wait(NULL);
        wrong += holders == 0;
    }
    is_int(wrong, 0, "whoever joins while others leave finds a seat, and somebody has it");
    is_int(files_left(), 0, "no file is left");
}

static atomic_int leaving;

static void *leave(void *argument)
{
    atomic_fetch_sub(&leaving, 1);
    while (atomic_load(&leaving) > 0)
        (void)sched_yield();
    wtl_seat_close(argument);
    return NULL;
}

/* Of processes that leave at the same moment, each still sees the others. */
static void test_leave_together(void)
{
    enum { MEMBERS = 2, ROUNDS = 300 };
    unsigned rounds_left = 0;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[MEMBERS];
        struct wtl_seat *seats[MEMBERS];
        for (int i = 0; i < MEMBERS; i++)
            seats[i] = join();
        atomic_store(&leaving, MEMBERS);
        for (int i = 0; i < MEMBERS; i++) {
            if (pthread_create(&threads[i], NULL, leave, seats[i]) != 0)
                exit(1);
        }
        for (int i = 0; i < MEMBERS; i++)
            (void)pthread_join(threads[i], NULL);
        rounds_left += files_left() > 0;
    }
    is_int(rounds_left, 0, "no file is left by members that leave at the same moment");
}

static void test_key(void)
{
    struct wtl_seat_key got;
    (void)unsetenv("WATTLE_NODE");
    (void)setenv("WATTLE_JOB", "j7", 1);
    is_int(wtl_seat_key_of(world, &got), 0, "key of this process");
    ok(strchr(got.node, ':') != NULL, "host name and boot id: %s", got.node);
    ok(strncmp(got.node, got.name, strlen(got.name)) == 0, "the name is the host's");
    is_str(got.job, "job:j7", "WATTLE_JOB names the job");
    (void)setenv("WATTLE_NODE", "rack1-n2", 1);
    is_int(wtl_seat_key_of(world, &got), 0, "with WATTLE_NODE");
    is_str(got.node, "rack1-n2", "that is the key");
    is_str(got.name, "rack1-n2", "and the name");
    (void)setenv("WATTLE_NODE", "\x1b[31mred\nx\ty", 1);
    is_int(wtl_seat_key_of(world, &got), 0, "with control characters");
    is_str(got.name, "?[31mred?x?y", "none of them is shown");
    (void)unsetenv("WATTLE_NODE");
    (void)unsetenv("WATTLE_JOB");
}

int main(void)
{
    world = wtl_world_real();
    if (!mkdtemp(folder))
        return 77;
    (void)setenv("WATTLE_SEATS", folder, 1);
    test_alone();
    test_holder_is_killed();
    test_hand_over();
    test_last_one();
    test_part();
    test_all_are_killed();
    test_sweep();
    test_end_in_order();
    test_members();
    test_closed();
    test_fork();
    test_other_jobs();
    test_folders();
    test_foreign_bytes();
    test_race();
    test_leave_together();
    test_key();
    (void)rmdir(folder);
    return done_testing();
}
