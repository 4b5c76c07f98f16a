/* SPDX-License-Identifier: BSD-3-Clause */
#include "communicator.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 4096 }; /* sets of processes whose communicators are counted */

typedef int call_1(mpi_word);
typedef int call_2(mpi_word, mpi_word);
typedef int call_3(mpi_word, mpi_word, mpi_word);
typedef int call_4(mpi_word, mpi_word, mpi_word, mpi_word);
typedef int call_5(mpi_word, mpi_word, mpi_word, mpi_word, mpi_word);

/* MPI's functions, found once. */
static struct {
    call_2 *group, *remote_group, *test_inter, *rank, *group_size;
    call_1 *group_free;
    call_3 *set;
    call_4 *get, *create;
    call_5 *translate;
    /* Of topologies; NULL = not there. */
    call_2 *topology, *dimensions;
    call_3 *graph;
    call_4 *dist_graph;
    call_5 *shift;
} mpi;

static struct {
    mpi_word world, group;     /* 0 = not open */
    int key, cart, graph_kind; /* what MPI_Topo_test gives */
    struct communicator *own;  /* of MPI_COMM_WORLD */
} job;

static struct {
    uint64_t hash, count;
} made[KINDS];
static pthread_mutex_t made_lock = PTHREAD_MUTEX_INITIALIZER;

static mpi_word address(const void *of)
{
    return (mpi_word)of;
}

static bool find(void *ret_function, const char *name)
{
    void *symbol = mpi_symbol(name);

    memcpy(ret_function, &symbol, sizeof(symbol));
    return symbol != NULL;
}

static bool find_all(void)
{
    (void)find(&mpi.topology, "PMPI_Topo_test");
    (void)find(&mpi.dimensions, "PMPI_Cartdim_get");
    (void)find(&mpi.shift, "PMPI_Cart_shift");
    (void)find(&mpi.graph, "PMPI_Graph_neighbors_count");
    (void)find(&mpi.dist_graph, "PMPI_Dist_graph_neighbors_count");
    return find(&mpi.group, "PMPI_Comm_group") &&
           find(&mpi.remote_group, "PMPI_Comm_remote_group") &&
           find(&mpi.test_inter, "PMPI_Comm_test_inter") && find(&mpi.rank, "PMPI_Comm_rank") &&
           find(&mpi.group_size, "PMPI_Group_size") && find(&mpi.group_free, "PMPI_Group_free") &&
           find(&mpi.set, "PMPI_Comm_set_attr") && find(&mpi.get, "PMPI_Comm_get_attr") &&
           find(&mpi.create, "PMPI_Comm_create_keyval") &&
           find(&mpi.translate, "PMPI_Group_translate_ranks");
}

/* MPI calls these: a copy of a communicator is another one; its end. */
static int copy_nothing(mpi_word comm,
                        mpi_word key,
                        mpi_word extra,
                        mpi_word in,
                        mpi_word out,
                        int *ret_flag)
{
    (void)comm;
    (void)key;
    (void)extra;
    (void)in;
    (void)out;
    *ret_flag = 0;
    return 0;
}

static int forget(mpi_word comm, mpi_word key, void *attribute, mpi_word extra)
{
    (void)comm;
    (void)key;
    (void)extra;
    free(attribute);
    return 0;
}

void communicators_open(mpi_word world, int rank, int size, bool open_mpi)
{
    mpi_word group = 0;
    int (*copy)(mpi_word, mpi_word, mpi_word, mpi_word, mpi_word, int *) = copy_nothing;
    int (*end)(mpi_word, mpi_word, void *, mpi_word) = forget;
    mpi_word copy_word, end_word;

    memcpy(&copy_word, &copy, sizeof(copy_word));
    memcpy(&end_word, &end, sizeof(end_word));
    if (job.group || !find_all() || mpi.group(world, address(&group)) != 0 ||
        mpi.create(copy_word, end_word, address(&job.key), 0) != 0 ||
        !(job.own = calloc(1, sizeof(*job.own))))
        return;
    *job.own = (struct communicator){
        .number = 1, .rank = rank, .size = size, .peers = size, .world = true};
    job.world = world;
    job.cart = open_mpi ? 1 : 2;
    job.graph_kind = open_mpi ? 2 : 1;
    __atomic_store_n(&job.group, group, __ATOMIC_RELEASE);
}

/* MPI_Finalize comes next: it forgets the attributes of what is left. */
void communicators_close(void)
{
    __atomic_store_n(&job.group, 0, __ATOMIC_RELEASE);
}

static uint64_t hash_ranks(const int *ranks, int count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (int i = 0; i < count; i++)
        hash = (hash ^ (uint64_t)(uint32_t)ranks[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Communicators of the same processes differ by the order in which they were made. */
static uint64_t number_of(uint64_t hash)
{
    uint64_t before = 0;

    (void)pthread_mutex_lock(&made_lock);
    for (size_t i = 0, at = (size_t)(hash >> 32) % KINDS; i < KINDS; i++, at = (at + 1) % KINDS) {
        if (made[at].count != 0 && made[at].hash != hash)
            continue;
        made[at].hash = hash;
        before = made[at].count++;
        break;
    }
    (void)pthread_mutex_unlock(&made_lock);
    hash = (hash ^ before) * UINT64_C(0x9e3779b97f4a7c15);
    return hash > 1 ? hash : 2;
}

/* The processes of a group, which is freed. */
static struct communicator *of_group(mpi_word group)
{
    int size = 0;
    struct communicator *comm = NULL;
    int *ranks = NULL;

    if (mpi.group_size(group, address(&size)) == 0 && size > 0) {
        comm = calloc(1, sizeof(*comm) + (size_t)size * sizeof(int));
        ranks = calloc((size_t)size, sizeof(int));
    }
    for (int i = 0; ranks && i < size; i++)
        ranks[i] = i;
    if (comm && ranks &&
        mpi.translate(group, (mpi_word)size, address(ranks), job.group, address(comm->ranks)) == 0)
        comm->peers = comm->size = size;
    free(ranks);
    (void)mpi.group_free(address(&group));
    return comm;
}

/* The one before and the one after in each dimension. */
static void look_around_grid(struct communicator *comm, mpi_word handle)
{
    enum { DIMENSIONS_MOST = 32 };
    int count = 0;

    if (!mpi.dimensions || !mpi.shift || mpi.dimensions(handle, address(&count)) != 0 ||
        count > DIMENSIONS_MOST)
        return;
    comm->in = comm->out = 2 * count;
    for (int i = 0; i < count; i++) {
        int before = -1, after = -1;

        if (mpi.shift(handle, (mpi_word)i, 1, address(&before), address(&after)) != 0)
            before = after = -1;
        comm->no_neighbour |= (uint64_t)(before < 0) << (2 * i);
        comm->no_neighbour |= (uint64_t)(after < 0) << (2 * i + 1);
    }
}

/* Its neighbours, in MPI's order. */
static void look_around(struct communicator *comm, mpi_word handle)
{
    enum { DIST_GRAPH = 3 };
    int kind = 0, count = 0, weighted;

    if (!mpi.topology || mpi.topology(handle, address(&kind)) != 0)
        return;
    if (kind == job.cart) {
        look_around_grid(comm, handle);
    } else if (kind == job.graph_kind && mpi.graph &&
               mpi.graph(handle, (mpi_word)comm->rank, address(&count)) == 0) {
        comm->in = comm->out = count;
    } else if (kind == DIST_GRAPH && mpi.dist_graph &&
               mpi.dist_graph(handle, address(&comm->in), address(&comm->out),
                              address(&weighted)) != 0) {
        comm->in = comm->out = 0;
    }
}

static struct communicator *new_communicator(mpi_word handle)
{
    mpi_word group = 0;
    int between = 0;
    uint64_t hash;

    if (mpi.test_inter(handle, address(&between)) != 0 || mpi.group(handle, address(&group)) != 0)
        return NULL;
    struct communicator *comm = of_group(group);

    if (!comm)
        return NULL;
    hash = hash_ranks(comm->ranks, comm->size);
    if (between) {
        struct communicator *here = comm;

        group = 0;
        comm = mpi.remote_group(handle, address(&group)) == 0 ? of_group(group) : NULL;
        if (comm) {
            hash += hash_ranks(comm->ranks, comm->size); /* the same on both sides */
            comm->size = here->size;
        }
        free(here);
        if (!comm)
            return NULL;
    }
    comm->between = between != 0;
    comm->number = number_of(hash);
    bool ranked = mpi.rank(handle, address(&comm->rank)) == 0;

    if (ranked && !between)
        look_around(comm, handle);
    if (ranked && mpi.set(handle, (mpi_word)job.key, address(comm)) == 0)
        return comm;
    free(comm);
    return NULL;
}

const struct communicator *communicator_of(mpi_word handle)
{
    struct communicator *comm = NULL;
    int found = 0;

    if (!__atomic_load_n(&job.group, __ATOMIC_ACQUIRE))
        return NULL;
    if (handle == job.world)
        return job.own;
    if (mpi.get(handle, (mpi_word)job.key, address(&comm), address(&found)) != 0)
        return NULL;
    return found ? comm : new_communicator(handle);
}

int64_t communicator_world_rank(const struct communicator *comm, int rank)
{
    if (!comm || rank < 0 || rank >= comm->peers)
        return -1;
    if (comm->world)
        return rank;
    return comm->ranks[rank] < 0 ? -1 : comm->ranks[rank];
}
