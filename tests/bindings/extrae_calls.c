/* SPDX-License-Identifier: BSD-3-Clause */
/* The other calls, of a program that was built for Extrae and finds its library when it is started: without it the calls
 * are NULL. With an argument: in the child of a fork and in a second thread, too. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "extrae.h"
#include "extrae_types.h"

#pragma weak Extrae_init
#pragma weak Extrae_is_initialized
#pragma weak Extrae_event
#pragma weak Extrae_nevent
#pragma weak Extrae_eventandcounters
#pragma weak Extrae_neventandcounters
#pragma weak Extrae_define_event_type
#pragma weak Extrae_shutdown
#pragma weak Extrae_restart
#pragma weak Extrae_init_CombinedEvents
#pragma weak Extrae_emit_CombinedEvents
#pragma weak Extrae_fini
#pragma weak Extrae_user_function

static void *in_thread(void *unused)
{
    (void)unused;
    Extrae_event(4000, 3);
    Extrae_event(4000, 0);
    return NULL;
}

static __attribute__((noinline)) void function(void)
{
    Extrae_user_function(1);
    Extrae_user_function(1);
    Extrae_user_function(0);
    Extrae_user_function(0);
    Extrae_user_function(0); /* one too many */
}

int main(int argc, char **argv)
{
    extrae_type_t operations = 4001, types[2] = {4002, 4003};
    extrae_value_t values[4] = {0, 10, 11, 1000000}, pair[2] = {1, 5}, ends[2] = {0, 0};
    char *texts[4] = {"none", "init", "compute, \"fast\"", "far"};
    unsigned count = 4, none = 0;
    struct extrae_CombinedEvents all;
    pthread_t thread;

    (void)argv;
    if (!Extrae_init) {
        (void)printf("no Extrae\n");
        return 0;
    }
    Extrae_init();
    errno = 77;
    Extrae_define_event_type(&operations, "Operations", &count, values, texts);
    Extrae_define_event_type(&types[0], "Pair", &none, NULL, NULL);
    for (int i = 1; i < 4; i++)
        Extrae_eventandcounters(operations, values[i]); /* a value ends the one before */
    Extrae_event(operations, 0);
    Extrae_nevent(2, types, pair);
    Extrae_neventandcounters(2, types, ends);
    for (int i = 1; i <= 300; i++)
        Extrae_event(1000, (extrae_value_t)i);
    Extrae_shutdown();
    Extrae_event(1000, 999);
    Extrae_event(4000, 999);
    Extrae_restart();
    Extrae_event(1000, 0);
    function();
    Extrae_init_CombinedEvents(&all);
    all.nEvents = 2;
    all.Types = types;
    all.Values = ends;
    all.HardwareCounters = 1;
    Extrae_emit_CombinedEvents(&all);
    if (errno != 77 || Extrae_is_initialized() != EXTRAE_INITIALIZED_EXTRAE_INIT)
        return 3;
    if (argc > 1) {
        pid_t child = fork();

        if (child == 0) {
            Extrae_event(4000, 7);
            Extrae_event(4000, 0);
            _exit(0);
        }
        if (child < 0 || waitpid(child, NULL, 0) != child ||
            pthread_create(&thread, NULL, in_thread, NULL) != 0)
            return 4;
        (void)pthread_join(thread, NULL);
    }
    Extrae_fini();
    return Extrae_is_initialized() == EXTRAE_NOT_INITIALIZED ? 0 : 5;
}
