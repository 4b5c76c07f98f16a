/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmlib's calls: power from a pmlib server, such as wattle-pm(8), between two points of a program.
 *
 *     server_t server;
 *     counter_t counter;
 *     line_t lines;
 *     LINE_SET_ALL(&lines);
 *     pm_set_server("127.0.0.1", 6526, &server);
 *     if (pm_create_counter("total", lines, 1, 100, server, &counter) < 0)
 *         ... a message is on stderr ...
 *     pm_start_counter(&counter);
 *     work();
 *     pm_stop_counter(&counter);
 *     pm_get_counter_data(&counter);
 *     pm_print_data_csv("power.csv", counter, lines, -1);
 *     pm_finalize_counter(&counter);
 *
 * A failed call prints one sentence on stderr and returns a negative number; it does not end the program. A sample that the
 * server does not know is NaN, never 0. The protocol has no times: those that are printed are spread evenly between start
 * and stop. See pmlib(3); the environment variables PMLIB_DIALECT and PMLIB_TIMEOUT are described there.
 *
 * Thread rule: one thread per counter.
 */
#ifndef PMLIB_H
#define PMLIB_H

#include "line.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SERVER_IP_LEN 16
#define MAX_TIMING    10

typedef char *unit_t;

typedef struct {
    char *name;        /* malloc'ed by pm_get_device_info() */
    int max_frecuency; /* Hz; spelled as in pmlib */
    int n_lines;
} device_t;

typedef struct {
    char server_ip[SERVER_IP_LEN]; /* dotted IPv4 */
    int port;
} server_t;

typedef struct {
    int watts_size;      /* samples of all lines and sets */
    int watts_sets_size; /* number of sets + 1 */
    int *watts_sets;     /* set s of a line has samples watts_sets[s] .. watts_sets[s + 1] - 1 */
    double *watts;       /* line after line; NaN = not known */
    int lines_len;       /* lines that were selected, also if they are added up */
} pm_measures;

typedef struct {
    int next_timing;
    double *timing; /* start and stop of each set, in seconds since 1970 */
    pm_measures energy;
} pm_measures_wt;

typedef struct {
    int sock;
    int aggregate;
    line_t lines;
    int num_lines; /* of the device */
    int interval;  /* frequency in Hz; 0 = as fast as the device */
    pm_measures_wt *measures;
} counter_t;

/* The address of a server, a dotted IPv4 address; nothing is sent. Returns 0, or -1 if it is none. */
int pm_set_server(const char *ip, int port, server_t *server);

/* Names of the devices, malloc'ed, in a malloc'ed list. 0 or -1. */
int pm_get_devices(server_t server, char ***list, int *count);

/* 0, or -1: also for an unknown device. */
int pm_get_device_info(server_t server, const char *device, device_t *info);

/* Lines as text, "1-4,6,9-10". 0 or -1. */
int pm_set_lines(const char *text, line_t *lines);

/* A counter of some lines of a device: aggregate != 0 adds them up. frequency in Hz, 0 = as fast as the device. 0 or -1. */
int pm_create_counter(const char *device,
                      line_t lines,
                      int aggregate,
                      int frequency,
                      server_t server,
                      counter_t *counter);

/* Begin to measure, and forget earlier sets. 0 or -1. */
int pm_start_counter(counter_t *counter);
/* Begin another set. 0 or -1. */
int pm_continue_counter(counter_t *counter);
/* 0 or -1. */
int pm_stop_counter(counter_t *counter);

/* Fetch the samples into counter->measures->energy. Returns 1 on success (as pmlib does), or -1. */
int pm_get_counter_data(counter_t *counter);

/* Number of sets fetched. 0 or -1. */
int pm_get_counter_num_sets(counter_t counter, int *count);

/* Close the connection and free the data. 0 or -1. */
int pm_finalize_counter(counter_t *counter);

/* Print what was fetched: of the lines in both `lines` and the counter, and of a set (from 0), -1 = all sets. 1 or -1. */
int pm_print_data_stdout(counter_t counter, line_t lines, int set);
int pm_print_data_text(const char *file, counter_t counter, line_t lines, int set);
int pm_print_data_csv(const char *file, counter_t counter, line_t lines, int set);

/* A Paraver trace: integers, in microwatts, event types 500000009 (sum) and 500000010 + line. unit of time: "ns", "us",
 * "ms"; "" = "ns". A sample that is not known is -1000000. 1 or -1. */
int pm_print_data_paraver(const char *file,
                          counter_t counter,
                          line_t lines,
                          int set,
                          const char *unit);
/* The same after pm_get_counter_data(). */
int pm_get_and_print_data_paraver(const char *file,
                                  counter_t *counter,
                                  line_t lines,
                                  int set,
                                  const char *unit);

/* Append a description of the counter to a file. 1 or -1. */
int pm_fprint_counter_info(const char *file, counter_t counter);

/* Print for each set its time, mean power and energy: seconds, watts, joules. 1 or -1. */
int pm_calculate_energy(counter_t counter, line_t lines, int set);

/* As the papers write them: all lines and sets of a counter. */
int pm_print_all_stdout(counter_t *counter);
int pm_print_all_paraver(const char *file, counter_t *counter, const char *unit);

/* The papers' calls with fewer arguments compile as well: pm_print_data_stdout(&counter) and
 * pm_print_data_paraver(file, &counter, unit). C++ before 2011 has no macros that could do this. */
#if !defined(__cplusplus) || __cplusplus >= 201103L
#    define PMLIB_PICK_(a, b, c, d, e, call, ...) call
#    define pm_print_data_stdout(...)                                             \
        PMLIB_PICK_(__VA_ARGS__, pm_none, pm_none, pm_print_data_stdout, pm_none, \
                    pm_print_all_stdout, 0)                                       \
        (__VA_ARGS__)
#    define pm_print_data_paraver(...)                                                          \
        PMLIB_PICK_(__VA_ARGS__, pm_print_data_paraver, pm_none, pm_print_all_paraver, pm_none, \
                    pm_none, 0)                                                                 \
        (__VA_ARGS__)
#endif

#ifdef __cplusplus
}
#endif
#endif
