/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "base/code/code_place.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/code/debug_lines.h"
#include "base/code/elf_file.h"
#include "base/hash.h"

#define HEX "0123456789abcdef"

enum { FILES_MAX = 64, WHAT_MAX = 32, ID_DIGITS = 16 };

/* A file that the program had loaded, if it is still the same one. */
struct code_file {
    char *path;
    uint64_t id;
    bool same;
    struct wtl_elf_file elf;
    struct wtl_debug_lines *lines;
    int debug_fd; /* of separate debug information; -1 = none */
};

/* Which program a text is of, by hashes. */
struct owner {
    uint64_t text; /* 0 = free */
    uint64_t program;
};

struct wtl_code_places {
    struct code_file files[FILES_MAX];
    size_t count;
    struct owner *owners; /* open addressing, at most half full */
    size_t owner_count, owner_room;
};

/* The parts of a name. */
struct parts {
    char what[WHAT_MAX];
    uint64_t id, offset;
    const char *path;
};

static bool split(const char *name, struct parts *parts)
{
    static const char head[] = "code:";
    char *end;

    if (strncmp(name, head, sizeof head - 1) != 0)
        return false;
    name += sizeof head - 1;
    size_t what = strspn(name, "abcdefghijklmnopqrstuvwxyz ");

    if (what >= WHAT_MAX || name[what] != ':' || strspn(name + what + 1, HEX) != ID_DIGITS ||
        name[what + 1 + ID_DIGITS] != ':')
        return false;
    (void)snprintf(parts->what, sizeof parts->what, "%.*s", (int)what, name);
    parts->id = strtoull(name + what + 1, NULL, 16);
    name += what + 1 + ID_DIGITS + 1;
    size_t digits = strspn(name, HEX);

    if (digits == 0 || digits > ID_DIGITS || name[digits] != ':')
        return false;
    parts->offset = strtoull(name, &end, 16);
    parts->path = end + 1;
    return true;
}

/* Debug information that a distribution keeps apart, by the build id. */
static void open_debug(struct code_file *file)
{
    char id[2 * 64 + 1], path[sizeof id + 40];

    file->lines = wtl_debug_lines_open(file->elf.fd);
    if (file->lines || !wtl_elf_build_id(&file->elf, id, sizeof id) || strlen(id) < 3)
        return;
    (void)snprintf(path, sizeof path, "/usr/lib/debug/.build-id/%.2s/%s.debug", id, id + 2);
    file->debug_fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (file->debug_fd >= 0)
        file->lines = wtl_debug_lines_open(file->debug_fd);
}

static void close_file(struct code_file *file)
{
    wtl_debug_lines_close(file->lines);
    if (file->debug_fd >= 0)
        (void)close(file->debug_fd);
    if (file->same)
        wtl_elf_close(&file->elf);
    free(file->path);
}

/* NULL: it is not there any more, or another one, or there are too many. */
static struct code_file *file_of(struct wtl_code_places *places, const struct parts *parts)
{
    for (size_t i = 0; i < places->count; i++)
        if (places->files[i].id == parts->id && strcmp(places->files[i].path, parts->path) == 0)
            return &places->files[i];
    if (places->count == FILES_MAX)
        return NULL;
    struct code_file *file = &places->files[places->count];

    *file = (struct code_file){.path = strdup(parts->path), .id = parts->id, .debug_fd = -1};
    if (!file->path)
        return NULL;
    places->count++;
    if (parts->path[0] == '/' && wtl_elf_open(parts->path, &file->elf) == 0) {
        file->same = wtl_elf_id(&file->elf) == parts->id;
        if (file->same)
            open_debug(file);
        else
            wtl_elf_close(&file->elf);
    }
    return file;
}

/* The function of the program, of the names that compilers give to the bodies of constructs: GCC's "main._omp_fn.0"
 * is in main, clang's ".omp_outlined." and ".omp_task_entry." do not say in what; newer ones' "main.omp_outlined" do. */
static int function_length(const char *name)
{
    static const char *const marks[] = {"._omp_fn", ".omp_", "._omp_cpyfn"};
    size_t length = strlen(name);

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        const char *mark = strstr(name, marks[i]);

        if (mark && (size_t)(mark - name) < length)
            length = (size_t)(mark - name);
    }
    return length > 150 ? 150 : (int)length;
}

/* The symbol instead; beside a line only if it says in which function that is. */
static const char *symbol_of(struct code_file *file,
                             uint64_t offset,
                             bool have_line,
                             uint64_t *ret_into)
{
    const char *symbol = wtl_elf_function(&file->elf, offset, ret_into);

    return symbol && (!have_line || function_length(symbol) > 0) ? symbol : NULL;
}

#define MERGED "several in "

bool wtl_code_place_is_merged(const char *text)
{
    return strncmp(text, MERGED, sizeof MERGED - 1) == 0;
}

/* Of several constructs: a compiler moves their calls into one, which has no line any more; a linker makes one function of
 * bodies with the same code. What has a word, such as a barrier, is not a type whose energy is known. */
static bool describe_merged(struct code_file *file, const struct parts *parts, char *text, size_t n)
{
    const char *source = NULL;
    uint64_t into = 0;

    if (!file || !file->same || parts->what[0])
        return false;
    bool moved = file->lines && wtl_debug_lines_is_merged(file->lines, parts->offset, &source);

    if (!moved && !wtl_elf_is_folded(&file->elf, parts->offset, "omp_task_entry"))
        return false;
    const char *function = wtl_elf_function(&file->elf, parts->offset, &into);
    const char *base = strrchr(parts->path, '/');

    (void)snprintf(text, n, MERGED "%.80s (%.120s+0x%" PRIx64 ")",
                   source ? source : (base ? base + 1 : parts->path), function ? function : "",
                   function ? into : parts->offset);
    return true;
}

static void describe(struct code_file *file, const struct parts *parts, char *text, size_t n)
{
    const char *function = NULL, *source = NULL, *base = strrchr(parts->path, '/');
    const char *in = parts->what[0] ? " in " : "";
    uint64_t into = 0;
    int line = 0;
    bool have_line = file && file->lines &&
                     wtl_debug_lines_find(file->lines, parts->offset, &function, &source, &line);

    if (file && file->same && (!function || function_length(function) == 0))
        function = symbol_of(file, parts->offset, have_line, &into);
    if (have_line && function)
        (void)snprintf(text, n, "%s%s%.*s (%.80s:%d)", parts->what, in, function_length(function),
                       function, source, line);
    else if (have_line)
        (void)snprintf(text, n, "%s%s%.150s:%d", parts->what, in, source, line);
    else if (function)
        (void)snprintf(text, n, "%s%s%.150s+0x%" PRIx64, parts->what, in, function, into);
    else
        (void)snprintf(text, n, "%s%s%.150s+0x%" PRIx64, parts->what, in,
                       base ? base + 1 : parts->path, parts->offset);
}

static struct owner *owner_slot(struct owner *owners, size_t room, uint64_t text)
{
    size_t at = (size_t)text & (room - 1);

    while (owners[at].text != 0 && owners[at].text != text)
        at = (at + 1) & (room - 1);
    return &owners[at];
}

/* The slot of a text; NULL: no memory. */
static struct owner *owner_of(struct wtl_code_places *places, const char *text)
{
    uint64_t hash = wtl_hash_text(text) | 1;

    if (2 * places->owner_count >= places->owner_room) {
        size_t room = places->owner_room ? 2 * places->owner_room : 64;
        struct owner *owners = calloc(room, sizeof *owners);

        if (!owners)
            return NULL;
        for (size_t i = 0; i < places->owner_room; i++)
            if (places->owners[i].text != 0)
                *owner_slot(owners, room, places->owners[i].text) = places->owners[i];
        free(places->owners);
        places->owners = owners;
        places->owner_room = room;
    }
    struct owner *owner = owner_slot(places->owners, places->owner_room, hash);

    if (owner->text == 0) {
        owner->text = hash;
        places->owner_count++;
    }
    return owner;
}

/* Programs of one source, such as those before and after exec: the same place in another program says so. */
static void tell_apart(struct wtl_code_places *places,
                       const struct code_file *file,
                       const char *path,
                       char *text,
                       size_t n)
{
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    struct owner *owner =
        file && file->same && wtl_elf_is_program(&file->elf) ? owner_of(places, text) : NULL;
    uint64_t program = wtl_hash_text(base) | 1;
    size_t used = strlen(text);

    if (!owner || owner->program == program)
        return;
    if (owner->program == 0)
        owner->program = program;
    else
        (void)snprintf(text + used, n - used, " of %.80s", base);
}

int wtl_code_place(struct wtl_code_places **places, const char *name, char *text, size_t n)
{
    struct parts parts;

    if (!split(name, &parts))
        return 0;
    if (!*places)
        *places = calloc(1, sizeof **places);
    struct code_file *file = *places ? file_of(*places, &parts) : NULL;

    bool merged = describe_merged(file, &parts, text, n);

    if (!merged)
        describe(file, &parts, text, n);
    if (*places)
        tell_apart(*places, file, parts.path, text, n);
    return merged ? WTL_CODE_PLACE_MERGED : 1;
}

void wtl_code_places_free(struct wtl_code_places *places)
{
    if (!places)
        return;
    for (size_t i = 0; i < places->count; i++)
        close_file(&places->files[i]);
    free(places->owners);
    free(places);
}
