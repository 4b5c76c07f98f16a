/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads an OTF2 archive in a child process and writes it as text: see otf2_text.h. */
#define _GNU_SOURCE
#include "exchange/otf2/otf2_text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/whole.h"
#include "exchange/import/unit.h"
#include "exchange/otf2/otf2_library.h"
#include "exchange/tracks/tracks.h"

enum { EVENTS_AT_ONCE = 65536, LOCATIONS_MAX = 100000, DEFINITIONS_MAX = 4000000 };

/* Exit status of the child. */
enum { DONE = 0, UNREADABLE = 4, NO_MEMORY = 5, NOT_WRITTEN = 6, TOO_MANY = 7 };

struct member {
    uint32_t self, name, unit, about;
    uint8_t mode, base;
    int64_t exponent;
};

struct metric {
    uint32_t self, of_class; /* instance: of this class; class: itself */
    uint8_t count;
    uint32_t *members; /* of a class */
};

struct location {
    uint64_t self;
    uint32_t group;
};

struct group {
    uint32_t self, node;
};

struct node {
    uint32_t self, parent;
    bool is_node; /* of class "node" */
};

struct column {
    uint64_t location;
    uint32_t metric;
    uint8_t member;
    bool wanted;
    double scale;
};

/* Grown lists; sorted once the definitions are complete. */
struct archive {
    FILE *out;
    struct wtl_otf2 otf2;
    uint64_t resolution, offset;
    char **strings;
    size_t string_room;
    struct member *members;
    struct metric *metrics;
    struct location *locations;
    struct group *groups;
    struct node *nodes;
    struct column *columns;
    size_t member_count, metric_count, location_count, group_count, node_count, column_count;
    size_t member_room, metric_room, location_room, group_room, node_room, column_room;
    int status;
};

static int fail(struct archive *archive, int status)
{
    archive->status = archive->status ? archive->status : status;
    return 1; /* interrupts the library */
}

/* A place for one more definition. */
static void *add_definition(struct archive *archive,
                            void *list,
                            size_t *count,
                            size_t *room,
                            size_t size)
{
    char *items;
    if (*count >= DEFINITIONS_MAX) {
        (void)fail(archive, TOO_MANY);
        return NULL;
    }
    if (wtl_reserve_zeroed(list, room, *count + 1, size) < 0) {
        (void)fail(archive, NO_MEMORY);
        return NULL;
    }
    memcpy(&items, list, sizeof items);
    return items + (*count)++ * size;
}

#define ADD(archive, what)                                                 \
    add_definition(archive, &(archive)->what##s, &(archive)->what##_count, \
                   &(archive)->what##_room, sizeof *(archive)->what##s)

static const char *text_of(const struct archive *archive, uint32_t string)
{
    const char *text = string < archive->string_room ? archive->strings[string] : NULL;
    return text ? text : "";
}

/* A name at the end of a line. */
static void print_name(const struct archive *archive, uint32_t string)
{
    const char *text = text_of(archive, string);
    for (size_t i = 0; text[i] && i < 200; i++)
        (void)fputc((unsigned char)text[i] < 0x20 || (unsigned char)text[i] >= 0x7F ? '?' : text[i],
                    archive->out);
    (void)fputc('\n', archive->out);
}

static int64_t time_of(const struct archive *archive, uint64_t ticks)
{
    uint64_t since = ticks > archive->offset ? ticks - archive->offset : 0;
    if (archive->resolution == 1000000000)
        return since > INT64_MAX ? INT64_MAX : (int64_t)since;
    return wtl_whole_i64((double)since * (1e9 / (double)archive->resolution));
}

/* ---- definitions ---- */

static int take_clock(void *data,
                      uint64_t resolution,
                      uint64_t offset,
                      uint64_t length,
                      uint64_t realtime)
{
    struct archive *archive = data;
    archive->resolution = resolution ? resolution : 1;
    archive->offset = offset;
    if (realtime != UINT64_MAX && realtime < INT64_MAX / 2)
        (void)fprintf(archive->out, "z %" PRIu64 "\n", realtime);
    (void)fprintf(archive->out, "l %" PRId64 "\n",
                  time_of(archive, offset + (length > 0 ? length - 1 : 0)));
    return 0;
}

static int take_string(void *data, uint32_t self, const char *text)
{
    struct archive *archive = data;
    if (self >= DEFINITIONS_MAX)
        return fail(archive, TOO_MANY);
    if (wtl_reserve_zeroed((void *)&archive->strings, &archive->string_room, (size_t)self + 1,
                           sizeof *archive->strings) < 0)
        return fail(archive, NO_MEMORY);
    free(archive->strings[self]);
    archive->strings[self] = strndup(text, 256);
    return archive->strings[self] ? 0 : fail(archive, NO_MEMORY);
}

static int take_node(void *data, uint32_t self, uint32_t name, uint32_t of_class, uint32_t parent)
{
    struct archive *archive = data;
    struct node *node = ADD(archive, node);
    if (!node)
        return 1;
    *node = (struct node){self, parent, strcmp(text_of(archive, of_class), "node") == 0};
    (void)fprintf(archive->out, "m %" PRIu32 " ", self);
    print_name(archive, name);
    return 0;
}

static const struct node *find_node(const struct archive *archive, uint32_t self)
{
    for (size_t i = 0; i < archive->node_count; i++) {
        if (archive->nodes[i].self == self)
            return &archive->nodes[i];
    }
    return NULL;
}

/* The machine that a part of the system tree is in. */
static uint32_t machine_of(const struct archive *archive, uint32_t part)
{
    const struct node *node = find_node(archive, part);
    for (int depth = 0; node && !node->is_node && depth < 64; depth++)
        node = find_node(archive, node->parent);
    return node ? node->self : part;
}

static int take_group(void *data,
                      uint32_t self,
                      uint32_t name,
                      uint8_t type,
                      uint32_t parent,
                      uint32_t creator)
{
    struct archive *archive = data;
    struct group *group = ADD(archive, group);
    (void)type;
    (void)creator;
    if (!group)
        return 1;
    *group = (struct group){self, machine_of(archive, parent)};
    (void)fprintf(archive->out, "p %" PRIu32 " %" PRIu32 " ", self, group->node);
    print_name(archive, name);
    return 0;
}

static int take_location(void *data,
                         uint64_t self,
                         uint32_t name,
                         uint8_t type,
                         uint64_t events,
                         uint32_t group)
{
    struct archive *archive = data;
    (void)events;
    if (archive->location_count >= LOCATIONS_MAX)
        return fail(archive, TOO_MANY);
    struct location *location = ADD(archive, location);
    if (!location)
        return 1;
    *location = (struct location){self, group};
    if (type != WTL_OTF2_METRIC_LOCATION) {
        (void)fprintf(archive->out, "t %" PRIu64 " %" PRIu32 " ", self, group);
        print_name(archive, name);
    }
    return 0;
}

static enum wtl_track_class class_of(uint8_t role, uint8_t paradigm)
{
    enum { IMPLICIT_BARRIER = 16, TASK_WAIT = 22, UNTIED = 34 };
    if (paradigm == WTL_OTF2_PARADIGM_MPI)
        return WTL_TRACK_MPI;
    switch (role) {
    case WTL_OTF2_ROLE_TASK:
    case UNTIED:
        return WTL_TRACK_TASK;
    case WTL_OTF2_ROLE_BARRIER:
    case IMPLICIT_BARRIER:
    case TASK_WAIT:
        return WTL_TRACK_SYNC;
    case WTL_OTF2_ROLE_PARALLEL:
        return WTL_TRACK_PARALLEL;
    case WTL_OTF2_ROLE_WORKSHARE:
        return WTL_TRACK_WORK;
    case WTL_OTF2_ROLE_CRITICAL:
        return WTL_TRACK_LOCK;
    case WTL_OTF2_ROLE_FILE_IO:
        return WTL_TRACK_IO;
    case WTL_OTF2_ROLE_THREAD_WAIT:
        return WTL_TRACK_JOIN;
    case WTL_OTF2_ROLE_ARTIFICIAL:
        return WTL_TRACK_IDLE;
    default:
        return WTL_TRACK_REGION;
    }
}

static int take_region(void *data,
                       uint32_t self,
                       uint32_t name,
                       uint32_t canonical,
                       uint32_t description,
                       uint8_t role,
                       uint8_t paradigm,
                       uint32_t flags,
                       uint32_t file,
                       uint32_t begin_line,
                       uint32_t end_line)
{
    const struct archive *archive = data;
    (void)canonical;
    (void)description;
    (void)flags;
    (void)file;
    (void)begin_line;
    (void)end_line;
    (void)fprintf(archive->out, "r %" PRIu32 " %u ", self, (unsigned)class_of(role, paradigm));
    print_name(archive, name);
    return 0;
}

static int take_member(void *data,
                       uint32_t self,
                       uint32_t name,
                       uint32_t description,
                       uint8_t type,
                       uint8_t mode,
                       uint8_t value_type,
                       uint8_t base,
                       int64_t exponent,
                       uint32_t unit)
{
    struct archive *archive = data;
    struct member *member = ADD(archive, member);
    (void)type;
    (void)value_type;
    if (!member)
        return 1;
    *member = (struct member){self, name, unit, description, mode, base, exponent};
    return 0;
}

static int take_class(void *data,
                      uint32_t self,
                      uint8_t count,
                      const uint32_t *members,
                      uint8_t occurrence,
                      uint8_t recorder)
{
    struct archive *archive = data;
    struct metric *metric = ADD(archive, metric);
    (void)occurrence;
    (void)recorder;
    if (!metric)
        return 1;
    *metric = (struct metric){self, self, count, malloc(((size_t)count + 1) * sizeof *members)};
    if (!metric->members)
        return fail(archive, NO_MEMORY);
    if (count)
        memcpy(metric->members, members, count * sizeof *members);
    return 0;
}

static int take_instance(void *data,
                         uint32_t self,
                         uint32_t of_class,
                         uint64_t recorder,
                         uint8_t scope_kind,
                         uint64_t scope)
{
    struct archive *archive = data;
    struct metric *metric = ADD(archive, metric);
    (void)recorder;
    (void)scope_kind;
    (void)scope;
    if (!metric)
        return 1;
    *metric = (struct metric){.self = self, .of_class = of_class};
    return 0;
}

/* ---- columns ---- */

static const struct metric *find_metric(const struct archive *archive, uint32_t self)
{
    for (size_t i = 0; i < archive->metric_count; i++) {
        const struct metric *metric = &archive->metrics[i];
        if (metric->self == self)
            return metric->of_class == self ? metric : find_metric(archive, metric->of_class);
    }
    return NULL;
}

static const struct member *find_member(const struct archive *archive, uint32_t self)
{
    for (size_t i = 0; i < archive->member_count; i++) {
        if (archive->members[i].self == self)
            return &archive->members[i];
    }
    return NULL;
}

static uint32_t node_of(const struct archive *archive, uint64_t location)
{
    uint32_t group = WTL_OTF2_UNDEFINED_32;
    for (size_t i = 0; i < archive->location_count; i++) {
        if (archive->locations[i].self == location)
            group = archive->locations[i].group;
    }
    for (size_t i = 0; i < archive->group_count; i++) {
        if (archive->groups[i].self == group)
            return archive->groups[i].node;
    }
    return WTL_OTF2_UNDEFINED_32;
}

static char kind_of(const struct member *member, enum wattle_quantity quantity)
{
    const unsigned what = member->mode & WTL_OTF2_MODE_VALUE;
    const unsigned when = member->mode & WTL_OTF2_MODE_TIMING;
    if (quantity == WATTLE_POWER && what == WTL_OTF2_ABSOLUTE)
        return when == WTL_OTF2_NEXT   ? WTL_OTF2_KIND_NEXT
               : when == WTL_OTF2_LAST ? WTL_OTF2_KIND_LAST
                                       : WTL_OTF2_KIND_POINT;
    if (quantity == WATTLE_ENERGY && what == WTL_OTF2_ACCUMULATED)
        return WTL_OTF2_KIND_COUNTER;
    return quantity == WATTLE_ENERGY && what == WTL_OTF2_RELATIVE ? WTL_OTF2_KIND_DELTA
                                                                  : WTL_OTF2_KIND_AUTO;
}

/* wattle describes a metric with its quality, and with its traits after a comma; others are measured. */
static const char *quality_of(const char *about)
{
    static const char *const words[] = {"simulated", "estimated", "derived"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i]);
        if (strncmp(about, words[i], n) == 0 && (!about[n] || about[n] == ','))
            return words[i];
    }
    return "measured";
}

static void print_traits(const struct archive *archive,
                         const struct column *column,
                         const char *about)
{
    const char *traits = strstr(about, ", ");
    if (traits && !strpbrk(traits, "\n\r"))
        (void)fprintf(archive->out, "w %zu %s\n", (size_t)(column - archive->columns), traits + 2);
}

/* The column of a member of a metric at a location, defined when it first has a value. */
static const struct column *column_of(struct archive *archive,
                                      uint64_t location,
                                      uint32_t metric,
                                      uint8_t number)
{
    for (size_t i = 0; i < archive->column_count; i++) {
        const struct column *column = &archive->columns[i];
        if (column->location == location && column->metric == metric && column->member == number)
            return column;
    }
    struct column *column = ADD(archive, column);
    const struct metric *of = find_metric(archive, metric);
    const struct member *member =
        of && number < of->count ? find_member(archive, of->members[number]) : NULL;
    if (!column)
        return NULL;
    *column = (struct column){.location = location, .metric = metric, .member = number};
    const char *unit = member ? text_of(archive, member->unit) : "";
    const struct wtl_unit *known = *unit ? wtl_unit_find(unit, strlen(unit)) : NULL;
    if (!member || !known || (known->quantity != WATTLE_POWER && known->quantity != WATTLE_ENERGY))
        return column;
    column->wanted = true;
    column->scale = pow(member->base == WTL_OTF2_DECIMAL ? 10 : 2, (double)member->exponent);
    const char *quality = quality_of(text_of(archive, member->about));
    (void)fprintf(archive->out, "c %zu %" PRIu32 " %c %s %s ", (size_t)(column - archive->columns),
                  node_of(archive, location), kind_of(member, known->quantity), known->name,
                  quality);
    print_name(archive, member->name);
    print_traits(archive, column, text_of(archive, member->about));
    return column;
}

/* ---- events ---- */

static int take_metric(uint64_t location,
                       uint64_t time,
                       void *data,
                       void *attributes,
                       uint32_t metric,
                       uint8_t count,
                       const uint8_t *types,
                       const union wtl_otf2_value *values)
{
    struct archive *archive = data;
    (void)attributes;
    for (uint8_t i = 0; i < count; i++) {
        const struct column *column = column_of(archive, location, metric, i);
        if (!column)
            return 1;
        if (!column->wanted)
            continue;
        double value = types[i] == WTL_OTF2_TYPE_DOUBLE  ? values[i].f64
                       : types[i] == WTL_OTF2_TYPE_INT64 ? (double)values[i].i64
                                                         : (double)values[i].u64;
        (void)fprintf(archive->out, "v %" PRId64 " %zu ", time_of(archive, time),
                      (size_t)(column - archive->columns));
        if (isfinite(value))
            (void)fprintf(archive->out, "%.15g\n", value * column->scale);
        else
            (void)fputs("nan\n", archive->out);
    }
    return ferror(archive->out) ? fail(archive, NOT_WRITTEN) : 0;
}

static int take_border(struct archive *archive,
                       char what,
                       uint64_t location,
                       uint64_t time,
                       uint32_t region)
{
    (void)fprintf(archive->out, "%c %" PRId64 " %" PRIu64 " %" PRIu32 "\n", what,
                  time_of(archive, time), location, region);
    return ferror(archive->out) ? fail(archive, NOT_WRITTEN) : 0;
}

static int take_enter(uint64_t location,
                      uint64_t time,
                      void *data,
                      void *attributes,
                      uint32_t region)
{
    (void)attributes;
    return take_border(data, 'b', location, time, region);
}

static int take_leave(uint64_t location,
                      uint64_t time,
                      void *data,
                      void *attributes,
                      uint32_t region)
{
    (void)attributes;
    return take_border(data, 'e', location, time, region);
}

/* ---- the child ---- */

static int read_definitions(struct archive *archive, void *reader)
{
    const struct wtl_otf2 *otf2 = &archive->otf2;
    void *definitions = otf2->Reader_GetGlobalDefReader(reader);
    void *callbacks = otf2->GlobalDefReaderCallbacks_New();
    uint64_t count = 0;
    if (!definitions || !callbacks)
        return UNREADABLE;
    (void)otf2->GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, take_clock);
    (void)otf2->GlobalDefReaderCallbacks_SetStringCallback(callbacks, take_string);
    (void)otf2->GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(callbacks, take_node);
    (void)otf2->GlobalDefReaderCallbacks_SetLocationGroupCallback(callbacks, take_group);
    (void)otf2->GlobalDefReaderCallbacks_SetLocationCallback(callbacks, take_location);
    (void)otf2->GlobalDefReaderCallbacks_SetRegionCallback(callbacks, take_region);
    (void)otf2->GlobalDefReaderCallbacks_SetMetricMemberCallback(callbacks, take_member);
    (void)otf2->GlobalDefReaderCallbacks_SetMetricClassCallback(callbacks, take_class);
    (void)otf2->GlobalDefReaderCallbacks_SetMetricInstanceCallback(callbacks, take_instance);
    int code = otf2->Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, archive);
    otf2->GlobalDefReaderCallbacks_Delete(callbacks);
    code = code ? code : otf2->Reader_ReadAllGlobalDefinitions(reader, definitions, &count);
    return archive->status ? archive->status : code ? UNREADABLE : DONE;
}

/* Local definitions map the numbers of a location's events to global ones. */
static int open_locations(const struct archive *archive, void *reader)
{
    const struct wtl_otf2 *otf2 = &archive->otf2;
    uint64_t count = 0;
    bool local = otf2->Reader_OpenDefFiles(reader) == 0;
    for (size_t i = 0; i < archive->location_count; i++) {
        const uint64_t self = archive->locations[i].self;
        if (otf2->Reader_SelectLocation(reader, self))
            return UNREADABLE;
        void *definitions = local ? otf2->Reader_GetDefReader(reader, self) : NULL;
        if (definitions) {
            (void)otf2->Reader_ReadAllLocalDefinitions(reader, definitions, &count);
            (void)otf2->Reader_CloseDefReader(reader, definitions);
        }
    }
    if (local)
        (void)otf2->Reader_CloseDefFiles(reader);
    if (otf2->Reader_OpenEvtFiles(reader))
        return UNREADABLE;
    for (size_t i = 0; i < archive->location_count; i++)
        (void)otf2->Reader_GetEvtReader(reader, archive->locations[i].self);
    return DONE;
}

static int read_events(struct archive *archive, void *reader)
{
    const struct wtl_otf2 *otf2 = &archive->otf2;
    void *events = otf2->Reader_GetGlobalEvtReader(reader);
    void *callbacks = otf2->GlobalEvtReaderCallbacks_New();
    uint64_t count = EVENTS_AT_ONCE;
    if (!events || !callbacks)
        return UNREADABLE;
    (void)otf2->GlobalEvtReaderCallbacks_SetEnterCallback(callbacks, take_enter);
    (void)otf2->GlobalEvtReaderCallbacks_SetLeaveCallback(callbacks, take_leave);
    (void)otf2->GlobalEvtReaderCallbacks_SetMetricCallback(callbacks, take_metric);
    int code = otf2->Reader_RegisterGlobalEvtCallbacks(reader, events, callbacks, archive);
    otf2->GlobalEvtReaderCallbacks_Delete(callbacks);
    while (!code && count == EVENTS_AT_ONCE)
        code = otf2->Reader_ReadGlobalEvents(reader, events, EVENTS_AT_ONCE, &count);
    return archive->status ? archive->status : code ? UNREADABLE : DONE;
}

/* Never returns: nothing of the parent is to run at exit. */
static void be_child(const struct wtl_otf2 *otf2, const char *path, int fd)
{
    struct archive archive = {.otf2 = *otf2, .resolution = 1000000000};
    static const struct rlimit no_core = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &no_core);
    (void)signal(SIGPIPE, SIG_DFL);
    int quiet = open("/dev/null", O_WRONLY | O_CLOEXEC); /* what an abort of the library says */
    if (quiet >= 0)
        (void)dup2(quiet, STDERR_FILENO);
    archive.out = fdopen(fd, "w");
    void *reader = archive.out ? archive.otf2.Reader_Open(path) : NULL;
    int status = !archive.out ? NOT_WRITTEN : reader ? DONE : UNREADABLE;
    if (status == DONE && archive.otf2.Reader_SetSerialCollectiveCallbacks(reader))
        status = UNREADABLE;
    status = status ? status : read_definitions(&archive, reader);
    status = status ? status : open_locations(&archive, reader);
    status = status ? status : read_events(&archive, reader);
    if (archive.out && fflush(archive.out) != 0)
        status = NOT_WRITTEN;
    _exit(status);
}

/* ---- the parent ---- */

static int report(const char *path, int status, struct wattle_error *err)
{
    if (WIFSIGNALED(status))
        return wtl_fail(err, -EBADMSG, "%s: libotf2 crashed (%s): the archive is damaged", path,
                        strsignal(WTERMSIG(status)));
    switch (WEXITSTATUS(status)) {
    case DONE:
        return 0;
    case NO_MEMORY:
        return wtl_no_memory_for(err, "%s", path);
    case NOT_WRITTEN:
        return wtl_fail(err, -EIO, "%s: cannot write its events to a temporary file", path);
    case TOO_MANY:
        return wtl_fail(err, -E2BIG, "%s: more than %d locations or %d definitions", path,
                        LOCATIONS_MAX, DEFINITIONS_MAX);
    default:
        return wtl_fail(err, -EBADMSG,
                        "%s: not an OTF2 archive, incomplete or damaged: libotf2 cannot read it",
                        path);
    }
}

static int open_temporary(int *ret_fd, struct wattle_error *err)
{
    const char *folder = secure_getenv("TMPDIR");
    char *path = NULL;
    folder = folder && *folder ? folder : "/tmp";
    *ret_fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (*ret_fd >= 0)
        return 0;
    if (asprintf(&path, "%s/wattle-otf2-XXXXXX", folder) < 0)
        return wtl_no_memory(err);
    *ret_fd = mkostemp(path, O_CLOEXEC);
    int error = errno;
    if (*ret_fd >= 0)
        (void)unlink(path);
    free(path);
    return *ret_fd < 0 ? wtl_fail(err, -error, "cannot create a temporary file in %s: %s", folder,
                                  wtl_strerror(error))
                       : 0;
}

int wtl_otf2_text(const char *path, int *ret_fd, struct wattle_error *err)
{
    struct wtl_otf2 otf2;
    int fd = -1, status = 0;
    int rc = wtl_otf2_load(&otf2, err);
    if (rc == 0 && access(path, R_OK) < 0)
        rc = wtl_fail(err, -errno, "%s: %s", path, wtl_strerror(errno));
    rc = rc < 0 ? rc : open_temporary(&fd, err);
    if (rc < 0)
        return rc;
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        be_child(&otf2, path, fd);
    if (child < 0)
        rc = wtl_fail(err, -errno, "%s: cannot start a process to read it: %s", path,
                      wtl_strerror(errno));
    while (child > 0 && waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            rc = wtl_fail(err, -errno, "%s: %s", path, wtl_strerror(errno));
            break;
        }
    }
    rc = rc < 0 ? rc : report(path, status, err);
    if (rc < 0)
        (void)close(fd);
    else
        *ret_fd = fd;
    return rc;
}
