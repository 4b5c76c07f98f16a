/* SPDX-License-Identifier: BSD-3-Clause */
/* As a program with NVTX's headers: at the first annotation it opens NVTX_INJECTION64_PATH, and gives the library its
 * tables of functions, all of which do nothing before. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

typedef void function(void);

struct attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    union {
        uint64_t value;
        double number;
    } payload;
    int32_t message_type;
    union {
        const char *ascii;
        const wchar_t *unicode;
        void *registered;
    } message;
};

static function *core[16], *core2[16];
static function **core_table[17], **core2_table[17];

static int table(int module, function ***ret_table, unsigned *ret_count)
{
    if (module != 1 && module != 5)
        return 0;
    *ret_table = (function **)(void *)(module == 1 ? core_table : core2_table);
    *ret_count = 16;
    return 1;
}

static const struct {
    size_t size;
    int (*table)(int, function ***, unsigned *);
} callbacks = {sizeof(callbacks), table};

static const void *get_table(uint32_t id)
{
    return id == 1 ? &callbacks : NULL;
}

static int load(void)
{
    const char *path = getenv("NVTX_INJECTION64_PATH");
    void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
    int (*start)(const void *(*)(uint32_t));

    for (int i = 1; i < 16; i++) {
        core_table[i] = &core[i];
        core2_table[i] = &core2[i];
    }
    void *symbol = library ? dlsym(library, "InitializeInjectionNvtx2") : NULL;

    memcpy(&start, &symbol, sizeof(start));
    return start ? start(get_table) : -1;
}

#define CORE(type, i, ...)  ((type(*)(__VA_ARGS__))core[i])
#define CORE2(type, i, ...) ((type(*)(__VA_ARGS__))core2[i])

int main(void)
{
    if (load() != 1)
        return 3;
    void *domain = CORE2(void *, 12, const char *)("solver");
    void *text = CORE2(void *, 10, void *, const char *)(domain, "assemble");
    struct attributes registered = {
        .version = 3, .size = sizeof(registered), .message_type = 3, .message.registered = text};
    struct attributes wide = {
        .version = 3, .size = sizeof(wide), .message_type = 2, .message.unicode = L"größe"};
    struct attributes none = {.version = 3, .size = sizeof(none)};

    for (int i = 0; i < 3; i++) {
        CORE(int, 9, const char *)("step");
        CORE2(int, 4, void *, struct attributes *)(domain, &registered);
        CORE(int, 8, struct attributes *)(&wide);
        CORE(int, 11, void)();
        CORE2(int, 5, void *)(domain);
        CORE(int, 10, const wchar_t *)(L"inner");
        CORE(int, 11, void)();
        CORE(int, 11, void)();
    }
    uint64_t one = CORE(uint64_t, 5, const char *)("copy"),
             other = CORE2(uint64_t, 2, void *, struct attributes *)(domain, &none);

    CORE2(void, 3, void *, uint64_t)(domain, other);
    CORE(void, 7, uint64_t)(one);
    CORE(void, 7, uint64_t)(one); /* again: ignored */
    CORE(void, 2, const char *)("mark");
    if (CORE(int, 11, void)() >= 0) /* nothing is open */
        return 4;
    (void)printf("done\n");
    return 0;
}
