/* SPDX-License-Identifier: BSD-3-Clause */
/* Places in the code in words; files that are damaged or not the same. The test itself is the program. */
#define _GNU_SOURCE
#include "base/code/code_place.h"

#include <inttypes.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "base/code/elf_file.h"
#include "tap.h"

static char self[4096];

static int first(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    *(uintptr_t *)data = info->dlpi_addr;
    return 1;
}

__attribute__((noinline)) static void place(void)
{
    __asm__ volatile("");
}

/* The same place in a copy of the program, as in another program of the same source. */
static void check_another(struct wtl_code_places **places, uint64_t id, uintptr_t offset)
{
    char name[5000], text[WTL_CODE_PLACE_BYTES], copy[] = "/tmp/wattle-second-XXXXXX/second";
    char *slash = strrchr(copy, '/');

    *slash = '\0';
    bool made = mkdtemp(copy) != NULL;

    *slash = '/';
    if (!ok(made && symlink(self, copy) == 0, "a second name"))
        return;
    for (int again = 0; again < 2; again++) {
        (void)snprintf(name, sizeof name, "code::%016" PRIx64 ":%" PRIxPTR ":%s", id, offset, copy);
        is_int(wtl_code_place(places, name, text, sizeof text), 1, "its place");
        ok(strstr(text, " of second") != NULL, "says in which program: %s", text);
    }
    (void)snprintf(name, sizeof name, "code::%016" PRIx64 ":%" PRIxPTR ":%s", id, offset, self);
    is_int(wtl_code_place(places, name, text, sizeof text), 1, "the first again");
    ok(strstr(text, " of ") == NULL, "is as it was: %s", text);
    (void)unlink(copy);
    *slash = '\0';
    (void)rmdir(copy);
}

static void check_names(void)
{
    static const char *const others[] = {"",
                                         "main",
                                         "code:",
                                         "code::0123456789abcdef",
                                         "code::0123456789abcdeg:1:/x",
                                         "code::0123456789abcdef::/x",
                                         "code::0123456789abcdef:12345678901234567:/x",
                                         "code:A:0123456789abcdef:1:/x"};
    struct wtl_code_places *places = NULL;
    struct wtl_elf_file elf;
    uintptr_t base = 0, at;
    void (*function)(void) = place;
    char name[5000], text[WTL_CODE_PLACE_BYTES];

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        is_int(wtl_code_place(&places, others[i], text, sizeof text), 0, "\"%s\" is no place",
               others[i]);
    is_int(
        wtl_code_place(&places, "code:barrier:0123456789abcdef:1f:/nowhere/x", text, sizeof text),
        1, "a lost file");
    is_str(text, "barrier in x+0x1f", "its name and the address");
    (void)dl_iterate_phdr(first, &base);
    memcpy(&at, &function, sizeof at);
    is_int(wtl_elf_open(self, &elf), 0, "this program");
    (void)snprintf(name, sizeof name, "code::%016" PRIx64 ":%" PRIxPTR ":%s", wtl_elf_id(&elf),
                   at - base, self);
    is_int(wtl_code_place(&places, name, text, sizeof text), 1, "a place");
    ok(strncmp(text, "place", 5) == 0, "in its function: %s", text);
    (void)snprintf(name, sizeof name, "code::%016" PRIx64 ":%" PRIxPTR ":%s", wtl_elf_id(&elf) + 1,
                   at - base, self);
    is_int(wtl_code_place(&places, name, text, sizeof text), 1, "of another program");
    ok(strstr(text, "place (") == NULL && strstr(text, "+0x") != NULL, "is an address: %s", text);
    check_another(&places, wtl_elf_id(&elf), at - base);
    ok(wtl_elf_needs(&elf, "libc.so") && !wtl_elf_needs(&elf, "libgomp.so"),
       "what it is linked with");
    ok(wtl_elf_wants(&elf, "dl_iterate_phdr", 0) != NULL &&
           !wtl_elf_offers(&elf, "dl_iterate_phdr"),
       "and expects");
    wtl_elf_close(&elf);
    wtl_code_places_free(places);
}

/* Headers and tables with wrong numbers are refused, or give nothing. */
static void check_damage(void)
{
    static char bytes[65536];
    FILE *in = fopen(self, "rb");
    size_t size = in ? fread(bytes, 1, sizeof bytes, in) : 0;
    uint32_t random = 1;
    int opened = 0;

    if (in)
        (void)fclose(in);
    for (int round = 0; round < 300; round++) {
        struct wtl_elf_file elf;
        uint64_t into;
        char text[200];
        FILE *out = fopen("damaged", "wb");

        ok(out != NULL, "a file");
        if (!out)
            return;
        char was[8];
        size_t at[8];
        for (int i = 0; i < 8; i++) {
            random = random * 1664525u + 1013904223u;
            at[i] = (random >> 8) % (round % 2 ? 1024 : size);
            was[i] = bytes[at[i]];
            bytes[at[i]] = (char)(random >> 3);
        }
        (void)fwrite(bytes, 1, round % 3 ? size : size / 2, out);
        (void)fclose(out);
        for (int i = 8; i-- > 0;)
            bytes[at[i]] = was[i];
        if (wtl_elf_open("damaged", &elf) < 0)
            continue;
        opened++;
        (void)wtl_elf_id(&elf);
        (void)wtl_elf_build_id(&elf, text, sizeof text);
        (void)wtl_elf_needs(&elf, "libc");
        (void)wtl_elf_wants(&elf, "f", 3);
        (void)wtl_elf_function(&elf, 0x1234, &into);
        wtl_elf_close(&elf);
    }
    ok(opened > 0, "some are opened: %d", opened);
    (void)unlink("damaged");
}

int main(void)
{
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    self[length > 0 ? length : 0] = '\0';
    check_names();
    check_damage();
    return done_testing();
}
