/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields of stat are counted after the last ')' of the name, since a name may contain spaces and brackets. */
#include "account/process_stat.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"

/* Field numbers as in proc_pid_stat(5). */
enum { FIELD_STATE = 3 };
enum { PARENT, FLAGS, UTIME, STIME, CHILDREN_UTIME, CHILDREN_STIME, START, FIELDS };
static const int field_numbers[FIELDS] = {4, 9, 14, 15, 16, 17, 22};

static const uint64_t PF_KERNEL_THREAD = 0x00200000; /* PF_KTHREAD of the kernel's sched.h */

/* More than any clock can have counted: the kernel cannot have written a larger number. */
static const uint64_t TICKS_MOST = UINT64_C(1) << 53;

/* Read field `number` as an integer; *at points to field `*field`; advances both. */
static int read_field(const char **at, int *field, int number, uint64_t *ret_value)
{
    for (; *field < number; (*field)++) {
        const char *space = strchr(*at, ' ');
        if (!space)
            return -EBADMSG;
        *at = space + 1;
    }
    int used = wtl_scan_u64(*at, strlen(*at), ret_value);
    if (used <= 0 || ((*at)[used] && (*at)[used] != ' ' && (*at)[used] != '\n'))
        return -EBADMSG;
    return 0;
}

/* Parse "17 (name) S ", the part before the numbers; *ret_at then points to the state. */
static int take_name(const char *text, struct wtl_process_stat *stat, const char **ret_at)
{
    const char *open = strchr(text, '('), *close = strrchr(text, ')');
    uint64_t pid;
    int used = wtl_scan_u64(text, strlen(text), &pid);
    if (used <= 0 || pid == 0 || pid > INT32_MAX || text[used] != ' ' || open != text + used + 1)
        return -EBADMSG;
    if (!close || close < open || close[1] != ' ' || !close[2] || close[3] != ' ')
        return -EBADMSG;
    size_t length = (size_t)(close - open) - 1;
    length = length < sizeof stat->name ? length : sizeof stat->name - 1;
    memcpy(stat->name, open + 1, length);
    stat->pid = (pid_t)pid;
    stat->state = close[2];
    *ret_at = close + 2;
    return 0;
}

int wtl_process_stat_parse(const char *text, struct wtl_process_stat *ret_stat)
{
    struct wtl_process_stat stat = {0};
    uint64_t values[FIELDS] = {0};
    const char *at = text;
    int field = FIELD_STATE, rc = take_name(text, &stat, &at);
    for (int i = 0; i < FIELDS && rc == 0; i++) {
        rc = read_field(&at, &field, field_numbers[i], &values[i]);
        if (values[i] > (i == PARENT ? INT32_MAX : TICKS_MOST))
            rc = -EBADMSG;
    }
    if (rc < 0)
        return rc;
    stat.parent = (pid_t)values[PARENT];
    stat.kernel_thread = values[FLAGS] & PF_KERNEL_THREAD;
    stat.cpu_ns = (values[UTIME] + values[STIME]) * WTL_PROCESS_TICK_NS;
    stat.waited_ns = (values[CHILDREN_UTIME] + values[CHILDREN_STIME]) * WTL_PROCESS_TICK_NS;
    stat.start_ticks = values[START];
    *ret_stat = stat;
    return 0;
}

bool wtl_process_status_cpus(const char *text, char *buf, size_t n)
{
    static const char key[] = "\nCpus_allowed_list:";
    const char *line = strstr(text, key);
    if (!line)
        return false;
    line += strlen(key);
    line += strspn(line, " \t");
    size_t length = strcspn(line, "\n");
    if (length == 0 || length >= n || line[length] != '\n')
        return false;
    memcpy(buf, line, length);
    buf[length] = '\0';
    return true;
}

uint32_t wtl_process_status_uid(const char *text)
{
    const char *line = strstr(text, "\nUid:");
    uint64_t uid;
    if (!line)
        return WTL_UID_UNKNOWN;
    line += strlen("\nUid:");
    for (int i = 0; i < 2; i++) { /* the real one, then the effective one */
        line += strspn(line, " \t");
        int used = wtl_scan_u64(line, strlen(line), &uid);
        if (used <= 0 || uid >= WTL_UID_UNKNOWN)
            return WTL_UID_UNKNOWN;
        line += used;
    }
    return (uint32_t)uid;
}

bool wtl_process_numbers_are_first(const struct wtl_world *world)
{
    static const char first[] = "pid:[4026531836]"; /* the kernel's number of it */
    char space[64];
    ssize_t n = world->ops->readlink(world, "/proc/self/ns/pid", space, sizeof space);
    return n == (ssize_t)sizeof first - 1 && memcmp(space, first, sizeof first - 1) == 0;
}

ssize_t wtl_process_read(const struct wtl_world *world,
                         const char *pid,
                         const char *file,
                         char *text,
                         size_t n)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%.20s/%s", pid, file);
    int fd = world->ops->open(world, path, O_RDONLY);
    if (fd < 0)
        return fd;
    ssize_t got = world->ops->pread(world, fd, text, n - 1, 0);
    world->ops->close(world, fd);
    text[got > 0 ? got : 0] = '\0';
    return got;
}
