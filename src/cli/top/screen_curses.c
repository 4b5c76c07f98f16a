/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cells on a terminal by ncursesw: see screen.h. Signals that the program waits for are always
 * blocked; ncurses has its own handlers for WINCH and TSTP. For unexpected signals there is a
 * handler here that writes what endwin(3) would, because endwin(3) may not be called from a
 * handler.
 */
#define _GNU_SOURCE
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "base/fail.h"
#include "cli/top/live_draw.h"
#include "cli/top/screen.h"

static SCREEN *curses;
static struct termios saved_modes;
static char farewell[256]; /* the sequences that restore the terminal */
static size_t farewell_size;
static volatile sig_atomic_t is_open;

static const int deadly[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
enum { DEADLY = sizeof deadly / sizeof *deadly };

int wtl_screen_check(struct wattle_error *err)
{
    int found;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return wtl_fail(err, -ENOTTY, "standard input and output are not a terminal");
    const char *term = getenv("TERM");
    if (setupterm(NULL, STDOUT_FILENO, &found) != OK)
        return wtl_fail(err, -ENOTSUP, "unknown terminal type \"%s\" (TERM)", term ? term : "");
    bool can = cursor_address && clear_screen;
    (void)del_curterm(cur_term);
    if (!can)
        return wtl_fail(err, -ENOTSUP, "terminal type \"%s\" (TERM) cannot move its cursor",
                        term ? term : "");
    return 0;
}

static void add_farewell(const char *capability)
{
    const char *text = capability ? tigetstr(capability) : NULL;
    size_t n = text && text != (const char *)-1 ? strlen(text) : 0;
    if (n == 0 || farewell_size + n >= sizeof farewell)
        return;
    (void)snprintf(farewell + farewell_size, sizeof farewell - farewell_size, "%s", text);
    farewell_size += n;
}

static void on_deadly(int number)
{
    if (is_open) {
        (void)!write(STDOUT_FILENO, farewell, farewell_size);
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &saved_modes);
    }
    (void)raise(number); /* the handler was reset before it ran */
}

static void watch_deadly(bool on)
{
    struct sigaction action = {.sa_flags = (int)SA_RESETHAND};
    action.sa_handler = on ? on_deadly : SIG_DFL;
    for (size_t i = 0; i < DEADLY; i++) {
        struct sigaction now;
        if (sigaction(deadly[i], NULL, &now) == 0 &&
            (now.sa_handler == SIG_DFL || now.sa_handler == on_deadly))
            (void)sigaction(deadly[i], &action, NULL); /* a sanitizer's own stays */
    }
}

static void close_at_exit(void)
{
    if (is_open)
        (void)endwin();
    is_open = 0;
}

/* Colours of the terminal's own palette, on its own background. */
static void set_up_colors(struct wtl_screen *screen)
{
    const char *off = getenv("NO_COLOR");
    screen->color = !(off && off[0]) && has_colors() && start_color() == OK;
    if (!screen->color)
        return;
    (void)use_default_colors();
    (void)init_pair(WTL_LOOK_CAUTION, COLOR_YELLOW, -1);
    (void)init_pair(WTL_LOOK_BAR, COLOR_GREEN, -1);
    (void)init_pair(WTL_LOOK_HISTORY, COLOR_CYAN, -1);
    (void)init_pair(WTL_LOOK_KEY, COLOR_CYAN, -1);
}

int wtl_screen_open(struct wtl_screen *screen, bool ascii, struct wattle_error *err)
{
    int rc = wtl_screen_check(err);
    sigset_t own;
    if (rc < 0)
        return rc;
    *screen = (struct wtl_screen){0};
    (void)setlocale(LC_CTYPE, "");
    screen->unicode = !ascii && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    (void)tcgetattr(STDIN_FILENO, &saved_modes);
    farewell_size = 0;
    curses = newterm(NULL, stdout, stdin);
    if (!curses)
        return wtl_fail(err, -ENOTSUP, "cannot use the terminal in full-screen mode");
    add_farewell("sgr0");
    add_farewell("cnorm");
    add_farewell("rmcup");
    add_farewell("rmkx");
    is_open = 1;
    (void)atexit(close_at_exit);
    watch_deadly(true);
    (void)cbreak();
    (void)noecho();
    (void)nonl();
    (void)keypad(stdscr, TRUE);
    (void)nodelay(stdscr, TRUE);
    (void)intrflush(stdscr, FALSE);
    (void)set_escdelay(25);
    (void)curs_set(0);
    set_up_colors(screen);
    /* Earlier threads have them blocked, so they are delivered here. */
    (void)sigemptyset(&own);
    (void)sigaddset(&own, SIGWINCH);
    (void)sigaddset(&own, SIGTSTP);
    (void)pthread_sigmask(SIG_UNBLOCK, &own, NULL);
    return 0;
}

void wtl_screen_close(struct wtl_screen *screen)
{
    (void)screen;
    if (!is_open)
        return;
    (void)endwin();
    is_open = 0;
    watch_deadly(false);
    delscreen(curses);
    curses = NULL;
}

static attr_t attributes_of(const struct wtl_screen *screen, enum wtl_look look)
{
    static const attr_t plain[WTL_LOOK_COUNT] = {[WTL_LOOK_STRONG] = A_BOLD,
                                                 [WTL_LOOK_FAINT] = A_DIM,
                                                 [WTL_LOOK_CAUTION] = A_BOLD,
                                                 [WTL_LOOK_TITLE] = A_REVERSE,
                                                 [WTL_LOOK_KEY] = A_REVERSE};
    if (!screen->color)
        return plain[look];
    switch (look) {
    case WTL_LOOK_CAUTION:
    case WTL_LOOK_BAR:
    case WTL_LOOK_HISTORY:
        return (attr_t)COLOR_PAIR(look);
    case WTL_LOOK_KEY:
        return (attr_t)COLOR_PAIR(look) | A_REVERSE;
    default:
        return plain[look];
    }
}

int wtl_screen_show(void *context, struct wtl_live_view *view, struct wattle_error *err)
{
    struct wtl_screen *screen = context;
    struct wtl_cells cells;
    int width, height;
    getmaxyx(stdscr, height, width);
    if (wtl_cells_init(&cells, width, height, screen->unicode) < 0)
        return wtl_no_memory_for(err, "a screen of %dx%d", width, height);
    wtl_live_draw(view, &cells);
    (void)erase();
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            const struct wtl_cell_mark *cell = &cells.cells[y * width + x];
            if (!cell->text[0])
                continue;
            (void)attrset((int)attributes_of(screen, (enum wtl_look)cell->look));
            (void)mvaddstr(y, x, cell->text); /* the cursor cannot advance from the last position */
        }
    }
    (void)refresh();
    wtl_cells_fini(&cells);
    return 0;
}

int wtl_screen_key(void *context)
{
    static const struct {
        int curses, key;
    } keys[] = {{KEY_UP, WTL_KEY_UP},         {KEY_DOWN, WTL_KEY_DOWN},
                {KEY_PPAGE, WTL_KEY_PAGE_UP}, {KEY_NPAGE, WTL_KEY_PAGE_DOWN},
                {KEY_HOME, WTL_KEY_HOME},     {KEY_BACKSPACE, WTL_KEY_BACKSPACE},
                {127, WTL_KEY_BACKSPACE},     {8, WTL_KEY_BACKSPACE},
                {27, WTL_KEY_ESCAPE},         {'\r', WTL_KEY_ENTER},
                {'\n', WTL_KEY_ENTER},        {KEY_ENTER, WTL_KEY_ENTER},
                {KEY_F(1), WTL_KEY_HELP},     {KEY_F(10), 'q'},
                {KEY_RESIZE, WTL_KEY_RESIZE}};
    (void)context;
    int key = getch();
    if (key == ERR)
        return -1;
    if (key == 12) { /* ^L: remove output of other programs */
        (void)clearok(curscr, TRUE);
        return WTL_KEY_RESIZE;
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (keys[i].curses == key)
            return keys[i].key;
    }
    return key < ' ' || key >= 0x7F ? WTL_KEY_RESIZE : key; /* no meaning: only redraw */
}
