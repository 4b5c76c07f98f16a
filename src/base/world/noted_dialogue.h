/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dialogues recorded by world_noting.c: requests with their answers, to be written as dialogues.tsv. Received
 * data belongs to the last request on the same descriptor, and so does what an ioctl fetches after a wait.
 * When memory runs out, data is lost and out_of_memory is set.
 */
#ifndef WTL_BASE_NOTED_DIALOGUE_H
#define WTL_BASE_NOTED_DIALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct wtl_noted_dialogue {
    struct noted_request {
        char *peer, *text;
        uint64_t time_ns, last_ns; /* when it was made; when the last answer came */
        struct noted_answer {
            char *text;
            uint64_t delay_ns;
        } * answers;
        size_t count;
    } * requests; /* in order of time */
    size_t count;
    struct noted_talk {
        int fd;         /* -1 = closed */
        pid_t child;    /* of a program that has not been reaped; 0 = none */
        size_t request; /* the last one */
        bool waited;    /* the following data is fetched */
    } * talks;
    size_t talk_count;
    bool out_of_memory;
};

/* A peer was opened (fd), or could not be opened (-errno); child: its process, or 0. name: in the form of
 * wtl_dialogue_address(). */
void wtl_noted_open(struct wtl_noted_dialogue *noted,
                    const char *name,
                    int fd,
                    pid_t child,
                    uint64_t now_ns);
void wtl_noted_close(struct wtl_noted_dialogue *noted, int fd);
/* The program ended; status as from reap. */
void wtl_noted_end(struct wtl_noted_dialogue *noted, pid_t child, int status, uint64_t now_ns);

/* Texts in the form of wtl_dialogue_text() and wtl_dialogue_ioctl(). */
void wtl_noted_request(struct wtl_noted_dialogue *noted, int fd, const char *text, uint64_t now_ns);
void wtl_noted_answer(struct wtl_noted_dialogue *noted, int fd, const char *text, uint64_t now_ns);
/* Data is available (or, with false, was taken). Returns the previous state. */
bool wtl_noted_wait(struct wtl_noted_dialogue *noted, int fd, bool is_there);

/* Everything as dialogues.tsv, malloc'ed for the caller, "" if there was no dialogue: 0, -ENOMEM. Times
 * count from the first request. */
int wtl_noted_text(const struct wtl_noted_dialogue *noted, char **ret_text);
void wtl_noted_fini(struct wtl_noted_dialogue *noted);

#endif
