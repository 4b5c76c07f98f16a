/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A vendor's library as seen by wattle-gpu: one table of functions per vendor (nvml.c, rocm.c, levelzero.c). The program, in
 * a process of its own, asks for a list of devices and channels once and for raw values again and again; docs/format/gpu-helper.md
 * has the lines that others see. A backend opens its library with wtl_gpu_library() and has its own minimal prototypes; it
 * calls nothing that changes a device. One thread; a call may hang or crash, which costs this process only.
 *
 * What cannot be read becomes a note (one sentence: device, what, why, remedy), never a channel without values and never a zero.
 * Numbers in quantities, kinds and domains are those of <wattle/quantity.h>.
 */
#ifndef WTL_GPU_BACKEND_H
#define WTL_GPU_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>
#include <wattle/quantity.h>

enum { WTL_GPU_NO = -1 }; /* an index that does not apply */

/* A device, or an instance (MIG) or die (tile, GCD) of one. The first index that is shown is its place in the list. */
struct wtl_gpu_device {
    char uuid[64]; /* as the vendor writes it; "" = none */
    char pci[16];  /* "0000:65:00.0", lower case, four digits of domain; "" = unknown */
    char name[96]; /* "NVIDIA H100 80GB HBM3" */
    int parent;    /* instances: number of their device in the list, else WTL_GPU_NO */
    int numa;      /* NUMA node, or WTL_GPU_NO */
    int module;    /* module that holds a CPU and this GPU (Grace-Hopper), or WTL_GPU_NO */
    int die, dies; /* this is die `die` of a package of `dies` dies; 0 and 1 otherwise */
    bool hidden; /* not among the devices that CUDA_VISIBLE_DEVICES and the like show to programs */
    bool
        asleep; /* runtime-suspended when listed: it has been described from sysfs, not opened. Its channels have no value until it
                    is awake */
};

/* A value that can be read; one line of "wattle sensors". Raw ticks, scale and kind as in <wattle/channel.h>. */
struct wtl_gpu_channel {
    int device; /* its number in the list */
    char word
        [24]; /* what it is, a-z 0-9 _: "energy", "power", "sm_clock"; unique in a device, unless sub differs */
    enum wattle_quantity quantity;
    enum wattle_kind kind;
    enum wattle_domain domain;
    int sub;                        /* die or tile inside the device, or WTL_GPU_NO */
    double scale;                   /* unit of the quantity per raw tick, > 0 */
    uint64_t modulus;               /* where a counter wraps; 0 = 2^64 */
    uint64_t refresh_ns, window_ns; /* as documented; 0 = unknown */
    double max_w;                   /* upper bound of the power; 0 = unknown */
    bool awake;                     /* it cannot stand still: see wtl_gpu_mark_awake() */
    bool activity;                  /* not energy: read once a second, by a source of its own */
    bool
        spare; /* energy or power that another channel of the same part tells better (an energy counter): never in a total */
    char location[96]; /* the call: "nvmlDeviceGetTotalEnergyConsumption" */
    uint64_t key[2];   /* the backend's own: what to call, on what */
};

struct wtl_gpu_note {
    char text[200];
};

/* Filled by open; grows by wtl_gpu_add_*(). */
struct wtl_gpu_list {
    char library[96]; /* "12.535.129.03": version of the library or the driver, free text */
    struct wtl_gpu_device *devices;
    size_t device_count;
    struct wtl_gpu_channel *channels;
    size_t channel_count;
    struct wtl_gpu_note *notes;
    size_t note_count;
    bool out_of_memory; /* in one of the calls below */
    unsigned waits;     /* so far, by wtl_gpu_wait_for_count() */
};

/* A process on a device. */
struct wtl_gpu_process {
    long pid;
    double
        used; /* share of the device's time lately, as the library samples it, 0 to 1; < 0 = unknown */
    uint64_t memory; /* bytes on the device; UINT64_MAX = unknown */
};

struct wtl_gpu_processes {
    struct wtl_gpu_process *list; /* grown with wtl_grow() */
    size_t count;
};

struct wtl_gpu_backend {
    const char *name;         /* "nvml": the driver's name and the program's argument */
    const char *needs;        /* what to install, for the sentence when the library is not there */
    const char *libraries[4]; /* their names, the preferred one first; ended by NULL */
    /*
     * Open the library (NULL: those listed above; else this file) and fill the list, which is empty. 0; -ENODEV: no library, no device, with a sentence; -EACCES;
     * -ENOTSUP: a version this does not know; others. On failure nothing stays open.
     */
    int (*open)(const char *library, struct wtl_gpu_list *list, struct wattle_error *err);
    /* The raw value now: 0, or -errno: -ENODEV lost, -ENOTSUP, -EACCES, -ENODATA (no value now), -EIO. Does not allocate. */
    int (*read)(const struct wtl_gpu_list *list, size_t channel, uint64_t *ret_raw);
    /* Append the processes of a device: 0, -ENOTSUP, -EACCES, ... NULL: the library does not tell. */
    int (*processes)(const struct wtl_gpu_list *list, size_t device, struct wtl_gpu_processes *ret);
    /* Close handles and the library; accepts that open failed. The list stays the caller's. */
    void (*close)(void);
};

extern const struct wtl_gpu_backend wtl_gpu_nvml, wtl_gpu_rocm, wtl_gpu_levelzero;

/* ---- for backends ---- */

/* With the defaults: no parent, module, NUMA node; one die; sub WTL_GPU_NO, scale 1. */
struct wtl_gpu_device wtl_gpu_device_init(void);
struct wtl_gpu_channel wtl_gpu_channel_init(int device,
                                            const char *word,
                                            enum wattle_quantity quantity,
                                            enum wattle_kind kind);

/* The number in the list, or -ENOMEM (remembered in the list). */
int wtl_gpu_add_device(struct wtl_gpu_list *list, const struct wtl_gpu_device *device);
int wtl_gpu_add_channel(struct wtl_gpu_list *list, const struct wtl_gpu_channel *channel);
void wtl_gpu_note(struct wtl_gpu_list *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void wtl_gpu_list_fini(struct wtl_gpu_list *list);

/* Mark the energy counters of parts that are known to draw power always: their device cannot suspend itself, and a power gauge of
 * the same part shows more than 0 W now. Then a standstill of the counter is its failure. */
void wtl_gpu_mark_awake(const struct wtl_gpu_backend *backend, struct wtl_gpu_list *list);

/* A counter that reads 0 may have been started a moment ago, with its driver: wait for 10 ms, then read it again. False: waited
 * long enough for this list, longer than any is known to take for its first update. */
bool wtl_gpu_wait_for_count(struct wtl_gpu_list *list);

/* A function of a library: its name and where its address goes. A library without an `optional` one is still usable. */
struct wtl_gpu_symbol {
    const char *name;
    void *into; /* address of a function pointer */
    bool optional;
};

/* dlopen(3) a library, or with NULL the first of the backend's that is there. The caller closes *ret_handle with dlclose().
 * 0; -ENODEV: none is there, with a sentence. */
int wtl_gpu_library(const struct wtl_gpu_backend *backend,
                    const char *library,
                    void **ret_handle,
                    struct wattle_error *err);

/* Look up functions (ended by a NULL name): 0; -ENOTSUP: one that is not optional is missing, with a sentence; what `into`
 * points to is NULL for missing ones. */
int wtl_gpu_symbols(const struct wtl_gpu_backend *backend,
                    void *handle,
                    const struct wtl_gpu_symbol *symbols,
                    struct wattle_error *err);

/* Facts from sysfs about a PCI device, without waking it: WTL_GPU_NO / false where unknown. */
int wtl_gpu_numa_of(const char *pci);
int wtl_gpu_pci_id(const char *pci); /* the number that its vendor gave the model */
bool wtl_gpu_is_asleep(const char *pci);
bool wtl_gpu_may_sleep(
    const char *pci); /* whether its kernel driver may suspend it when it is idle */

#endif
