/* SPDX-License-Identifier: BSD-3-Clause */
/* Lifecycle of an opened driver: channels are added, named and checked here, once for all drivers. */
#include "base/grow.h"
#include "source/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config/config.h"
#include "base/fail.h"

enum { PATH_SIZE = 512 };

struct wattle_channel wtl_channel_init(enum wattle_domain domain,
                                       int index,
                                       enum wattle_quantity quantity,
                                       enum wattle_kind kind)
{
    return (struct wattle_channel){.domain = domain,
                                   .index = index,
                                   .sub = -1,
                                   .quantity = quantity,
                                   .kind = kind,
                                   .scale = 1.0};
}

/* No channel: report the reasons from the notes, as many as fit. */
static int explain(const struct wtl_source *source, struct wattle_error *err)
{
    struct wattle_error all = {"no channel found"};
    size_t used = 0;
    for (size_t i = 0; i < source->note_count && used < sizeof all.text; i++) {
        int n = snprintf(all.text + used, sizeof all.text - used, "%s%s", i ? "; " : "",
                         source->notes[i].text);
        used += n > 0 ? (size_t)n : 0;
    }
    return wtl_fail(err, source->forbidden ? -EACCES : -ENODEV, "%s: %s", source->driver->name,
                    all.text);
}

int wtl_source_open(struct wtl_source *source,
                    const struct wtl_driver *driver,
                    const struct wtl_world *world,
                    const struct wtl_settings *settings,
                    const struct wtl_target *target,
                    struct wattle_error *err)
{
    *source = (struct wtl_source){.driver = driver, .world = world, .settings = settings};
    if (target)
        source->target = *target;
    int rc = driver->open(source, err);
    if (source->out_of_memory)
        rc = -ENOMEM;
    if (rc == -ENOMEM)
        (void)wtl_fail(err, rc, "%s: out of memory", driver->name);
    if (rc == 0 && source->count == 0)
        rc = explain(source, err);
    if (rc < 0) {
        struct wtl_remedy remedy = source->remedy;
        wtl_source_close(source);
        source->remedy = remedy;
    }
    return rc;
}

void wtl_source_close(struct wtl_source *source)
{
    if (!source->driver)
        return;
    if (source->driver->close)
        source->driver->close(source);
    else
        free(source->impl);
    for (size_t i = 0; i < source->file_count; i++)
        source->world->ops->close(source->world, source->files[i]);
    free(source->files);
    free(source->channels);
    free(source->notes);
    free(source->lacks);
    *source = (struct wtl_source){0};
}

/* Whether it may replace the domain in a name. */
static bool is_word(const char *name)
{
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return name[n] == '\0' && n < WATTLE_NAME_MAX / 2;
}

int wtl_source_add(struct wtl_source *source, const struct wattle_channel *channel)
{
    if (!(channel->scale > 0) || channel->index < 0 || !is_word(channel->name))
        return -EINVAL;
    if (wtl_grow(&source->channels, source->count, sizeof *source->channels) < 0)
        return -ENOMEM;
    struct wattle_channel *added = &source->channels[source->count];
    *added = *channel;
    if (!(source->driver->flags & WTL_DRIVER_RELAY))
        (void)snprintf(added->sensor, sizeof added->sensor, "%s", source->driver->name);
    wtl_channel_set_name(added, channel->name[0] ? channel->name : NULL);
    for (size_t i = 0; i < source->count; i++) {
        if (strcmp(source->channels[i].name, added->name) == 0)
            return -EINVAL;
    }
    if (source->driver->flags & WTL_DRIVER_SLOW)
        added->flags |= WATTLE_CHANNEL_SLOW;
    if (source->world->simulated && !(source->driver->flags & WTL_DRIVER_ACTIVITY))
        added->flags |= WATTLE_CHANNEL_SIMULATED;
    return (int)source->count++;
}

const char *wtl_source_param(const struct wtl_source *source, const char *name)
{
    const struct wtl_settings *settings = source->settings;
    for (size_t i = settings ? settings->count : 0; i-- > 0;) {
        if (strcmp(settings->list[i].driver, source->driver->name) == 0 &&
            strcmp(settings->list[i].key, name) == 0)
            return settings->list[i].value;
    }
    char variable[64];
    wtl_config_variable(source->driver->name, name, variable, sizeof variable);
    const char *value = source->world->ops->getenv(source->world, variable);
    if (value)
        return value;
    for (const struct wtl_param *p = source->driver->params; p && p->name; p++) {
        if (strcmp(p->name, name) == 0)
            return p->default_text;
    }
    return "";
}

/* Register a descriptor to be closed; returns the descriptor, or -ENOMEM. */
static int keep(struct wtl_source *source, int fd)
{
    if (wtl_grow(&source->files, source->file_count, sizeof *source->files) < 0) {
        source->world->ops->close(source->world, fd);
        source->out_of_memory = true;
        return -ENOMEM;
    }
    source->files[source->file_count++] = fd;
    return fd;
}

int wtl_source_open_file(struct wtl_source *source, const char *format, ...)
{
    char path[PATH_SIZE];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(path, sizeof path, format, args);
    va_end(args);
    if (n < 0 || n >= (int)sizeof path)
        return -ENAMETOOLONG;
    int fd = source->world->ops->open(source->world, path, O_RDONLY);
    if ((fd == -EACCES || fd == -EPERM) && source->forbidden)
        wtl_source_note(source, "%s: also permission denied", path);
    if (fd == -EACCES || fd == -EPERM)
        wtl_source_remedy(source, NULL, "chmod a+r %s", path);
    if ((fd == -EACCES || fd == -EPERM) && !source->forbidden)
        wtl_source_note(source, "%s: permission denied; as root run: chmod a+r %s", path, path);
    source->forbidden |= fd == -EACCES || fd == -EPERM;
    source->out_of_memory |= fd == -ENOMEM;
    return fd < 0 ? fd : keep(source, fd);
}

ssize_t wtl_source_text(struct wtl_source *source, char *buf, size_t n, const char *format, ...)
{
    char path[PATH_SIZE];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(path, sizeof path, format, args);
    va_end(args);
    ssize_t got = -ENAMETOOLONG;
    if (length >= 0 && length < (int)sizeof path)
        got = wtl_world_text(source->world, path, buf, n);
    source->out_of_memory |= got == -ENOMEM;
    if (got < 0)
        buf[0] = '\0';
    return got;
}

void wtl_source_note(struct wtl_source *source, const char *format, ...)
{
    struct wattle_error note;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(note.text, sizeof note.text, format, args);
    va_end(args);
    for (size_t i = 0; i < source->note_count; i++) {
        if (strcmp(source->notes[i].text, note.text) == 0)
            return;
    }
    if (wtl_grow(&source->notes, source->note_count, sizeof *source->notes) < 0) {
        source->out_of_memory = true;
        return;
    }
    source->notes[source->note_count++] = note;
}

void wtl_source_lack(struct wtl_source *source, const struct wtl_lack *place)
{
    if (wtl_grow(&source->lacks, source->lack_count, sizeof *source->lacks) < 0) {
        source->out_of_memory = true;
        return;
    }
    source->lacks[source->lack_count++] = *place;
}

void wtl_source_remedy(struct wtl_source *source, const char *lasting, const char *format, ...)
{
    struct wtl_remedy *remedy = &source->remedy;
    va_list args;
    if (remedy->now[0])
        return;
    va_start(args, format);
    (void)vsnprintf(remedy->now, sizeof remedy->now, format, args);
    va_end(args);
    (void)snprintf(remedy->lasting, sizeof remedy->lasting, "%s", lasting ? lasting : "");
}
