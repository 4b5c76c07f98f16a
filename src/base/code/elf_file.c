/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "base/code/elf_file.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"

enum { HEADERS_MAX = 65535, NOTE_MAX = 1 << 20, BUILD_ID_MAX = 64 };
#define TABLE_MAX ((uint64_t)1 << 30) /* bytes; of symbols or names */

/* ---- reading ---- */

static int read_at(int fd, void *data, size_t size, uint64_t offset)
{
    char *to = data;

    while (size > 0) {
        ssize_t got = offset <= INT64_MAX ? pread(fd, to, size, (off_t)offset) : 0;

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -errno : -ENOEXEC;
        to += got;
        size -= (size_t)got;
        offset += (uint64_t)got;
    }
    return 0;
}

/* Allocate and read; one zero byte follows. Returns NULL if that fails or the size is 0. */
static void *read_new(int fd, uint64_t size, uint64_t offset)
{
    char *data = size > 0 && size <= TABLE_MAX ? malloc((size_t)size + 1) : NULL;

    if (data && read_at(fd, data, (size_t)size, offset) < 0) {
        free(data);
        data = NULL;
    }
    if (data)
        data[size] = '\0';
    return data;
}

static bool is_ours(const Elf64_Ehdr *header)
{
    const unsigned char *ident = header->e_ident;

    return memcmp(ident, ELFMAG, SELFMAG) == 0 && ident[EI_CLASS] == ELFCLASS64 &&
           ident[EI_DATA] == (BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB) &&
           (header->e_type == ET_EXEC || header->e_type == ET_DYN) &&
           header->e_phentsize == sizeof(Elf64_Phdr);
}

int wtl_elf_open(const char *path, struct wtl_elf_file *elf)
{
    *elf = (struct wtl_elf_file){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
    if (elf->fd < 0)
        return -errno;
    Elf64_Ehdr *header = &elf->header;
    int rc = read_at(elf->fd, header, sizeof *header, 0);

    if (rc == 0 && !is_ours(header))
        rc = -ENOEXEC;
    if (rc == 0) {
        elf->part_count = header->e_phnum;
        elf->parts = read_new(elf->fd, elf->part_count * sizeof *elf->parts, header->e_phoff);
        if (!elf->parts)
            rc = -ENOEXEC;
    }
    if (rc < 0) {
        wtl_elf_close(elf);
        return rc;
    }
    if (header->e_shentsize == sizeof *elf->sections && header->e_shnum > 0) {
        elf->sections = read_new(elf->fd, header->e_shnum * sizeof *elf->sections, header->e_shoff);
        elf->section_count = elf->sections ? header->e_shnum : 0;
    }
    return 0;
}

static void free_symbols(struct wtl_elf_symbols *table)
{
    free(table->symbols);
    free(table->names);
}

void wtl_elf_close(struct wtl_elf_file *elf)
{
    if (elf->fd >= 0)
        (void)close(elf->fd);
    free(elf->parts);
    free(elf->sections);
    free_symbols(&elf->all);
    free_symbols(&elf->dynamic);
    *elf = (struct wtl_elf_file){.fd = -1};
}

/* The contents of a part, owned by the caller; NULL if it cannot be read. */
static char *read_part(const struct wtl_elf_file *elf, const Elf64_Phdr *part, uint64_t most)
{
    return part->p_filesz <= most ? read_new(elf->fd, part->p_filesz, part->p_offset) : NULL;
}

/* ---- identity ---- */

uint64_t wtl_elf_id(const struct wtl_elf_file *elf)
{
    uint64_t hash =
        wtl_hash_bytes(WTL_HASH_START, elf->parts, elf->part_count * sizeof *elf->parts);

    for (size_t i = 0; i < elf->part_count; i++) {
        char *note =
            elf->parts[i].p_type == PT_NOTE ? read_part(elf, &elf->parts[i], NOTE_MAX) : NULL;

        if (note)
            hash = wtl_hash_bytes(hash, note, (size_t)elf->parts[i].p_filesz);
        free(note);
    }
    return hash;
}

static bool find_build_id(const char *note, uint64_t size, char *text, size_t n)
{
    Elf64_Nhdr head;

    for (uint64_t at = 0; at + sizeof head <= size;) {
        memcpy(&head, note + at, sizeof head);
        uint64_t name = at + sizeof head,
                 data = name + (((uint64_t)head.n_namesz + 3) & ~UINT64_C(3));
        uint64_t next = data + (((uint64_t)head.n_descsz + 3) & ~UINT64_C(3));

        if (next > size)
            return false;
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 &&
            memcmp(note + name, "GNU", 4) == 0 && head.n_descsz > 0 &&
            head.n_descsz <= BUILD_ID_MAX && 2 * (size_t)head.n_descsz < n) {
            for (uint64_t i = 0; i < head.n_descsz; i++)
                (void)snprintf(text + 2 * i, 3, "%02x", (unsigned char)note[data + i]);
            return true;
        }
        at = next;
    }
    return false;
}

bool wtl_elf_is_program(const struct wtl_elf_file *elf)
{
    size_t i = 0;

    while (i < elf->part_count && elf->parts[i].p_type != PT_INTERP)
        i++;
    return i < elf->part_count || elf->header.e_type == ET_EXEC;
}

bool wtl_elf_build_id(const struct wtl_elf_file *elf, char *text, size_t n)
{
    bool found = false;

    for (size_t i = 0; i < elf->part_count && !found; i++) {
        char *note =
            elf->parts[i].p_type == PT_NOTE ? read_part(elf, &elf->parts[i], NOTE_MAX) : NULL;

        found = note && find_build_id(note, elf->parts[i].p_filesz, text, n);
        free(note);
    }
    return found;
}

/* ---- symbols ---- */

static const struct wtl_elf_symbols *symbols(struct wtl_elf_file *elf,
                                             struct wtl_elf_symbols *table,
                                             uint32_t type)
{
    if (table->read)
        return table;
    table->read = true;
    for (size_t i = 0; i < elf->section_count; i++) {
        const Elf64_Shdr *section = &elf->sections[i];

        if (section->sh_type != type || section->sh_link >= elf->section_count)
            continue;
        const Elf64_Shdr *names = &elf->sections[section->sh_link];

        table->symbols = read_new(elf->fd, section->sh_size, section->sh_offset);
        table->names = read_new(elf->fd, names->sh_size, names->sh_offset);
        if (table->symbols && table->names) {
            table->count = (size_t)section->sh_size / sizeof *table->symbols;
            table->names_size = (size_t)names->sh_size;
        }
        break;
    }
    return table;
}

static const char *name_of(const struct wtl_elf_symbols *table, const Elf64_Sym *symbol)
{
    return symbol->st_name < table->names_size ? table->names + symbol->st_name : "";
}

static const char *function_in(const struct wtl_elf_symbols *table,
                               uint64_t address,
                               uint64_t *ret_offset)
{
    for (size_t i = 0; i < table->count; i++) {
        const Elf64_Sym *symbol = &table->symbols[i];

        if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
            address - symbol->st_value < symbol->st_size && name_of(table, symbol)[0]) {
            *ret_offset = address - symbol->st_value;
            return name_of(table, symbol);
        }
    }
    return NULL;
}

const char *wtl_elf_function(struct wtl_elf_file *elf, uint64_t address, uint64_t *ret_offset)
{
    const char *name = function_in(symbols(elf, &elf->all, SHT_SYMTAB), address, ret_offset);

    return name ? name : function_in(symbols(elf, &elf->dynamic, SHT_DYNSYM), address, ret_offset);
}

bool wtl_elf_is_folded(struct wtl_elf_file *elf, uint64_t address, const char *part)
{
    const struct wtl_elf_symbols *table = symbols(elf, &elf->all, SHT_SYMTAB);
    unsigned count = 0;

    for (size_t i = 0; i < table->count; i++) {
        const Elf64_Sym *symbol = &table->symbols[i];

        count += ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
                 symbol->st_value == address && strstr(name_of(table, symbol), part);
    }
    return count > 1;
}

const char *wtl_elf_wants(struct wtl_elf_file *elf, const char *prefix, size_t i)
{
    const struct wtl_elf_symbols *table = symbols(elf, &elf->dynamic, SHT_DYNSYM);

    for (size_t at = 0; at < table->count; at++) {
        const char *name = name_of(table, &table->symbols[at]);

        if (table->symbols[at].st_shndx == SHN_UNDEF &&
            strncmp(name, prefix, strlen(prefix)) == 0 && i-- == 0)
            return name;
    }
    return NULL;
}

bool wtl_elf_offers(struct wtl_elf_file *elf, const char *name)
{
    const struct wtl_elf_symbols *table = symbols(elf, &elf->dynamic, SHT_DYNSYM);

    for (size_t i = 0; i < table->count; i++)
        if (table->symbols[i].st_shndx != SHN_UNDEF &&
            strcmp(name_of(table, &table->symbols[i]), name) == 0)
            return true;
    return false;
}

/* ---- what it is linked with ---- */

/* Where an address of the loaded file is in the file; UINT64_MAX = nowhere. */
static uint64_t offset_of(const struct wtl_elf_file *elf, uint64_t address)
{
    for (size_t i = 0; i < elf->part_count; i++) {
        const Elf64_Phdr *part = &elf->parts[i];

        if (part->p_type == PT_LOAD && address - part->p_vaddr < part->p_filesz)
            return part->p_offset + (address - part->p_vaddr);
    }
    return UINT64_MAX;
}

static bool names_begin(const Elf64_Dyn *entries,
                        size_t count,
                        const char *names,
                        uint64_t size,
                        const char *name)
{
    for (size_t i = 0; i < count && entries[i].d_tag != DT_NULL; i++)
        if (entries[i].d_tag == DT_NEEDED && entries[i].d_un.d_val < size &&
            strncmp(names + entries[i].d_un.d_val, name, strlen(name)) == 0)
            return true;
    return false;
}

bool wtl_elf_needs(const struct wtl_elf_file *elf, const char *name)
{
    const Elf64_Phdr *part = elf->parts;

    while (part < elf->parts + elf->part_count && part->p_type != PT_DYNAMIC)
        part++;
    if (part == elf->parts + elf->part_count)
        return false;
    Elf64_Dyn *entries = (Elf64_Dyn *)(void *)read_part(elf, part, TABLE_MAX);
    size_t count = entries ? (size_t)part->p_filesz / sizeof *entries : 0;
    uint64_t table = 0, size = 0;

    for (size_t i = 0; i < count && entries[i].d_tag != DT_NULL; i++) {
        table = entries[i].d_tag == DT_STRTAB ? entries[i].d_un.d_val : table;
        size = entries[i].d_tag == DT_STRSZ ? entries[i].d_un.d_val : size;
    }
    char *names = read_new(elf->fd, size, offset_of(elf, table));
    bool found = names && names_begin(entries, count, names, size, name);

    free(names);
    free(entries);
    return found;
}
