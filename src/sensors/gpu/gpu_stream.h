/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The conversation with wattle-gpu: requests with a deadline, and a new process after it crashed or did not answer. The first
 * restart is after RETRY_NS, each further one after twice the time, at most RETRY_MOST_NS; an answer resets it.
 */
#ifndef WTL_SENSORS_GPU_STREAM_H
#define WTL_SENSORS_GPU_STREAM_H

#include "base/world/world.h"
#include "sensors/gpu/gpu_line.h"

struct wtl_gpu_stream {
    const struct wtl_world *world;
    const char *vendor; /* "nvml" */
    char library[256];  /* "" = the vendor's */
    int fd;             /* -1 = none */
    pid_t child;
    bool is_new; /* started since the last "list" */
    uint64_t again_ns, wait_ns;
    int why; /* -errno of the last end: -EPIPE crashed, -ETIMEDOUT hung */
    char in[WTL_GPU_LINE + 1];
    size_t used, taken; /* bytes received; of which the last line */
};

void wtl_gpu_stream_init(struct wtl_gpu_stream *stream,
                         const struct wtl_world *world,
                         const char *vendor);

/* Start the program unless it runs: 0; -errno: cannot be started, or the reason of the last end while it is too early. */
int wtl_gpu_stream_start(struct wtl_gpu_stream *stream);

/* Send a request, a line. On failure the program is ended. */
int wtl_gpu_stream_ask(struct wtl_gpu_stream *stream, const char *request, uint64_t deadline_ns);

/* The next line of the answer, valid until the next call, without its end: 0; on failure the program is ended: -EPIPE it has
 * ended (crashed), -ETIMEDOUT, -EBADMSG too long. Does not allocate. */
int wtl_gpu_stream_line(struct wtl_gpu_stream *stream, char **ret_line, uint64_t deadline_ns);

/* The same, but a line that has not arrived at an instant ends nothing: -EAGAIN. */
int wtl_gpu_stream_try(struct wtl_gpu_stream *stream, char **ret_line, uint64_t until_ns);

/* End the program for this reason (-errno), and wait before the next start. */
void wtl_gpu_stream_end(struct wtl_gpu_stream *stream, int why);

/* It answered: the next restart is soon again. */
void wtl_gpu_stream_good(struct wtl_gpu_stream *stream);

/* End it for good. */
void wtl_gpu_stream_close(struct wtl_gpu_stream *stream);

#endif
