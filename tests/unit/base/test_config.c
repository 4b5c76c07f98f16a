/* SPDX-License-Identifier: BSD-3-Clause */
/* Configuration: what is accepted, what is refused and with which message, and which place takes
 * precedence. */
#include "base/config/config.h"

#include <errno.h>
#include <sys/utsname.h>

#include "base/config/ini.h"
#include "tap.h"

static const struct wtl_config_key keys[] = {
    {"run", "interval", "100ms", "", WTL_CONFIG_DURATION, NULL},
    {"run", "sampler-cpu", "", "", WTL_CONFIG_TEXT, NULL},
    {"run", "repeat", "1", "", WTL_CONFIG_COUNT, NULL},
    {"run", "format", "text", "", WTL_CONFIG_WORD, "text json csv"},
    {"sensor estimate", "curve", "", "", WTL_CONFIG_TEXT, NULL},
};
enum { KEYS = sizeof keys / sizeof *keys };

static void test_texts(void)
{
    static const struct {
        int line;
        const char *text;
        const char *section, *name, *value; /* result; value NULL = refused */
        const char *said;                   /* part of the error message */
    } rows[] = {
        {__LINE__, "", "run", "interval", "100ms", ""},
        {__LINE__, "[run]\ninterval = 10ms\n", "run", "interval", "10ms", ""},
        {__LINE__, "[run]\ninterval=10ms", "run", "interval", "10ms", ""},
        {__LINE__, "# a\n; b\n\n [ run ] \r\n\tinterval  =  1 \r\n", "run", "interval", "1", ""},
        {__LINE__, "[sensor estimate]\ncurve = 0:50,1:100 # no comment\n", "sensor estimate",
         "curve", "0:50,1:100 # no comment", ""},
        {__LINE__, "[sensor estimate]\ncurve = a=b\n", "sensor estimate", "curve", "a=b", ""},
        {__LINE__, "[sensor estimate]\ncurve =\n", "sensor estimate", "curve", "", ""},
        {__LINE__, "[run]\n[sensor estimate]\n[run]\nformat = json\n", "run", "format", "json", ""},
        {__LINE__, "interval = 10ms\n", "run", "interval", NULL, "f:1: missing [section]"},
        {__LINE__, "[run]\n\nintervall = 10ms\n", "run", "interval", NULL,
         "f:3: unknown key \"intervall\" in [run]; did you mean \"interval\"?"},
        {__LINE__, "[run]\nzzz = 1\n", "run", "interval", NULL, "see \"wattle config\""},
        {__LINE__, "[runn]\n", "run", "interval", NULL, "did you mean [run]?"},
        {__LINE__, "[sensor estimat]\n", "run", "interval", NULL,
         "did you mean [sensor estimate]?"},
        {__LINE__, "[run\n", "run", "interval", NULL, "f:1: expected [name]"},
        {__LINE__, "[\n", "run", "interval", NULL, "f:1: expected [name]"},
        {__LINE__, "[]\n", "run", "interval", NULL, "f:1: unknown section []"},
        {__LINE__, "[run]\ninterval\n", "run", "interval", NULL, "f:2: expected \"key = value\""},
        {__LINE__, "[run]\n= 3\n", "run", "interval", NULL, "f:2: unknown key \"\""},
        {__LINE__, "[run]\ninterval = fast\n", "run", "interval", NULL,
         "f:2: interval: \"fast\" is not a time"},
        {__LINE__, "[run]\ninterval = 0\n", "run", "interval", NULL, "a time above 0"},
        {__LINE__, "[run]\nrepeat = -1\n", "run", "repeat", NULL, "is not a whole number"},
        {__LINE__, "[run]\nformat = jso\n", "run", "format", NULL, "not one of: text json csv"},
        {__LINE__, "[run]\nformat = text json\n", "run", "format", NULL, "not one of"},
        {__LINE__, "[run]\nformat =\n", "run", "format", NULL, "not one of"},
        {__LINE__, "[run]\ninterval = 1\ninterval = 2\n", "run", "interval", NULL,
         "f:3: duplicate key \"interval\", first at f:2"},
        {__LINE__, "[run]\ninterval = 1\x01\n", "run", "interval", NULL, "control character"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        struct wtl_config *config = NULL;
        struct wattle_error err = {""};
        if (wtl_config_create(keys, KEYS, &config) < 0)
            break;
        int rc = wtl_config_text(config, "f", rows[i].text, strlen(rows[i].text), &err);
        if (rows[i].value) {
            is_int(rc, 0, "accepted %s", err.text);
            is_str(wtl_config_get(config, rows[i].section, rows[i].name), rows[i].value, "value");
        } else {
            is_int(rc, -EBADMSG, "refused");
            ok(strstr(err.text, rows[i].said), "says: %s", err.text);
        }
        wtl_config_destroy(config);
    }
    tap_line = 0;
}

static void test_all_or_nothing(void)
{
    static const char half[] = "[run]\ninterval = 7ms\nformat = gif\n";
    static const char zero[] = "[run]\ninter\0val = 7ms\n";
    struct wattle_error err;
    struct wtl_config *config;
    if (wtl_config_create(keys, KEYS, &config) < 0)
        return;
    is_int(wtl_config_text(config, "f", half, sizeof half - 1, &err), -EBADMSG, "a bad line");
    is_str(wtl_config_get(config, "run", "interval"), "100ms", "leaves everything as it was");
    is_int(wtl_config_text(config, "f", zero, sizeof zero - 1, &err), -EBADMSG, "a zero byte");

    char *line = malloc(WTL_INI_LINE_MAX + 1);
    memset(line, '#', WTL_INI_LINE_MAX + 1);
    is_int(wtl_config_text(config, "f", line, WTL_INI_LINE_MAX - 1, &err), 0, "longest line");
    is_int(wtl_config_text(config, "f", line, WTL_INI_LINE_MAX, &err), -EBADMSG, "too long");
    free(line);

    ok(!wtl_config_get(config, "run", "nothing"), "an undeclared key has no value");
    wtl_config_destroy(config);
}

/* ---- a world of two files and an environment ---- */

struct fake {
    const char *system, *user, *variable, *value;
};

static int fake_open(const struct wtl_world *world, const char *path, int flags)
{
    const struct fake *fake = world->impl;
    (void)flags;
    if (strcmp(path, "/etc/wattle/wattle.conf") == 0 && fake->system)
        return 3;
    if (strcmp(path, "/home/u/.config/wattle/wattle.conf") == 0 && fake->user)
        return strcmp(fake->user, "forbidden") == 0 || strcmp(fake->user, "elsewhere") == 0
                   ? -EACCES
                   : 4;
    return -ENOENT;
}

/* "forbidden" is an unreadable file, "elsewhere" an inaccessible folder. */
static bool fake_exists(const struct wtl_world *world, const char *path)
{
    const struct fake *fake = world->impl;
    (void)path;
    return fake->user && strcmp(fake->user, "forbidden") == 0;
}

static void fake_close(const struct wtl_world *world, int fd)
{
    (void)world;
    (void)fd;
}

static ssize_t fake_pread(const struct wtl_world *world, int fd, void *buf, size_t n, off_t offset)
{
    const struct fake *fake = world->impl;
    const char *text = fd == 3 ? fake->system : fake->user;
    if (strcmp(text, "endless") == 0) {
        memset(buf, '\n', n);
        return (ssize_t)n;
    }
    size_t size = strlen(text), left = (size_t)offset < size ? size - (size_t)offset : 0;
    n = n < left ? n : left;
    n = n < 5 ? n : 5; /* short reads */
    memcpy(buf, text + offset, n);
    return (ssize_t)n;
}

static const char *fake_getenv(const struct wtl_world *world, const char *name)
{
    const struct fake *fake = world->impl;
    if (strcmp(name, "HOME") == 0)
        return "/home/u";
    return fake->variable && strcmp(name, fake->variable) == 0 ? fake->value : NULL;
}

static int fake_uname(const struct wtl_world *world, struct utsname *ret_name)
{
    (void)world;
    *ret_name = (struct utsname){.nodename = "node07.example"};
    return 0;
}

static const struct wtl_world_ops fake_ops = {
    .uname = fake_uname,
    .open = fake_open,
    .close = fake_close,
    .pread = fake_pread,
    .exists = fake_exists,
    .getenv = fake_getenv,
};

static void test_places(void)
{
    static const char one[] = "[run]\ninterval = 1ms\n", two[] = "[run]\ninterval = 2ms\n";
    static const struct {
        int line;
        struct fake fake;
        const char *section, *name, *value, *origin; /* value NULL = refused, origin = what said */
    } rows[] = {
        {__LINE__, {NULL, NULL, NULL, NULL}, "run", "interval", "100ms", "default"},
        {__LINE__, {one, NULL, NULL, NULL}, "run", "interval", "1ms", "/etc/wattle/wattle.conf:2"},
        {__LINE__,
         {one, "elsewhere", NULL, NULL},
         "run",
         "interval",
         "1ms",
         "/etc/wattle/wattle.conf:2"},
        {__LINE__,
         {one, two, NULL, NULL},
         "run",
         "interval",
         "2ms",
         "/home/u/.config/wattle/wattle.conf:2"},
        {__LINE__,
         {one, "[run]\nrepeat = 3\n", NULL, NULL},
         "run",
         "interval",
         "1ms",
         "/etc/wattle/wattle.conf:2"},
        {__LINE__,
         {one, two, "WATTLE_RUN_INTERVAL", "3ms"},
         "run",
         "interval",
         "3ms",
         "WATTLE_RUN_INTERVAL"},
        {__LINE__,
         {NULL, NULL, "WATTLE_RUN_SAMPLER_CPU", "3"},
         "run",
         "sampler-cpu",
         "3",
         "WATTLE_RUN_SAMPLER_CPU"},
        {__LINE__,
         {NULL, NULL, "WATTLE_ESTIMATE_CURVE", "x"},
         "sensor estimate",
         "curve",
         "x",
         "WATTLE_ESTIMATE_CURVE"},
        {__LINE__,
         {one, two, "WATTLE_RUN_INTERVAL", "no"},
         "run",
         "interval",
         NULL,
         "WATTLE_RUN_INTERVAL: interval: \"no\" is not a time"},
        {__LINE__, {NULL, "forbidden", NULL, NULL}, "run", "interval", NULL, "Permission denied"},
        {__LINE__,
         {NULL, "endless", NULL, NULL},
         "run",
         "interval",
         NULL,
         "too large for a configuration file"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        struct fake fake = rows[i].fake;
        struct wtl_world world = {.ops = &fake_ops, .impl = &fake};
        struct wattle_error err = {""};
        struct wtl_config *config;
        if (wtl_config_create(keys, KEYS, &config) < 0)
            break;
        int rc = wtl_config_load(config, &world, &err);
        if (rows[i].value) {
            is_int(rc, 0, "loaded %s", err.text);
            is_str(wtl_config_get(config, rows[i].section, rows[i].name), rows[i].value, "value");
            for (size_t k = 0; k < wtl_config_count(config); k++) {
                struct wtl_config_entry entry = wtl_config_entry(config, k);
                if (strcmp(entry.key->name, rows[i].name) == 0)
                    is_str(entry.origin, rows[i].origin, "origin");
            }
            char found[64];
            wtl_config_find(&world, rows[i].section, rows[i].name, found, sizeof found);
            is_str(found, strcmp(rows[i].origin, "default") == 0 ? "" : rows[i].value,
                   "found without a table");
        } else {
            ok(rc < 0 && strstr(err.text, rows[i].origin), "refused: %s", err.text);
        }
        wtl_config_destroy(config);
    }
    tap_line = 0;
}

static void test_hosts(void)
{
#define TWO "[run @node[01-16],login*]\ninterval = 1ms\n[run]\ninterval = 2ms\n"
    static const struct {
        int line;
        const char *text, *host, *value, *said; /* value NULL = refused */
    } rows[] = {
        {__LINE__, TWO, "node07.example", "1ms", ""},
        {__LINE__, TWO, "login-a", "1ms", ""},
        {__LINE__, TWO, "node17", "2ms", ""},
        {__LINE__, TWO, "", "2ms", ""},
        {__LINE__, TWO "[run @*7]\ninterval = 3ms\n", "node07", "3ms", ""},
        {__LINE__, TWO "[ run  @ node07 ]\nrepeat = 3\n", "node07", "1ms", ""},
        {__LINE__, "[run @node[01-]]\n", "node07", NULL,
         "f:1: \"node[01-]\" is not a list of hosts"},
        {__LINE__, "[run @]\n", "node07", NULL, "f:1: \"\" is not a list of hosts"},
        {__LINE__, "[run@node07]\n", "node07", NULL, "f:1: unknown section [run@node07]"},
        {__LINE__, "[rum @node07]\n", "node07", NULL, "f:1: unknown section [rum]; did you mean"},
        {__LINE__, "[run @a]\ninterval = fast\n", "b", NULL, "f:2: interval: \"fast\""},
        {__LINE__, "[run @a]\nrepeat = 1\nrepeat = 1\n", "a", NULL, "f:3: duplicate key"},
        {__LINE__, "[others]\nx = y\n[others @a]\nx = y\n", "a", "100ms", ""},
        {__LINE__, "[other]\nx = y\n", "a", NULL, "f:1: unknown section [other]"},
    };
    static const char *const others[] = {"others", NULL};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        struct wtl_config *config;
        struct wattle_error err = {""};
        if (wtl_config_create(keys, KEYS, &config) < 0)
            break;
        wtl_config_host(config, rows[i].host);
        wtl_config_others(config, others);
        int rc = wtl_config_text(config, "f", rows[i].text, strlen(rows[i].text), &err);
        is_int(rc, rows[i].value ? 0 : -EBADMSG, "read on %s", rows[i].host);
        if (rows[i].value)
            is_str(wtl_config_get(config, "run", "interval"), rows[i].value, "value");
        ok(strstr(err.text, rows[i].said), "says: %s", err.text);
        wtl_config_destroy(config);
    }
    tap_line = 0;
}

/* A user cannot correct the system's file: what is wrong in it is ignored, with a warning. */
static void test_system_file(void)
{
    struct fake fake = {
        "[runn]\ninterval = 1ms\n[run]\nintervall = 2ms\nrepeat = 5\nformat = gif\nrepeat = 6\nx\n"
        "[sensor estimate\ninterval = 7ms\n[run @node[01-10]]\nsampler-cpu = 8\n"
        "[run @node[]\nsampler-cpu = 9\n",
        NULL, NULL, NULL};
    static const char *const said[] = {":1: unknown section [runn]",
                                       ":4: unknown key \"intervall\"",
                                       ":6: format: \"gif\"",
                                       ":7: duplicate key \"repeat\"",
                                       ":8: expected",
                                       ":9: expected [name]",
                                       ":13: \"node[\" is not a list"};
    enum { SAID = sizeof said / sizeof *said };
    struct wtl_world world = {.ops = &fake_ops, .impl = &fake};
    struct wattle_error err = {""};
    struct wtl_config *config;
    char found[64];
    if (wtl_config_create(keys, KEYS, &config) < 0)
        return;
    is_int(wtl_config_load(config, &world, &err), 0, "a system's file with errors is loaded");
    for (size_t i = 0; i < SAID; i++) {
        const char *text = wtl_config_warning(config, i);
        ok(text && strstr(text, "/etc/wattle/wattle.conf") && strstr(text, said[i]), "warning: %s",
           text ? text : "none");
    }
    ok(!wtl_config_warning(config, SAID), "no other warning");
    is_str(wtl_config_get(config, "run", "interval"), "100ms", "an unknown section has no effect");
    is_str(wtl_config_get(config, "run", "repeat"), "5", "the first of two lines counts");
    is_str(wtl_config_get(config, "run", "format"), "text", "a bad value has no effect");
    is_str(wtl_config_get(config, "run", "sampler-cpu"), "8", "what is right counts");
    wtl_config_find(&world, "run", "sampler-cpu", found, sizeof found);
    is_str(found, "8", "found without a table on this host");
    wtl_config_destroy(config);

    fake.user = "[run]\nrepeat = 7\n";
    if (wtl_config_create(keys, KEYS, &config) < 0)
        return;
    is_int(wtl_config_load_system(config, &world, NULL, &err), 0, "the system's file alone");
    is_str(wtl_config_get(config, "run", "repeat"), "5", "not the user's");
    wtl_config_destroy(config);

    fake.system = "endless";
    if (wtl_config_create(keys, KEYS, &config) < 0)
        return;
    is_int(wtl_config_load(config, &world, &err), 0, "one that cannot be read stops nobody");
    ok(wtl_config_warning(config, 0) &&
           strstr(wtl_config_warning(config, 0), "too large for a configuration file"),
       "but is warned about");
    wtl_config_destroy(config);
}

int main(void)
{
    test_texts();
    test_all_or_nothing();
    test_places();
    test_hosts();
    test_system_file();
    return done_testing();
}
