/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests and answers in the order in which they occurred: see noted_dialogue.h. */
#define _GNU_SOURCE
#include "base/world/noted_dialogue.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/world/dialogue.h"

static struct noted_talk *talk_of(const struct wtl_noted_dialogue *noted, int fd)
{
    for (size_t i = noted->talk_count; i-- > 0;) {
        if (noted->talks[i].fd == fd)
            return &noted->talks[i];
    }
    return NULL;
}

/* Add a request: its index, or SIZE_MAX. */
static size_t add_request(struct wtl_noted_dialogue *noted,
                          const char *peer,
                          const char *text,
                          uint64_t now_ns)
{
    struct noted_request one = {
        .peer = strdup(peer), .text = strdup(text), .time_ns = now_ns, .last_ns = now_ns};
    if (!one.peer || !one.text ||
        wtl_grow(&noted->requests, noted->count, sizeof *noted->requests) < 0) {
        free(one.peer);
        free(one.text);
        noted->out_of_memory = true;
        return SIZE_MAX;
    }
    noted->requests[noted->count] = one;
    return noted->count++;
}

static void add_answer(struct wtl_noted_dialogue *noted,
                       struct noted_request *request,
                       const char *text,
                       uint64_t now_ns)
{
    char *copy = strdup(text);
    if (!copy || wtl_grow(&request->answers, request->count, sizeof *request->answers) < 0) {
        free(copy);
        noted->out_of_memory = true;
        return;
    }
    request->answers[request->count++] =
        (struct noted_answer){.text = copy, .delay_ns = now_ns - request->last_ns};
    request->last_ns = now_ns;
}

void wtl_noted_open(struct wtl_noted_dialogue *noted,
                    const char *name,
                    int fd,
                    pid_t child,
                    uint64_t now_ns)
{
    /* A peer that does not exist gets no rows; the other errors are not answers of a peer. */
    if (fd == -ENOENT || fd == -ECONNREFUSED || fd == -EINVAL || fd == -ENOTSUP || fd == -ENOMEM)
        return;
    size_t request = add_request(noted, name, "!open", now_ns);
    if (request == SIZE_MAX)
        return;
    if (fd < 0) {
        add_answer(noted, &noted->requests[request], wtl_dialogue_failure(fd), now_ns);
        return;
    }
    if (wtl_grow(&noted->talks, noted->talk_count, sizeof *noted->talks) < 0) {
        noted->out_of_memory = true;
        return;
    }
    noted->talks[noted->talk_count++] =
        (struct noted_talk){.fd = fd, .child = child, .request = request};
}

void wtl_noted_close(struct wtl_noted_dialogue *noted, int fd)
{
    struct noted_talk *talk = talk_of(noted, fd);
    if (talk)
        talk->fd = -1;
}

void wtl_noted_end(struct wtl_noted_dialogue *noted, pid_t child, int status, uint64_t now_ns)
{
    char text[32];
    for (size_t i = 0; i < noted->talk_count; i++) {
        struct noted_talk *talk = &noted->talks[i];
        if (talk->child != child || child == 0 || (status < 0 && status != -ETIMEDOUT))
            continue;
        (void)snprintf(text, sizeof text, "!exit %d", status);
        add_answer(noted, &noted->requests[talk->request], status < 0 ? "!silent" : text, now_ns);
        talk->child = 0;
    }
}

void wtl_noted_request(struct wtl_noted_dialogue *noted, int fd, const char *text, uint64_t now_ns)
{
    struct noted_talk *talk = talk_of(noted, fd);
    size_t request =
        talk ? add_request(noted, noted->requests[talk->request].peer, text, now_ns) : SIZE_MAX;
    if (request == SIZE_MAX)
        return;
    talk->request = request;
    talk->waited = false;
}

void wtl_noted_answer(struct wtl_noted_dialogue *noted, int fd, const char *text, uint64_t now_ns)
{
    struct noted_talk *talk = talk_of(noted, fd);
    if (talk)
        add_answer(noted, &noted->requests[talk->request], text, now_ns);
}

bool wtl_noted_wait(struct wtl_noted_dialogue *noted, int fd, bool is_there)
{
    struct noted_talk *talk = talk_of(noted, fd);
    bool was = talk && talk->waited;
    if (talk)
        talk->waited = is_there;
    return was;
}

static bool is_same(const struct noted_request *a, const struct noted_request *b)
{
    return strcmp(a->peer, b->peer) == 0 && strcmp(a->text, b->text) == 0;
}

static bool has_same_answers(const struct noted_request *a, const struct noted_request *b)
{
    size_t i = 0;
    while (i < a->count && i < b->count && strcmp(a->answers[i].text, b->answers[i].text) == 0)
        i++;
    return i == a->count && i == b->count;
}

/* The first occurrence of a request is valid from the start. */
static void write_request(FILE *out, const struct noted_request *request, uint64_t time_ns)
{
    unsigned long long us = time_ns / 1000;
    const char *unit = us > 0 ? "us" : "";
    if (request->count == 0)
        (void)fprintf(out, "%llu%s\t%s\t%s\t!silent\n", us, unit, request->peer, request->text);
    for (size_t i = 0; i < request->count; i++) {
        const struct noted_answer *answer = &request->answers[i];
        (void)fprintf(out, "%llu%s\t%s\t%s\t%s", us, unit, request->peer, request->text,
                      answer->text);
        if (answer->delay_ns >= 1000)
            (void)fprintf(out, "\t%lluus", (unsigned long long)answer->delay_ns / 1000);
        (void)fputc('\n', out);
    }
}

int wtl_noted_text(const struct wtl_noted_dialogue *noted, char **ret_text)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return -ENOMEM;
    for (size_t i = 0; i < noted->count; i++) {
        const struct noted_request *request = &noted->requests[i], *last = NULL;
        for (size_t k = i; k-- > 0 && !last;)
            last = is_same(&noted->requests[k], request) ? &noted->requests[k] : NULL;
        if (!last || !has_same_answers(last, request))
            write_request(out, request, last ? request->time_ns - noted->requests[0].time_ns : 0);
    }
    bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
        free(text);
        return -ENOMEM;
    }
    *ret_text = text;
    return 0;
}

void wtl_noted_fini(struct wtl_noted_dialogue *noted)
{
    for (size_t i = 0; i < noted->count; i++) {
        for (size_t k = 0; k < noted->requests[i].count; k++)
            free(noted->requests[i].answers[k].text);
        free(noted->requests[i].answers);
        free(noted->requests[i].peer);
        free(noted->requests[i].text);
    }
    free(noted->requests);
    free(noted->talks);
    *noted = (struct wtl_noted_dialogue){0};
}
