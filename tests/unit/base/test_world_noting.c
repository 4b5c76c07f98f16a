/* SPDX-License-Identifier: BSD-3-Clause */
/* The world that takes notes: answers are those of the inner world, and each question is recorded
 * once. */
#include "base/world/world_noting.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "base/world/world_recorded.h"
#include "tap.h"

static const struct wtl_note *find(const struct wtl_world *world,
                                   enum wtl_note_kind kind,
                                   const char *name)
{
    size_t count;
    const struct wtl_note *notes = wtl_world_noted(world, &count), *found = NULL;
    for (size_t i = 0; i < count; i++) {
        if (notes[i].kind == kind && strcmp(notes[i].name, name) == 0) {
            ok(found == NULL, "it is there once");
            found = &notes[i];
        }
    }
    return found;
}

static void test_files(const struct wtl_world *world)
{
    char text[64], **names;
    is_int(wtl_world_text(world, "/sys/devices/system/cpu/online", text, sizeof text) > 0, 1,
           "a file");
    is_int(wtl_world_text(world, "/sys/devices/system/cpu/online", text, sizeof text) > 0, 1,
           "again");
    is_int((int)wtl_world_text(world, "/none", text, sizeof text), -ENOENT,
           "one that is not there");
    int n = world->ops->list(world, "/sys/class/powercap", &names);
    ok(n > 0, "a folder");
    free(names);
    ok(world->ops->readlink(world, "/sys/class/powercap/intel-rapl:0", text, sizeof text) > 0,
       "a link");
    ok(find(world, WTL_NOTE_LINK, "/sys/class/powercap/intel-rapl:0") != NULL, "it is noted");
    ok(world->ops->exists(world, "/sys/class"), "something that exists");
    ok(!world->ops->exists(world, "/none"), "something that does not");
    const struct wtl_note *note = find(world, WTL_NOTE_FILE, "/sys/devices/system/cpu/online");
    ok(note && note->status == 0, "the file is noted");
    note = find(world, WTL_NOTE_FILE, "/none");
    ok(note && note->status == -ENOENT, "that one is not there, too");
    note = find(world, WTL_NOTE_FOLDER, "/sys/class/powercap");
    ok(note && note->status == 0, "the folder is noted");
    ok(find(world, WTL_NOTE_EXISTS, "/sys/class") != NULL, "what exists is noted");
    ok(find(world, WTL_NOTE_EXISTS, "/none") == NULL, "what does not is not");
}

static void test_registers(const struct wtl_world *world)
{
    uint64_t value;
    size_t count;
    struct perf_event_attr attr = {.type = 18, .size = sizeof attr, .config = 2};
    int fd = world->ops->msr_open(world, 2);
    is_int(fd >= 0, 1, "registers of CPU 2");
    is_int(world->ops->msr_read(world, fd, 0x611, &value), 0, "one is read");
    world->ops->close(world, fd);
    int event = world->ops->perf_event_open(world, &attr, -1, 0, -1, 0);
    is_int(event >= 0, 1, "an event");
    world->ops->close(world, event);
    const struct wtl_note *notes = wtl_world_noted(world, &count);
    bool reg = false, perf = false;
    for (size_t i = 0; i < count; i++) {
        reg |= notes[i].kind == WTL_NOTE_MSR && notes[i].cpu == 2 && notes[i].reg == 0x611;
        perf |= notes[i].kind == WTL_NOTE_PERF && notes[i].type == 18 && notes[i].config == 2;
    }
    ok(reg, "the register is noted with its CPU");
    ok(perf, "and the event");
    ok(wtl_world_noted_all(world), "nothing was lost");
}

int main(void)
{
    struct wtl_world *inner = NULL, *world = NULL;
    if (!ok(wtl_world_recorded(WATTLE_SOURCE_DIR "/tests/hosts/skx-2s", &inner, NULL) == 0 &&
                wtl_world_noting(inner, &world) == 0,
            "a world before a world") ||
        !inner || !world)
        return done_testing();
    test_files(world);
    test_registers(world);
    is_int((int)wtl_world_recorded_open_fds(inner), 0, "nothing stays open");
    wtl_world_noting_close(world);
    wtl_world_noting_close(NULL);
    wtl_world_close(inner);
    return done_testing();
}
