/* SPDX-License-Identifier: BSD-3-Clause */
/* What backends need beside their library: see backend.h. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/parse.h"
#include "gpu/backend.h"

int wtl_gpu_library(const struct wtl_gpu_backend *backend,
                    const char *library,
                    void **ret_handle,
                    struct wattle_error *err)
{
    const char *const *names = library ? &library : backend->libraries;
    size_t count = library ? 1 : sizeof backend->libraries / sizeof *backend->libraries;
    for (size_t i = 0; i < count && names[i]; i++) {
        *ret_handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (*ret_handle)
            return 0;
    }
    const char *why = dlerror();
    return wtl_fail(err, -ENODEV, "%s: %s; it comes with %s", backend->name,
                    why ? why : "no library", backend->needs);
}

int wtl_gpu_symbols(const struct wtl_gpu_backend *backend,
                    void *handle,
                    const struct wtl_gpu_symbol *symbols,
                    struct wattle_error *err)
{
    int rc = 0;
    for (const struct wtl_gpu_symbol *symbol = symbols; symbol->name; symbol++) {
        void *address = dlsym(handle, symbol->name);
        memcpy(symbol->into, &address, sizeof address); /* POSIX: as large as a function pointer */
        if (!address && !symbol->optional && rc == 0)
            rc = wtl_fail(err, -ENOTSUP,
                          "%s: this version of the library has no %s; install a newer one (%s)",
                          backend->name, symbol->name, backend->needs);
    }
    return rc;
}

/* A small file of a PCI device's folder: its text without the line end, "" = unknown. */
static void read_fact(const char *pci, const char *file, char *text, size_t n)
{
    char path[128];
    ssize_t got = -1;
    (void)snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/%s", pci, file);
    int fd = pci[0] ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        got = read(fd, text, n - 1);
        (void)close(fd); /* read only */
    }
    text[got > 0 ? got : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
}

int wtl_gpu_numa_of(const char *pci)
{
    char text[32];
    uint64_t node;
    read_fact(pci, "numa_node", text, sizeof text); /* "-1" = unknown */
    return wtl_parse_u64(text, &node) == 0 && node < INT16_MAX ? (int)node : WTL_GPU_NO;
}

int wtl_gpu_pci_id(const char *pci)
{
    char text[32], *end;
    read_fact(pci, "device", text, sizeof text); /* "0x2330" */
    unsigned long id = strtoul(text, &end, 16);
    return text[0] && !*end && id <= UINT16_MAX ? (int)id : WTL_GPU_NO;
}

bool wtl_gpu_is_asleep(const char *pci)
{
    char text[32];
    read_fact(pci, "power/runtime_status", text, sizeof text);
    return strcmp(text, "suspended") == 0 || strcmp(text, "suspending") == 0;
}

bool wtl_gpu_may_sleep(const char *pci)
{
    char text[32];
    read_fact(pci, "power/control", text, sizeof text);
    return strcmp(text, "auto") == 0;
}
