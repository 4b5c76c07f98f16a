/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dialogues as they are noted by world_noting.c: requests with their answers, to be written as dialogues.tsv. What is received
 * belongs to the last request of the same descriptor, and so does what an ioctl fetches behind a wait. Without memory what
 * was said is lost, and out_of_memory tells.
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
    } * requests; /* in order */
    size_t count;
    struct noted_talk {
        int fd;         /* -1 = closed */
        pid_t child;    /* of a program that was not collected; 0 = none */
        size_t request; /* the last one */
        bool waited;    /* what comes next is fetched */
    } * talks;
    size_t talk_count;
    bool out_of_memory;
};

/* A peer was opened (fd), or failed to (-errno); child: its process, or 0. name: as wtl_dialogue_address() writes it. */
void wtl_noted_open(struct wtl_noted_dialogue *noted,
                    const char *name,
                    int fd,
                    pid_t child,
                    uint64_t now_ns);
void wtl_noted_close(struct wtl_noted_dialogue *noted, int fd);
/* The program ended; status as of reap. */
void wtl_noted_end(struct wtl_noted_dialogue *noted, pid_t child, int status, uint64_t now_ns);

/* Texts as wtl_dialogue_text() and wtl_dialogue_ioctl() write them. */
void wtl_noted_request(struct wtl_noted_dialogue *noted, int fd, const char *text, uint64_t now_ns);
void wtl_noted_answer(struct wtl_noted_dialogue *noted, int fd, const char *text, uint64_t now_ns);
/* Something is there (or, with false, was taken). Whether it was so before. */
bool wtl_noted_wait(struct wtl_noted_dialogue *noted, int fd, bool is_there);

/* All of it as dialogues.tsv, malloc'ed for the caller, "" when nothing was said: 0, -ENOMEM. Times count from the first request. */
int wtl_noted_text(const struct wtl_noted_dialogue *noted, char **ret_text);
void wtl_noted_fini(struct wtl_noted_dialogue *noted);

#endif
