/* SPDX-License-Identifier: BSD-3-Clause */
/* The effect of keys on the view: see live_view.h. Uses the letters of top(1) and htop(1) where they exist. */
#include "cli/top/live_view.h"

#include <string.h>

/* What + and - step through. */
static const uint64_t steps_ns[] = {100000000,  200000000,   500000000,   1000000000, 2000000000,
                                    5000000000, 10000000000, 30000000000, 60000000000};
enum { STEPS = sizeof steps_ns / sizeof *steps_ns, PAGE = 10 };

static void slower(struct wtl_live_view *view)
{
    for (size_t i = 0; i < STEPS; i++) {
        if (steps_ns[i] > view->every_ns) {
            view->every_ns = steps_ns[i];
            return;
        }
    }
}

static void faster(struct wtl_live_view *view)
{
    for (size_t i = STEPS; i > 0; i--) {
        if (steps_ns[i - 1] < view->every_ns) {
            view->every_ns = steps_ns[i - 1];
            return;
        }
    }
}

static void edit_filter(struct wtl_live_view *view, int key)
{
    size_t n = strlen(view->filter);
    if (key == WTL_KEY_ENTER || key == WTL_KEY_ESCAPE)
        view->editing = false;
    if (key == WTL_KEY_ESCAPE)
        view->filter[0] = '\0';
    else if (key == WTL_KEY_BACKSPACE && n > 0)
        view->filter[n - 1] = '\0';
    else if (key >= ' ' && key < 0x7F && n + 1 < sizeof view->filter) {
        view->filter[n] = (char)key;
        view->filter[n + 1] = '\0';
    }
    view->scroll = 0;
}

static bool sort_key(struct wtl_live_view *view, int key)
{
    static const struct {
        int key;
        enum wtl_live_sort sort;
    } keys[] = {{'P', WTL_SORT_POWER}, {'E', WTL_SORT_ENERGY}, {'C', WTL_SORT_CPU},
                {'N', WTL_SORT_NAME},  {'I', WTL_SORT_PID},    {'U', WTL_SORT_USER}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (keys[i].key != key)
            continue;
        view->reverse = false;
        view->sort = keys[i].sort;
        view->scroll = 0;
        return true;
    }
    return false;
}

static bool scroll_key(struct wtl_live_view *view, int key)
{
    size_t page = key == WTL_KEY_PAGE_UP || key == WTL_KEY_PAGE_DOWN ? PAGE : 1;
    if (key == WTL_KEY_UP || key == WTL_KEY_PAGE_UP)
        view->scroll = view->scroll > page ? view->scroll - page : 0;
    else if (key == WTL_KEY_DOWN || key == WTL_KEY_PAGE_DOWN)
        view->scroll += page; /* drawing keeps it within the list */
    else if (key == WTL_KEY_HOME)
        view->scroll = 0;
    else
        return false;
    return true;
}

/* Keys that toggle something. */
static bool switch_key(struct wtl_live_view *view, int key)
{
    const struct {
        int key;
        bool *which;
    } keys[] = {{'r', &view->reverse},        {'p', &view->paused},
                {' ', &view->paused},         {'1', &view->hide_channels},
                {'2', &view->hide_processes}, {'k', &view->hide_kernel},
                {'c', &view->names_only},     {'h', &view->show_help},
                {'?', &view->show_help},      {WTL_KEY_HELP, &view->show_help}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (keys[i].key != key)
            continue;
        *keys[i].which = !*keys[i].which;
        return true;
    }
    return false;
}

bool wtl_live_view_key(struct wtl_live_view *view, int key)
{
    if (key == WTL_KEY_RESIZE)
        return true;
    if (view->editing) {
        edit_filter(view, key);
        return true;
    }
    if (view->show_help) { /* any key leaves the help; q does not also quit */
        view->show_help = false;
        return true;
    }
    if (sort_key(view, key) || scroll_key(view, key) || switch_key(view, key))
        return true;
    if (key == '+' || key == '=')
        slower(view);
    else if (key == '-')
        faster(view);
    else if (key == '/')
        view->editing = true;
    else if (key == WTL_KEY_ESCAPE)
        view->filter[0] = '\0';
    else if (key == 'z')
        wtl_live_view_reset(view);
    return key != 'q';
}
