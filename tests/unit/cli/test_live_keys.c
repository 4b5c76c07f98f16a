/* SPDX-License-Identifier: BSD-3-Clause */
/* Keys: the effect of each on the view, and that typing a filter disables them. */
#include "cli/top/live_view.h"

#include "tap.h"

static void test_switches(struct wtl_live_view *v)
{
    ok(wtl_live_view_key(v, 'E'), "E goes on");
    is_int(v->sort, WTL_SORT_ENERGY, "and sorts by energy");
    (void)wtl_live_view_key(v, 'r');
    ok(v->reverse, "r reverses");
    (void)wtl_live_view_key(v, 'N');
    ok(!v->reverse && v->sort == WTL_SORT_NAME, "another order begins straight");
    (void)wtl_live_view_key(v, 'p');
    ok(v->paused, "p pauses");
    (void)wtl_live_view_key(v, ' ');
    ok(!v->paused, "space goes on");
    (void)wtl_live_view_key(v, '2');
    ok(v->hide_processes, "2 hides processes");
    (void)wtl_live_view_key(v, '2');
    ok(!v->hide_processes, "and shows them");
}

static void test_interval(struct wtl_live_view *v)
{
    (void)wtl_live_view_key(v, '+');
    is_int(v->every_ns, 2000000000, "+ looks less often");
    for (int i = 0; i < 20; i++)
        (void)wtl_live_view_key(v, '+');
    is_int(v->every_ns, 60000000000, "up to a minute");
    for (int i = 0; i < 20; i++)
        (void)wtl_live_view_key(v, '-');
    is_int(v->every_ns, 100000000, "down to 100 ms");
}

static void test_filter(struct wtl_live_view *v)
{
    (void)wtl_live_view_key(v, '/');
    ok(v->editing, "/ begins a filter");
    ok(wtl_live_view_key(v, 'q'), "q is a letter there");
    (void)wtl_live_view_key(v, 'x');
    (void)wtl_live_view_key(v, WTL_KEY_BACKSPACE);
    is_str(v->filter, "q", "typed and taken back");
    (void)wtl_live_view_key(v, WTL_KEY_ENTER);
    ok(!v->editing && v->filter[0], "Enter keeps it");
    (void)wtl_live_view_key(v, WTL_KEY_ESCAPE);
    is_str(v->filter, "", "Esc removes it");
    (void)wtl_live_view_key(v, '/');
    for (int i = 0; i < 200; i++)
        (void)wtl_live_view_key(v, 'a');
    is_int(strlen(v->filter), sizeof v->filter - 1, "no longer than its room");
    (void)wtl_live_view_key(v, WTL_KEY_ESCAPE);
    ok(!v->editing && !v->filter[0], "Esc while typing, too");
}

static void test_help(struct wtl_live_view *v)
{
    (void)wtl_live_view_key(v, 'h');
    ok(v->show_help, "h shows help");
    ok(wtl_live_view_key(v, 'q'), "q leaves it, not the program");
    ok(!v->show_help, "it is gone");
    v->scroll = 3;
    (void)wtl_live_view_key(v, WTL_KEY_UP);
    is_int(v->scroll, 2, "up");
    (void)wtl_live_view_key(v, WTL_KEY_PAGE_UP);
    is_int(v->scroll, 0, "a page up");
    (void)wtl_live_view_key(v, WTL_KEY_PAGE_DOWN);
    is_int(v->scroll, 10, "a page down");
    (void)wtl_live_view_key(v, WTL_KEY_HOME);
    is_int(v->scroll, 0, "home");
    ok(!wtl_live_view_key(v, 'q'), "q quits");
}

int main(void)
{
    static struct wtl_live_view view;
    wtl_live_view_init(&view, 1000000000);
    test_switches(&view);
    test_interval(&view);
    test_filter(&view);
    test_help(&view);
    wtl_live_view_fini(&view);
    return done_testing();
}
