/* SPDX-License-Identifier: BSD-3-Clause */
/* Which names are open and innermost: sequences of marks in a small language, and the resulting
 * sets. */
#include <errno.h>

#include "tap.h"
#include "trace/regions/nesting.h"

/* "1+a" thread 1 begins a; "1-a" ends it; "1." thread 1 is gone. The n-th mark is at n * 10. */
struct row {
    int line;
    const char *marks;
    const char *told; /* "a+10" a becomes open, "a'+10" innermost, "*+10" any; - likewise */
    unsigned count, unbalanced, crossing; /* totals over all names */
    uint64_t thread_time;                 /* thread time of a */
};

static const struct row rows[] = {
    {__LINE__, "1+a 1-a", "*+10 a+10 a'+10 a-20 a'-20 *-20", 1, 0, 0, 10},
    {__LINE__, "1+a 1+b 1-b 1-a",
     "*+10 a+10 a'+10 b+20 b'+20 a'-20 b-30 a'+30 b'-30 a-40 a'-40 *-40", 2, 0, 0, 30},
    /* recursion: open once, the time counted once, innermost throughout */
    {__LINE__, "1+a 1+a 1-a 1-a", "*+10 a+10 a'+10 a-40 a'-40 *-40", 2, 0, 0, 30},
    /* two threads in the same region: the union is one interval */
    {__LINE__, "1+a 2+a 1-a 2-a", "*+10 a+10 a'+10 a-40 a'-40 *-40", 2, 0, 0, 40},
    /* crossing */
    {__LINE__, "1+a 1+b 1-a 1-b", "*+10 a+10 a'+10 b+20 b'+20 a'-20 a-30 b-40 b'-40 *-40", 2, 0, 1,
     20},
    {__LINE__, "1-a 1+a 1-a", "*+20 a+20 a'+20 a-30 a'-30 *-30", 1, 1, 0, 10},
    {__LINE__, "1+a 1.", "*+10 a+10 a'+10 a-20 a'-20 *-20", 1, 1, 0, 10},
    {__LINE__, "1+a", "*+10 a+10 a'+10 a-1000 a'-1000 *-1000", 1, 1, 0, 990},
    /* an end on another thread closes nothing here */
    {__LINE__, "1+a 2-a 1-a", "*+10 a+10 a'+10 a-30 a'-30 *-30", 1, 1, 0, 20},
};

static char told[512];

static int tell(void *context,
                enum wtl_nesting_set set,
                size_t name_index,
                uint64_t time_ns,
                bool on)
{
    const struct wtl_nesting *const *nesting = context;
    size_t n = strlen(told);
    char name = set == WTL_SET_TAGGED ? '*' : (char)wtl_nesting_name(*nesting, name_index)->name;

    (void)snprintf(told + n, sizeof(told) - n, "%s%c%s%c%llu", n ? " " : "", name,
                   set == WTL_SET_INNERMOST ? "'" : "", on ? '+' : '-',
                   (unsigned long long)time_ns);
    return 0;
}

static void check(const struct row *row)
{
    static struct wtl_nesting *nesting;
    uint64_t time = 0;
    unsigned count = 0, unbalanced = 0, crossing = 0;

    nesting = wtl_nesting_create(1, 1000, tell, &nesting);
    told[0] = '\0';
    for (const char *at = row->marks; *at; at += at[1] == '.' ? 2 : 3, at += *at == ' ') {
        struct wtl_mark mark = {.time_ns = time += 10,
                                .thread = (uint32_t)at[0],
                                .name = (uint32_t)at[2],
                                .kind = at[1] == '+'   ? WTL_MARK_BEGIN
                                        : at[1] == '-' ? WTL_MARK_END
                                                       : WTL_MARK_THREAD_END};

        is_int(wtl_nesting_mark(nesting, &mark), 0, "%s: taken", row->marks);
    }
    is_int(wtl_nesting_finish(nesting), 0, "%s: finished", row->marks);
    is_str(told, row->told, "%s: told", row->marks);
    for (size_t i = 0; i < wtl_nesting_count(nesting); i++) {
        const struct wtl_nesting_name *name = wtl_nesting_name(nesting, i);

        count += (unsigned)name->count;
        unbalanced += (unsigned)name->unbalanced;
        crossing += (unsigned)name->crossing;
        if (name->name == 'a')
            is_int(name->thread_time_ns, row->thread_time, "%s: thread time", row->marks);
    }
    is_int(count, row->count, "%s: count", row->marks);
    is_int(unbalanced, row->unbalanced, "%s: unbalanced", row->marks);
    is_int(crossing, row->crossing, "%s: crossing", row->marks);
    wtl_nesting_destroy(nesting);
}

/* Only the part inside the window counts. */
static void check_window(void)
{
    static struct wtl_nesting *nesting;
    static const struct wtl_mark marks[] = {
        {.time_ns = 10, .name = 'a', .kind = WTL_MARK_BEGIN},
        {.time_ns = 20, .name = 'a', .kind = WTL_MARK_END}, /* before it: not counted */
        {.time_ns = 30, .name = 'a', .kind = WTL_MARK_BEGIN},
        {.time_ns = 150, .name = 'a', .kind = WTL_MARK_END}, /* 50 ns of it */
        {.time_ns = 190, .name = 'a', .kind = WTL_MARK_BEGIN},
        {.time_ns = 300, .name = 'a', .kind = WTL_MARK_END},   /* 10 ns */
        {.time_ns = 310, .name = 'a', .kind = WTL_MARK_BEGIN}, /* after it, and never ended */
    };

    nesting = wtl_nesting_create(100, 200, tell, &nesting);
    told[0] = '\0';
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
        is_int(wtl_nesting_mark(nesting, &marks[i]), 0, "taken");
    is_int(wtl_nesting_mark(nesting, &marks[0]), -EBADMSG, "time does not run backwards");
    is_int(wtl_nesting_finish(nesting), 0, "finished");
    is_int(wtl_nesting_name(nesting, 0)->count, 2, "count within the window");
    is_int(wtl_nesting_name(nesting, 0)->thread_time_ns, 60, "time within the window");
    wtl_nesting_destroy(nesting);
}

/* Very many names, threads and levels. */
static void check_large(void)
{
    static struct wtl_nesting *nesting;
    int failed = 0;

    nesting = wtl_nesting_create(1, UINT64_MAX, tell, &nesting);
    told[0] = '\0';
    for (uint32_t i = 0; i < 70000; i++) {
        struct wtl_mark mark = {
            .time_ns = i + 1, .thread = 1, .name = i * 2654435761u, .kind = WTL_MARK_BEGIN};

        told[0] = '\0';
        failed += wtl_nesting_mark(nesting, &mark) != 0;
    }
    struct wtl_mark gone = {.time_ns = 80000, .thread = 1, .kind = WTL_MARK_THREAD_END};

    is_int(failed, 0, "all marks taken");
    is_int(wtl_nesting_mark(nesting, &gone), 0, "the thread goes");
    is_int(wtl_nesting_count(nesting), 70000, "all names known");
    is_int(wtl_nesting_name(nesting, 69999)->unbalanced, 1, "too deep is counted");
    wtl_nesting_destroy(nesting);
}

int main(void)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        tap_line = rows[i].line;
        check(&rows[i]);
    }
    tap_line = 0;
    check_window();
    check_large();
    return done_testing();
}
