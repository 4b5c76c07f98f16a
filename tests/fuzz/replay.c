/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a fuzz target over the files of its corpus, so that each input that once was interesting is an ordinary test in
 * every build. With libFuzzer its own main() is used instead.
 */
#define _GNU_SOURCE

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The file's bytes in a block of exactly their size, so that a sanitizer detects an overrun by one byte. */
static uint8_t *slurp(const char *path, size_t *ret_size)
{
    FILE *file = fopen(path, "rb");
    struct stat about;
    uint8_t *data = NULL;

    if (!file)
        return NULL;
    if (fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode)) {
        size_t size = (size_t)about.st_size;

        data = malloc(size ? size : 1);
        if (data && fread(data, 1, size, file) != size) {
            free(data);
            data = NULL;
        }
        *ret_size = size;
    }
    fclose(file);
    return data;
}

static int replay(const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort), done = 0;

    for (int i = 0; i < count; i++) {
        char path[4096];
        uint8_t *data;
        size_t size = 0;

        snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
        data = slurp(path, &size);
        if (data) {
            printf("%s\n", path);
            fflush(stdout);
            LLVMFuzzerTestOneInput(data, size);
            done++;
        }
        free(data);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return done;
}

int main(int argc, char **argv)
{
    int done = 0;

    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    for (int i = 1; i < argc; i++)
        done += replay(argv[i]);
    printf("%d inputs\n", done);
    return done ? 0 : 77;
}
