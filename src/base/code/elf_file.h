/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What wattle needs of an ELF file of this machine's word size and byte order: which libraries a program asks for,
 * which functions it expects from them, and which function contains an address. The file is read, not mapped, since
 * it may change; every offset in it is checked.
 */
#ifndef WTL_BASE_ELF_FILE_H
#define WTL_BASE_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wtl_elf_symbols {
    Elf64_Sym *symbols;
    size_t count;
    char *names; /* ends with a NUL */
    size_t names_size;
    bool read; /* tried */
};

struct wtl_elf_file {
    int fd;
    Elf64_Ehdr header;
    Elf64_Phdr *parts;
    size_t part_count;
    Elf64_Shdr *sections;
    size_t section_count;
    struct wtl_elf_symbols all, dynamic; /* .symtab, .dynsym */
};

/* Returns 0, -errno of opening and reading, -ENOEXEC (not such an ELF file), -ENOMEM. */
int wtl_elf_open(const char *path, struct wtl_elf_file *elf);
void wtl_elf_close(struct wtl_elf_file *elf);

/* Identifies the file: FNV-1a of its program headers and notes, as the OMPT tool computes it of the loaded file. */
uint64_t wtl_elf_id(const struct wtl_elf_file *elf);

/* Is it a program, not a library? */
bool wtl_elf_is_program(const struct wtl_elf_file *elf);

/* The build id, in lower-case hexadecimal; false without one. */
bool wtl_elf_build_id(const struct wtl_elf_file *elf, char *text, size_t n);

/* The function that contains an address of the file, NULL = unknown; valid until the file is closed. */
const char *wtl_elf_function(struct wtl_elf_file *elf, uint64_t address, uint64_t *ret_offset);

/* Do several functions whose names contain `part` begin at the address? A linker makes one of those whose code is the same. */
bool wtl_elf_is_folded(struct wtl_elf_file *elf, uint64_t address, const char *part);

/* Is a library whose name begins with `name` among those the file is linked with? */
bool wtl_elf_needs(const struct wtl_elf_file *elf, const char *name);

/* The i-th function that the file expects from others and whose name begins with `prefix`, from 0; NULL = no more.
 * And: does the file offer a function of this name? */
const char *wtl_elf_wants(struct wtl_elf_file *elf, const char *prefix, size_t i);
bool wtl_elf_offers(struct wtl_elf_file *elf, const char *name);

#endif
