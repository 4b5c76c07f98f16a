/* SPDX-License-Identifier: BSD-3-Clause */
#include "call_state.h"

#include <string.h>

#include <wattle/region.h>
#include <wattle/task.h>

#include "communicator.h"

/* The end of a state, with its details; what is too much for one mark follows it. */
struct leave {
    const struct call_site *site;
    const struct communicator *comm;
    bool marked;
    unsigned count;
    struct wattle_task_detail details[WATTLE_TASK_DETAILS_MAX];
};

static void flush(struct leave *leave)
{
    const struct wattle_task_detail *first = &leave->details[0];

    if (!leave->marked)
        wattle_task_mark_with(WATTLE_STATE_LEAVE + leave->site->state, leave->site->id, 0,
                              leave->details, leave->count);
    else if (leave->count > 0)
        wattle_task_mark_with(first->kind, first->name, first->value, first + 1, leave->count - 1);
    leave->marked = true;
    leave->count = 0;
}

static void put_detail(struct leave *leave, enum wattle_task_key key, uint64_t value)
{
    if (leave->count == WATTLE_TASK_DETAILS_MAX)
        flush(leave);
    leave->details[leave->count++] =
        (struct wattle_task_detail){.kind = WATTLE_TASK_DETAIL, .name = key, .value = value};
}

/* bytes < 0 = unknown. The four stay together: a reader takes the bytes with what was said before. */
static void put_message(struct leave *leave,
                        enum wattle_task_key key,
                        int64_t peer,
                        int64_t tag,
                        uint64_t comm,
                        int64_t bytes)
{
    if (leave->count > WATTLE_TASK_DETAILS_MAX - 4)
        flush(leave);
    put_detail(leave, WATTLE_TASK_KEY_PEER, (uint64_t)peer);
    put_detail(leave, WATTLE_TASK_KEY_TAG, (uint64_t)tag);
    if (comm != 0)
        put_detail(leave, WATTLE_TASK_KEY_COMM, comm);
    if (bytes >= 0)
        put_detail(leave, key, (uint64_t)bytes);
}

static uint64_t comm_number(const struct leave *leave)
{
    return leave->comm ? leave->comm->number : 0;
}

/* ---- bytes ---- */

static int64_t product(int64_t count, int64_t size)
{
    return count < 0 || size < 0 ? -1 : count * size;
}

/* One count and type: letters "nt" or "NT". */
static int64_t bytes_of(const struct call_site *site, const mpi_word *words, const char *letters)
{
    return product(call_number(site, words, letters[0]), call_type_size(site, words, letters[1]));
}

/* What goes to, or comes from, all processes of the communicator: a count for all of them, or one each. */
static int64_t bytes_of_all(const struct leave *leave,
                            const mpi_word *words,
                            const char *letters,
                            const char *array_letters)
{
    const struct call_site *site = leave->site;
    int place = call_shape_place(&site->shape, array_letters[0]);
    int64_t size = call_type_size(site, words, array_letters[1]), count = 0;

    if (place < 0)
        return product(call_number(site, words, letters[0]) * leave->comm->size, size);
    for (int i = 0; i < leave->comm->size; i++)
        count += call_element(site, words[place], (size_t)i, true);
    return product(count, size);
}

static int64_t bytes_of_own(const struct leave *leave, const mpi_word *words)
{
    const struct call_site *site = leave->site;
    int place = call_shape_place(&site->shape, 'M');

    if (place < 0)
        return bytes_of(site, words, "NT");
    return product(call_element(site, words[place], (size_t)leave->comm->rank, true),
                   call_type_size(site, words, 'T'));
}

/* ---- point to point ---- */

static void put_sent(struct leave *leave, const mpi_word *words)
{
    const struct call_site *site = leave->site;
    int64_t peer = communicator_world_rank(leave->comm, (int)call_number(site, words, 'd'));
    bool no_peer = call_number(site, words, 'd') < 0; /* MPI_PROC_NULL */

    put_message(leave, WATTLE_TASK_KEY_BYTES, peer, call_number(site, words, 'g'),
                comm_number(leave), no_peer ? -1 : bytes_of(site, words, "nt"));
}

/* status: the argument; the partner of a message from anybody is in it. */
static void put_received(struct leave *leave, const mpi_word *words)
{
    const struct call_site *site = leave->site;
    struct call_status status;
    int source = (int)call_number(site, words, 's');
    int64_t tag = call_number(site, words, 'G'), bytes = -1;

    if (call_status_read(site, words[call_shape_place(&site->shape, 'S')], 0, &status)) {
        source = status.source;
        tag = source < 0 ? tag : status.tag;
        bytes = source < 0 || site->shape.kind == CALL_PROBE ? -1 : (int64_t)status.bytes;
    }
    put_message(leave, WATTLE_TASK_KEY_RECEIVED, communicator_world_rank(leave->comm, source), tag,
                comm_number(leave), bytes);
}

static void put_posted(struct leave *leave, const mpi_word *words)
{
    const struct call_site *site = leave->site;
    struct receive receive = {
        .request = call_request(site, words[call_shape_place(&site->shape, 'r')], 0),
        .comm = comm_number(leave),
        .peer = communicator_world_rank(leave->comm, (int)call_number(site, words, 's')),
        .tag = call_number(site, words, 'G'),
        .bytes = -1,
        .world = leave->comm && leave->comm->world};

    requests_put(&receive);
    put_message(leave, WATTLE_TASK_KEY_RECEIVED, receive.peer, receive.tag, receive.comm, -1);
    put_detail(leave, WATTLE_TASK_KEY_REQUEST, receive.request);
}

/* ---- persistent requests ---- */

static void keep_prepared(struct leave *leave, const mpi_word *words)
{
    const struct call_site *site = leave->site;
    bool sends = site->shape.kind == CALL_PREPARE_SEND;
    int partner = (int)call_number(site, words, sends ? 'd' : 's');
    struct receive prepared = {
        .request = call_request(site, words[call_shape_place(&site->shape, 'r')], 0),
        .comm = comm_number(leave),
        .peer = communicator_world_rank(leave->comm, partner),
        .tag = call_number(site, words, sends ? 'g' : 'G'),
        .bytes = sends && partner >= 0 ? bytes_of(site, words, "nt") : -1,
        .world = leave->comm && leave->comm->world,
        .persistent = true,
        .sends = sends};

    requests_put(&prepared);
    if (prepared.comm != 0)
        put_detail(leave, WATTLE_TASK_KEY_COMM, prepared.comm);
}

/* What a started request does is known only from its preparation. */
static void put_started(struct leave *leave, const mpi_word *words)
{
    const struct call_site *site = leave->site;
    mpi_word array = words[call_shape_place(&site->shape, 'A')];
    int64_t count = call_shape_place(&site->shape, 'k') < 0 ? 1 : call_number(site, words, 'k');
    struct receive started;

    for (int64_t i = 0; i < count; i++) {
        if (!requests_take(call_request(site, array, (size_t)i), &started))
            continue;
        started.active = started.persistent;
        requests_put(&started);
        put_message(leave, started.sends ? WATTLE_TASK_KEY_BYTES : WATTLE_TASK_KEY_RECEIVED,
                    started.peer, started.tag, started.comm, started.bytes);
        if (!started.sends)
            put_detail(leave, WATTLE_TASK_KEY_REQUEST, started.request);
    }
}

/* ---- completion ---- */

static void put_complete(struct leave *leave,
                         struct call_room *room,
                         const mpi_word *words,
                         size_t at,
                         size_t status_at)
{
    const struct call_site *site = leave->site;
    int place = call_shape_place(&site->shape, 'S');
    struct call_status status;

    if (at >= room->count || room->receives[at].request == 0)
        return; /* a send */
    struct receive receive = room->receives[at];

    if (!receive.persistent)
        room->receives[at].request = 0;
    room->receives[at].active = false;
    if (receive.persistent && (receive.sends || !receive.active))
        return; /* or it was not started */
    if (place < 0)
        place = call_shape_place(&site->shape, 'Z');
    if (!call_status_read(site, words[place], status_at, &status) || status.source < 0) {
        put_message(leave, WATTLE_TASK_KEY_RECEIVED, receive.peer, receive.tag, receive.comm, -1);
    } else {
        int64_t peer = receive.peer < 0 && receive.world ? status.source : receive.peer;

        put_message(leave, WATTLE_TASK_KEY_RECEIVED, peer, status.tag, receive.comm,
                    (int64_t)status.bytes);
    }
    put_detail(leave, WATTLE_TASK_KEY_REQUEST, receive.request);
}

static size_t index_of(const struct call_site *site, int64_t index)
{
    index -= site->language != CALL_C;           /* Fortran counts from 1 */
    return index < 0 ? SIZE_MAX : (size_t)index; /* MPI_UNDEFINED */
}

static void put_completed(struct leave *leave, struct call_room *room, const mpi_word *words)
{
    const struct call_site *site = leave->site;
    const struct call_shape *shape = &site->shape;
    int indices = call_shape_place(shape, 'I');

    if (call_shape_place(shape, 'f') >= 0 &&
        *(const int *)words[call_shape_place(shape, 'f')] == 0) /* NOLINT: in all languages */
        return;
    if (call_shape_place(shape, 'i') >= 0) {
        int64_t index = call_element(site, words[call_shape_place(shape, 'i')], 0, false);

        put_complete(leave, room, words, index_of(site, index), 0);
        return;
    }
    if (indices < 0) {
        for (size_t i = 0; i < room->count; i++)
            put_complete(leave, room, words, i, i);
        return;
    }
    int64_t done = call_element(site, words[call_shape_place(shape, 'o')], 0, false);

    for (int64_t i = 0; i < done; i++)
        put_complete(leave, room, words,
                     index_of(site, call_element(site, words[indices], (size_t)i, false)),
                     (size_t)i);
}

/* Take what may complete out of the table, and have statuses. */
static void expect(const struct call_site *site, struct call_room *room, mpi_word *words)
{
    int array = call_shape_place(&site->shape, 'A'), status = call_shape_place(&site->shape, 'Z');
    int64_t count = call_shape_place(&site->shape, 'k') < 0 ? 1 : call_number(site, words, 'k');

    room->count = 0;
    for (; count <= CALL_REQUESTS_MOST && (int64_t)room->count < count; room->count++) {
        struct receive *receive = &room->receives[room->count];

        if (!requests_take(call_request(site, words[array], room->count), receive))
            receive->request = 0;
    }
    if (status < 0)
        status = call_shape_place(&site->shape, 'S');
    if (room->count > 0 && call_status_ignored(site, words[status]))
        words[status] = (mpi_word)room->statuses;
}

static void put_back(struct call_room *room)
{
    for (size_t i = 0; i < room->count; i++)
        if (room->receives[i].request != 0)
            requests_put(&room->receives[i]);
    room->count = 0;
}

/* ---- collectives ---- */

/* In those with a root, it is the partner of all others. */
static void put_rooted(struct leave *leave, const mpi_word *words)
{
    const struct call_site *site = leave->site;
    const struct communicator *comm = leave->comm;
    int64_t root = call_number(site, words, 'R');
    bool is_root = root == comm->rank;
    int64_t peer = is_root ? -1 : communicator_world_rank(comm, (int)root);
    enum wattle_task_key key = WATTLE_TASK_KEY_BYTES, other = WATTLE_TASK_KEY_RECEIVED;
    int64_t bytes, more = -1;

    if (site->shape.kind == CALL_BCAST) {
        bytes = bytes_of(site, words, "nt");
        key = is_root ? WATTLE_TASK_KEY_BYTES : WATTLE_TASK_KEY_RECEIVED;
    } else if (site->shape.kind == CALL_REDUCE) {
        bytes = bytes_of(site, words, "nt");
        more = is_root ? bytes : -1;
    } else if (site->shape.kind == CALL_GATHER) {
        bytes = is_root ? bytes_of_own(leave, words) : bytes_of(site, words, "nt");
        more = is_root ? bytes_of_all(leave, words, "NT", "MT") : -1;
    } else {
        bytes = is_root ? bytes_of_all(leave, words, "nt", "mt") : bytes_of(site, words, "NT");
        key = is_root ? WATTLE_TASK_KEY_BYTES : WATTLE_TASK_KEY_RECEIVED;
    }
    put_message(leave, key, peer, -1, comm->number, bytes);
    if (more >= 0)
        put_detail(leave, other, (uint64_t)more);
}

static void put_collective(struct leave *leave, const mpi_word *words)
{
    const struct call_site *site = leave->site;
    int64_t sent = -1, received = -1;

    switch (site->shape.kind) {
    case CALL_ALLREDUCE:
        sent = received = bytes_of(site, words, "nt");
        break;
    case CALL_REDUCE_SCATTER:
        sent = bytes_of_all(leave, words, "NT", "MT");
        received = bytes_of_own(leave, words);
        break;
    case CALL_ALLGATHER:
        sent = bytes_of_own(leave, words);
        received = bytes_of_all(leave, words, "NT", "MT");
        break;
    default: /* all to all */
        received = bytes_of_all(leave, words, "NT", "MT");
        sent = received;
        if (call_shape_place(&site->shape, 'm') >= 0 && !call_in_place(site, words[0]))
            sent = site->language == CALL_C ? bytes_of_all(leave, words, "nt", "mt") : -1;
        break;
    }
    put_message(leave, WATTLE_TASK_KEY_BYTES, -1, -1, leave->comm->number, sent);
    if (received >= 0)
        put_detail(leave, WATTLE_TASK_KEY_RECEIVED, (uint64_t)received);
}

/* A count for each neighbour, or one for all: letters as for bytes_of_all(). */
static int64_t bytes_of_neighbors(const struct leave *leave,
                                  const mpi_word *words,
                                  int neighbors,
                                  const char *letters,
                                  const char *array_letters)
{
    const struct call_site *site = leave->site;
    int place = call_shape_place(&site->shape, array_letters[0]);
    int64_t count = 0;

    for (int i = 0; i < neighbors; i++)
        if (i >= 64 || (leave->comm->no_neighbour >> i & 1) == 0)
            count += place < 0 ? call_number(site, words, letters[0])
                               : call_element(site, words[place], (size_t)i, true);
    return product(count, call_type_size(site, words, letters[1]));
}

/* What each neighbour is sent counts for each of them. */
static void put_neighbors(struct leave *leave, const mpi_word *words)
{
    const struct communicator *comm = leave->comm;
    int64_t received = bytes_of_neighbors(leave, words, comm->in, "NT", "MT");

    if (comm->in <= 0 && comm->out <= 0) {
        put_detail(leave, WATTLE_TASK_KEY_COMM, comm->number);
        return;
    }
    put_message(leave, WATTLE_TASK_KEY_BYTES, -1, -1, comm->number,
                bytes_of_neighbors(leave, words, comm->out, "nt", "mt"));
    if (received >= 0)
        put_detail(leave, WATTLE_TASK_KEY_RECEIVED, (uint64_t)received);
}

/* ---- the state ---- */

static void put_other(struct leave *leave, const mpi_word *words)
{
    bool collective =
        leave->site->shape.kind >= CALL_BCAST && leave->site->shape.kind <= CALL_ALLTOALL;

    if (!leave->comm)
        return;
    if (leave->site->shape.kind == CALL_NEIGHBOR_ALLGATHER ||
        leave->site->shape.kind == CALL_NEIGHBOR_ALLTOALL) {
        put_neighbors(leave, words);
        return;
    }
    if (!collective || leave->comm->between)
        put_detail(leave, WATTLE_TASK_KEY_COMM, leave->comm->number);
    else if (call_shape_place(&leave->site->shape, 'R') >= 0)
        put_rooted(leave, words);
    else
        put_collective(leave, words);
}

static void put_call(struct leave *leave, struct call_room *room, const mpi_word *words)
{
    const struct call_site *site = leave->site;
    enum call_kind kind = site->shape.kind;

    switch (kind) {
    case CALL_SEND:
        put_sent(leave, words);
        break;
    case CALL_RECEIVE:
    case CALL_PROBE:
        put_received(leave, words);
        break;
    case CALL_SENDRECV:
    case CALL_REPLACE:
        put_sent(leave, words);
        put_received(leave, words);
        break;
    case CALL_POST:
        put_posted(leave, words);
        break;
    case CALL_PREPARE_SEND:
    case CALL_PREPARE_RECEIVE:
        keep_prepared(leave, words);
        break;
    case CALL_START:
        put_started(leave, words);
        break;
    case CALL_COMPLETE:
        put_completed(leave, room, words);
        break;
    case CALL_PUT:
        put_message(leave, WATTLE_TASK_KEY_BYTES, -1, -1, 0, bytes_of(site, words, "nt"));
        break;
    case CALL_GET:
        put_message(leave, WATTLE_TASK_KEY_RECEIVED, -1, -1, 0, bytes_of(site, words, "NT"));
        break;
    default:
        put_other(leave, words);
        break;
    }
}

static __attribute__((noinline, cold)) void open_site(struct call_site *site)
{
    size_t length = strlen(site->name);

    site->shape = call_shape_of(site->name);
    site->large = strcmp(site->name + length - 2, "_c") == 0;
    site->state = site->shape.kind == CALL_FILE ? WATTLE_STATE_IO : WATTLE_STATE_MPI;
    __atomic_store_n(&site->id, wattle_region_id(site->name), __ATOMIC_RELEASE);
}

void call_state_enter(struct call_site *site, struct call_room *room, mpi_word *words)
{
    int status;

    if (!__atomic_load_n(&site->id, __ATOMIC_ACQUIRE))
        open_site(site); /* a second thread writes the same */
    wattle_task_mark(WATTLE_STATE_ENTER + site->state, site->id, 0);
    if (!call_words_known())
        return;
    if (site->shape.kind == CALL_FREE)
        (void)requests_take(call_request(site, words[call_shape_place(&site->shape, 'A')], 0),
                            &room->receives[0]);
    else if (site->shape.kind == CALL_COMPLETE)
        expect(site, room, words);
    else if ((status = call_shape_place(&site->shape, 'S')) >= 0 &&
             call_status_ignored(site, words[status]))
        words[status] = (mpi_word)room->statuses;
}

void call_state_leave(const struct call_site *site,
                      struct call_room *room,
                      const mpi_word *words,
                      int rc)
{
    struct leave leave = {.site = site, .count = 0};

    if (rc == 0 && call_words_known()) { /* the arguments are valid */
        if (call_shape_place(&site->shape, 'c') >= 0)
            leave.comm = communicator_of(call_comm(site, words));
        if (call_shape_place(&site->shape, 'C') >= 0 && call_new_comm(site, words))
            (void)communicator_of(
                call_new_comm(site, words)); /* numbered in the order of creation */
        put_call(&leave, room, words);
    }
    if (site->shape.kind == CALL_COMPLETE)
        put_back(room);
    flush(&leave);
}

void call_state_abandon(const struct call_site *site)
{
    wattle_task_mark(WATTLE_STATE_LEAVE + site->state, site->id, 0);
}
