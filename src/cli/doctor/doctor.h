/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The doctor: what a host can measure, what prevents it, and the exact remedy. It reads only through the
 * world, so that it can examine a recorded host. Available sensors, and why others are not, come from the
 * offers of the selection; the checks here cover everything else.
 */
#ifndef WTL_CLI_DOCTOR_H
#define WTL_CLI_DOCTOR_H

#include <stdio.h>

#include "report/report.h"
#include "source/select.h"
#include "source/virtual.h"

enum wtl_health {
    WTL_HEALTH_OK,
    WTL_HEALTH_BETTER,  /* could be better */
    WTL_HEALTH_BLOCKED, /* prevents measuring */
    WTL_HEALTH_NONE,    /* not applicable, or unknown */
    WTL_HEALTH_COUNT
};

struct wtl_cure {
    char where[16]; /* "now", "for good", "docker", ... */
    char command[288];
};

#define WTL_CURES 5

struct wtl_finding {
    const char *group; /* "sensors", "machine", "kernel", "container", "limits", "tasks" */
    char check[24];    /* unique: "perf", "governor", ... */
    enum wtl_health health;
    char what[640];                   /* one sentence */
    struct wtl_cure cures[WTL_CURES]; /* those with a command; exact, for a shell */
    size_t cure_count;
    char gain[160]; /* benefit of the remedy; "" */
};

struct wtl_doctor {
    const struct wtl_world *world;
    const struct wtl_selection *selection; /* opened on it, with activity */
    struct wtl_virtual where;
    bool measured; /* the total is more than an estimate */
    char host[65];
    struct wtl_finding *findings; /* owned */
    size_t count;
    bool out_of_memory;
    struct wtl_finding spare; /* used if out of memory */
};

/* Run all checks. selection must outlive the doctor. Returns 0 or -ENOMEM; free with wtl_doctor_fini(). */
int wtl_doctor_examine(struct wtl_doctor *doctor,
                       const struct wtl_world *world,
                       const struct wtl_selection *selection);
void wtl_doctor_fini(struct wtl_doctor *doctor);

/* "ok", "could be better", "stands in the way", "not applicable". */
const char *wtl_health_name(enum wtl_health health);

/* ---- findings, for the checks ---- */

/* Add a finding with its message; never NULL, valid until the next one. */
struct wtl_finding *wtl_doctor_say(struct wtl_doctor *doctor,
                                   const char *group,
                                   const char *check,
                                   enum wtl_health health,
                                   const char *format,
                                   ...) __attribute__((format(printf, 5, 6)));
/* Add a remedy. */
void wtl_doctor_cure(struct wtl_finding *finding, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void wtl_doctor_gain(struct wtl_finding *finding, const char *gain);

/* The severity of an obstacle: lower if something is measured already. */
enum wtl_health wtl_doctor_severity(const struct wtl_doctor *doctor);

/* The rest of the line of /proc/self/status that starts with `name` ("CapEff:"); false if missing. */
bool wtl_doctor_status(const struct wtl_world *world, const char *name, char *value, size_t n);
/* Does the process have this capability (linux/capability.h)? Assumed for root without a status file. */
bool wtl_doctor_can(const struct wtl_world *world, unsigned capability);

/* Field number n (0 = first) of a line whose fields are separated by one space, as mounts are. */
void wtl_doctor_field(const char *line, int n, char *out, size_t size);

void wtl_doctor_kernel(struct wtl_doctor *doctor);
void wtl_doctor_container(struct wtl_doctor *doctor);

#endif
