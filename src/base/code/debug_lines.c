/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compilation units are searched in turn instead of by .debug_aranges, which clang does not write. The declarations
 * of libdw are those of its published interface (elfutils/libdw.h, stable since 0.158); it is not needed to build.
 */
#define _GNU_SOURCE
#include "base/code/debug_lines.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Dwarf_Die */
struct dw_die {
    void *addr, *unit, *abbreviation;
    long padding;
};

enum { DW_C_READ = 0, DW_INLINED = 0x1d, DW_SUBPROGRAM = 0x2e };

#define FUNCTIONS(X)                                                                           \
    X(void *, dwarf_begin, (int fd, int command))                                              \
    X(int, dwarf_end, (void *dwarf))                                                           \
    X(int, dwarf_nextcu,                                                                       \
      (void *dwarf, uint64_t offset, uint64_t *next, size_t *header, uint64_t *abbreviations,  \
       uint8_t *address_size, uint8_t *offset_size))                                           \
    X(struct dw_die *, dwarf_offdie, (void *dwarf, uint64_t offset, struct dw_die *result))    \
    X(int, dwarf_haspc, (struct dw_die * die, uint64_t address))                               \
    X(void *, dwarf_getsrc_die, (struct dw_die * unit, uint64_t address))                      \
    X(int, dwarf_lineno, (void *line, int *result))                                            \
    X(const char *, dwarf_linesrc, (void *line, uint64_t *time, uint64_t *length))             \
    X(int, dwarf_getscopes, (struct dw_die * unit, uint64_t address, struct dw_die * *scopes)) \
    X(int, dwarf_getscopes_die, (struct dw_die * die, struct dw_die * *scopes))                \
    X(const char *, dwarf_diename, (struct dw_die * die))                                      \
    X(int, dwarf_lowpc, (struct dw_die * die, uint64_t * address))                             \
    X(int, dwarf_decl_line, (struct dw_die * die, int *line))                                  \
    X(const char *, dwarf_decl_file, (struct dw_die * die))                                    \
    X(int, dwarf_tag, (struct dw_die * die))

static struct {
    bool found;
/* Of members: types and names take no parentheses. NOLINTNEXTLINE(bugprone-macro-parentheses) */
#define MEMBER(type, name, parameters) type(*name) parameters;
    FUNCTIONS(MEMBER)
#undef MEMBER
} dw;

static void load(void)
{
    void *library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    void *symbol = NULL;

    if (!library)
        return;
    dw.found = true;
    /* ISO C has no cast from an object to a function pointer; POSIX guarantees the same representation. */
#define FIND(type, name, parameters) \
    symbol = dlsym(library, #name);  \
    dw.found = dw.found && symbol;   \
    memcpy((void *)&dw.name, &symbol, sizeof symbol);
    FUNCTIONS(FIND)
#undef FIND
}

bool wtl_debug_lines_available(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, load);
    return dw.found;
}

struct wtl_debug_lines {
    void *dwarf;
};

struct wtl_debug_lines *wtl_debug_lines_open(int fd)
{
    struct wtl_debug_lines *lines = wtl_debug_lines_available() ? calloc(1, sizeof *lines) : NULL;

    if (!lines)
        return NULL;
    lines->dwarf = dw.dwarf_begin(fd, DW_C_READ);
    if (!lines->dwarf) {
        free(lines);
        return NULL;
    }
    return lines;
}

void wtl_debug_lines_close(struct wtl_debug_lines *lines)
{
    if (lines)
        (void)dw.dwarf_end(lines->dwarf);
    free(lines);
}

static bool find_unit(void *dwarf, uint64_t address, struct dw_die *ret_unit)
{
    uint64_t offset = 0, next, abbreviations;
    size_t header;
    uint8_t address_size, offset_size;

    for (; dw.dwarf_nextcu(dwarf, offset, &next, &header, &abbreviations, &address_size,
                           &offset_size) == 0;
         offset = next)
        if (dw.dwarf_offdie(dwarf, offset + header, ret_unit) &&
            dw.dwarf_haspc(ret_unit, address) > 0)
            return true;
    return false;
}

static const char *function_of(struct dw_die *unit, uint64_t address)
{
    struct dw_die *scopes = NULL;
    int count = dw.dwarf_getscopes(unit, address, &scopes);
    const char *name = NULL;

    for (int i = 0; i < count && !name; i++) {
        int tag = dw.dwarf_tag(&scopes[i]);

        if (tag == DW_INLINED || tag == DW_SUBPROGRAM)
            name = dw.dwarf_diename(&scopes[i]);
    }
    if (count > 0)
        free(scopes);
    return name;
}

/*
 * The line of the construct whose body a compiler made a function of: clang gives such a function no name but the line. The first
 * instruction may be of a function that it calls, inlined.
 */
static bool find_construct(struct dw_die *unit,
                           uint64_t address,
                           const char **ret_file,
                           int *ret_line)
{
    struct dw_die *inner = NULL,
                  *scopes = NULL; /* those of an inlined function are where it was written */
    int count = dw.dwarf_getscopes(unit, address, &inner) > 0
                    ? dw.dwarf_getscopes_die(&inner[0], &scopes)
                    : 0;
    bool found = false;

    free(inner);
    for (int i = 0; i < count && !found; i++) {
        uint64_t low = 0;

        found = dw.dwarf_tag(&scopes[i]) == DW_SUBPROGRAM && !dw.dwarf_diename(&scopes[i]) &&
                dw.dwarf_lowpc(&scopes[i], &low) == 0 && low == address &&
                dw.dwarf_decl_line(&scopes[i], ret_line) == 0 && *ret_line > 0;
        if (found)
            *ret_file = dw.dwarf_decl_file(&scopes[i]);
    }
    if (found &&
        !*ret_file) /* number 0 is that of the unit in DWARF 5; libdw 0.188 takes it for none */
        *ret_file = dw.dwarf_diename(unit);
    if (count > 0)
        free(scopes);
    return found && *ret_file;
}

static const char *base_of(const char *file)
{
    const char *slash = strrchr(file, '/');

    return slash ? slash + 1 : file;
}

bool wtl_debug_lines_find(struct wtl_debug_lines *lines,
                          uint64_t address,
                          const char **ret_function,
                          const char **ret_file,
                          int *ret_line)
{
    struct dw_die unit;

    *ret_function = NULL;
    if (!find_unit(lines->dwarf, address, &unit))
        return false;
    if (find_construct(&unit, address, ret_file, ret_line)) {
        *ret_file = base_of(*ret_file);
        return true;
    }
    *ret_function = function_of(&unit, address);
    void *line = dw.dwarf_getsrc_die(&unit, address);
    const char *file = line ? dw.dwarf_linesrc(line, NULL, NULL) : NULL;

    if (!file || dw.dwarf_lineno(line, ret_line) != 0 || *ret_line <= 0)
        return false;
    *ret_file = base_of(file);
    return true;
}

bool wtl_debug_lines_is_merged(struct wtl_debug_lines *lines,
                               uint64_t address,
                               const char **ret_file)
{
    struct dw_die unit;
    int number = -1;
    void *line =
        find_unit(lines->dwarf, address, &unit) ? dw.dwarf_getsrc_die(&unit, address) : NULL;
    const char *file = line ? dw.dwarf_linesrc(line, NULL, NULL) : NULL;

    if (!file || dw.dwarf_lineno(line, &number) != 0 || number != 0)
        return false;
    *ret_file = base_of(file);
    return true;
}
