/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs with OpenMP whose tasks and regions are known, by name. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int cells[64];
static volatile int spins;

static void work(int *cell)
{
    for (int i = 0; i < 100; i++)
        spins = i;
    (*cell)++;
}

/* 5 tasks of one type, 10 of another, with the dependences of a small factorization. */
static void factor(int n)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int k = 0; k < n; k++) {
#pragma omp task depend(inout : cells[k]) /* factor: diagonal */
        work(&cells[k]);
        for (int i = k + 1; i < n; i++) {
#pragma omp task depend(in : cells[k]) depend(inout : cells[i]) /* factor: update */
            work(&cells[i]);
        }
    }
}

/* 3 regions of 2 threads, in each 2 of 2. */
static void nested(void)
{
    omp_set_max_active_levels(2);
    for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(2)
        {
#pragma omp parallel num_threads(2)
            work(&cells[2 * omp_get_ancestor_thread_num(1) + omp_get_thread_num()]);
        }
    }
}

/* 4 untied tasks, each with 2 children. */
static void untied(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 4; i++) {
#pragma omp task untied
        {
#pragma omp task
            work(&cells[i]);
#pragma omp taskyield
#pragma omp task
            work(&cells[i + 8]);
#pragma omp taskwait
        }
    }
}

/* An untied task with a chain of children: 100, and more until it has moved to another thread in between. */
static void moves(void)
{
    const int least = 100, most = 20000;
    int children = 0, moved = 0, last = -1;

#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp task untied shared(children, moved, last)
    for (int i = 0; i < least || (moved == 0 && i < most); i++) {
        moved += last >= 0 && last != omp_get_thread_num();
        last = omp_get_thread_num();
        children++;
#pragma omp task depend(inout : cells[0])
        work(&cells[0]);
#pragma omp taskyield
    }
    (void)printf("children %d moved %d\n", children, moved);
}

/* 16 iterations in tasks of 4, twice; then 32 tasks of a group that is cancelled by the first. */
static void loops(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (int i = 0; i < 2; i++) {
#pragma omp taskloop grainsize(4)
            for (int k = 0; k < 16; k++)
                work(&cells[k]);
        }
#pragma omp taskgroup
        for (int i = 0; i < 32; i++) {
#pragma omp task
            {
#pragma omp cancel taskgroup
            }
        }
    }
}

static void many(long n)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    for (long i = 0; i < n; i++) {
#pragma omp task
        spins = 1;
    }
}

/* 1 + 2 + 3 + 4 implicit tasks. */
static void sizes(void)
{
    for (int i = 1; i <= 4; i++) {
#pragma omp parallel num_threads(i)
        work(&cells[omp_get_thread_num()]);
    }
}

/* The child has 15 tasks of its own, in a fresh runtime. */
static int forks(void)
{
    int status = 1;

    factor(5);
    pid_t child = fork();

    if (child == 0) {
        factor(5);
        exit(0);
    }
    return waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
}

static void leaves(int how)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
        if (omp_get_thread_num() == how % 2) {
            usleep(2000);
            if (how < 2)
                exit(0);
            if (how < 4)
                _exit(0);
            (void)raise(SIGKILL);
        }
        pause();
    }
}

/* Two threads of the program, each with a team of its own: 2 * 15 tasks. */
static void *root(void *unused)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 15; i++) {
#pragma omp task
        spins = i;
    }
    return unused;
}

static void roots(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, root, NULL) != 0)
            exit(1);
    for (int i = 0; i < 2; i++)
        (void)pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

#ifdef SECOND /* another program of the same source */
    cells[1] += omp_get_wtime() < 0;
#endif
    if (strcmp(what, "factor") == 0)
        factor(5);
    else if (strcmp(what, "nested") == 0)
        nested();
    else if (strcmp(what, "untied") == 0)
        untied();
    else if (strcmp(what, "moves") == 0)
        moves();
    else if (strcmp(what, "loops") == 0)
        loops();
    else if (strcmp(what, "many") == 0)
        many(atol(argv[2]));
    else if (strcmp(what, "sizes") == 0)
        sizes();
    else if (strcmp(what, "forks") == 0)
        return forks();
    else if (strcmp(what, "leaves") == 0)
        leaves(atoi(argv[2]));
    else if (strcmp(what, "pauses") == 0)
        for (int i = 0; i < 3; i++, usleep(50000))
            (void)root(NULL);
    else if (strcmp(what, "roots") == 0)
        roots();
    else if (strcmp(what, "exec") == 0) {
        factor(5);
        (void)execl(argv[2], argv[2], "factor", (char *)NULL);
        return 1;
    }
    (void)printf("done\n");
    return 0;
}
