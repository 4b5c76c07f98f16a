/* SPDX-License-Identifier: BSD-3-Clause */
/* The code of base, without memory: configuration, expressions, scripts, recorded hosts, texts. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/config/config.h"
#include "base/expression/expression.h"
#include "base/natural.h"
#include "base/utf8.h"
#include "base/world/dialogue.h"
#include "base/world/script.h"
#include "base/world/world_recorded.h"
#include "tap.h"
#include "torture.h"

static int run_config(const struct torture_case *self)
{
    static const struct wtl_config_key keys[] = {
        {"run", "interval", "100ms", "", WTL_CONFIG_DURATION, NULL},
        {"sensor estimate", "curve", "", "", WTL_CONFIG_TEXT, NULL},
    };
    struct wtl_config *config;
    struct wattle_error err;
    torture_mark(&config, sizeof config);
    int rc = wtl_config_create(keys, 2, &config);
    if (rc < 0) {
        torture_untouched(&config, sizeof config, self->name);
        return rc;
    }
    static const char text[] = "[run]\ninterval = 5ms\n[sensor estimate]\ncurve = a\n";
    rc = wtl_config_text(config, "f", text, sizeof text - 1, &err);
    for (size_t i = 0; rc < 0 && i < wtl_config_count(config); i++) {
        if (!wtl_config_entry(config, i).is_default)
            rc = -EINVAL; /* a failure that changed something */
    }
    wtl_config_destroy(config);
    return rc;
}

static int run_expression(const struct torture_case *self)
{
    static const char *const names[] = {"t", "load"};
    struct wtl_expression *expression;
    torture_mark(&expression, sizeof expression);
    int rc = wtl_expression_compile("60 + 40 * load + sin(2*pi*t)", names, 2, &expression, NULL);
    if (rc < 0)
        torture_untouched(&expression, sizeof expression, self->name);
    else
        wtl_expression_destroy(expression);
    return rc;
}

static int run_script(const struct torture_case *self)
{
    static const char text[] = "0\t/a\t1+5/s\n1s\t/b\t!gone\n";
    struct wtl_script script;
    torture_mark(&script, sizeof script);
    int rc = wtl_script_parse(text, sizeof text - 1, &script, NULL);
    if (rc < 0)
        torture_untouched(&script, sizeof script, self->name);
    else
        wtl_script_fini(&script);
    return rc;
}

static int run_dialogue(const struct torture_case *self)
{
    static const char text[] = "0\ttcp:a:1\tpower?\t\\{1+5/s:be4}\n1s\texec:b\t!open\t!exit 1\n";
    struct wtl_dialogue dialogue;
    torture_mark(&dialogue, sizeof dialogue);
    int rc = wtl_dialogue_parse(text, sizeof text - 1, &dialogue, NULL);
    if (rc < 0)
        torture_untouched(&dialogue, sizeof dialogue, self->name);
    else
        wtl_dialogue_fini(&dialogue);
    return rc;
}

static int run_recorded(const struct torture_case *self)
{
    struct wtl_world *world;
    struct wattle_error err = {{0}};
    torture_mark(&world, sizeof world);
    int rc = wtl_world_recorded(self->context, &world, &err);
    if (rc < 0) {
        torture_untouched(&world, sizeof world, self->name);
        return rc;
    }
    char **names, *text;
    int count = world->ops->list(world, "/proc", &names);
    if (count >= 0)
        free(names);
    ssize_t size = count < 0 ? count : wtl_world_slurp(world, "/proc/cpuinfo", &text);
    if (size >= 0)
        free(text);
    int fd = size < 0 ? (int)size : world->ops->open(world, "/proc/cpuinfo", O_RDONLY);
    wtl_world_close(world); /* closes what is open */
    return fd < 0 ? fd : 0;
}

/* A request to a meter, and a program, in any world that has them. */
static int ask_peers(const struct wtl_world *world)
{
    static const char *const argv[] = {"true", NULL};
    char text[8];
    pid_t child;
    uint64_t deadline_ns = wtl_world_monotonic(world) + UINT64_C(60000000000);
    int fd = world->virtual_time ? wtl_world_connect(world, "tcp:meter:1", deadline_ns) : 0;
    if (fd < 0)
        return fd;
    int rc = fd > 0 ? world->ops->send(world, fd, "?", 1, deadline_ns) : 0;
    ssize_t got =
        rc == 0 && fd > 0 ? world->ops->recv(world, fd, text, sizeof text, deadline_ns) : rc;
    if (fd > 0)
        world->ops->close(world, fd);
    fd = got < 0 ? (int)got : wtl_world_spawn(world, argv, &child);
    if (fd < 0)
        return fd;
    world->ops->close(world, fd);
    return world->ops->reap(world, child, deadline_ns);
}

static int run_peers(const struct torture_case *self)
{
    struct wtl_world *inner = NULL, world;
    if (!self->context)
        return ask_peers(wtl_world_real());
    int rc = wtl_world_recorded(self->context, &inner, NULL);
    if (rc < 0)
        return rc;
    rc = ask_peers(inner);
    torture_world(&world, inner);
    if (rc == 0)
        rc = ask_peers(&world);
    unsigned left = wtl_world_recorded_open_fds(inner);
    wtl_world_close(inner);
    return left ? -EBUSY : rc;
}

static char host[] = "/tmp/wattle-torture-XXXXXX";

/* A host with a meter and a program. */
static bool make_host(void)
{
    char path[64];
    if (!mkdtemp(host))
        return false;
    (void)snprintf(path, sizeof path, "%s/root", host);
    (void)mkdir(path, 0700);
    (void)snprintf(path, sizeof path, "%s/dialogues.tsv", host);
    FILE *file = fopen(path, "w");
    if (file) {
        (void)fputs("0\ttcp:meter:1\t?\t12\n0\texec:true\t!open\t!exit 0\n", file);
        (void)fclose(file);
    }
    return file != NULL;
}

static void remove_host(void)
{
    char path[64];
    (void)snprintf(path, sizeof path, "%s/dialogues.tsv", host);
    (void)unlink(path);
    (void)snprintf(path, sizeof path, "%s/root", host);
    (void)rmdir(path);
    (void)rmdir(host);
}

static int run_texts(const struct torture_case *self)
{
    static char one[] = "cpu10", two[] = "cpu2";
    char *names[] = {one, two};
    (void)self;
    char **sorted = wtl_natural_sorted(names, 2);
    char *copy = sorted ? wtl_utf8_dup("a\xff") : NULL;
    int rc = copy ? 0 : -ENOMEM;
    free(sorted);
    free(copy);
    return rc;
}

int main(void)
{
    static const struct torture_case tests[] = {
        {.name = "configuration", .run = run_config},
        {.name = "expression", .run = run_expression},
        {.name = "script", .run = run_script},
        {.name = "host skx-2s",
         .run = run_recorded,
         .context = WATTLE_SOURCE_DIR "/tests/hosts/skx-2s"},
        {.name = "host guest-2cpu",
         .run = run_recorded,
         .context = WATTLE_SOURCE_DIR "/tests/hosts/guest-2cpu"},
        {.name = "dialogue", .run = run_dialogue},
        {.name = "texts", .run = run_texts},
        {.name = "program", .run = run_peers},
        {.name = "peers", .run = run_peers, .context = host},
    };
    ok(make_host(), "a host with peers");
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        ok(torture_allocations(&tests[i]), "%s without memory", tests[i].name);
    ok(torture_world_calls(&tests[sizeof tests / sizeof *tests - 1], EIO), "failing peers");
    remove_host();
    return done_testing();
}
