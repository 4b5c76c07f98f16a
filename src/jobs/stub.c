/* SPDX-License-Identifier: BSD-3-Clause */
/* Not there yet. */
#include "base/fail.h"
#include "jobs/record.h"
#include "jobs/spool.h"
#include "jobs/store.h"
#include <errno.h>
int wtl_store_open(const char *url,
                   enum wtl_store_access access,
                   struct wtl_store **ret_store,
                   struct wattle_error *err)
{
    (void)url;
    (void)access;
    (void)ret_store;
    (void)err;
    return -ENOSYS;
}
void wtl_store_close(struct wtl_store *store)
{
    (void)store;
}
const char *wtl_store_name(const struct wtl_store *store)
{
    (void)store;
    return "";
}
int wtl_store_put(struct wtl_store *store,
                  const struct wtl_job_record *records,
                  size_t n,
                  size_t *ret_new,
                  struct wattle_error *err)
{
    (void)store;
    (void)records;
    (void)n;
    (void)ret_new;
    (void)err;
    return -ENOSYS;
}
int wtl_store_jobs(struct wtl_store *store,
                   const struct wtl_job_query *query,
                   wtl_store_take_job_fn *take,
                   void *arg,
                   struct wattle_error *err)
{
    (void)store;
    (void)query;
    (void)take;
    (void)arg;
    (void)err;
    return -ENOSYS;
}
int wtl_store_records(struct wtl_store *store,
                      const struct wtl_job_query *query,
                      wtl_store_take_record_fn *take,
                      void *arg,
                      struct wattle_error *err)
{
    (void)store;
    (void)query;
    (void)take;
    (void)arg;
    (void)err;
    return -ENOSYS;
}
int wtl_store_totals(struct wtl_store *store,
                     const struct wtl_job_query *query,
                     enum wtl_store_group group,
                     wtl_store_take_total_fn *take,
                     void *arg,
                     struct wattle_error *err)
{
    (void)store;
    (void)query;
    (void)group;
    (void)take;
    (void)arg;
    (void)err;
    return -ENOSYS;
}
int wtl_store_nodes_energy(struct wtl_store *store,
                           const char *cluster,
                           const char *const *nodes,
                           size_t count,
                           int64_t from_ns,
                           int64_t to_ns,
                           wtl_store_take_node_fn *take,
                           void *arg,
                           struct wattle_error *err)
{
    (void)store;
    (void)cluster;
    (void)nodes;
    (void)count;
    (void)from_ns;
    (void)to_ns;
    (void)take;
    (void)arg;
    (void)err;
    return -ENOSYS;
}
int wtl_store_migrate(struct wtl_store *store, int *ret_from, struct wattle_error *err)
{
    (void)store;
    (void)ret_from;
    (void)err;
    return -ENOSYS;
}
int wtl_store_schema_text(const char *engine, char **ret_text, struct wattle_error *err)
{
    (void)engine;
    (void)ret_text;
    (void)err;
    return -ENOSYS;
}
int wtl_store_purge(struct wtl_store *store,
                    int64_t before_ns,
                    int64_t *ret_jobs,
                    struct wattle_error *err)
{
    (void)store;
    (void)before_ns;
    (void)ret_jobs;
    (void)err;
    return -ENOSYS;
}
int wtl_store_anonymise(struct wtl_store *store,
                        int64_t before_ns,
                        int64_t *ret_jobs,
                        struct wattle_error *err)
{
    (void)store;
    (void)before_ns;
    (void)ret_jobs;
    (void)err;
    return -ENOSYS;
}
int wtl_store_seen(struct wtl_store *store,
                   const struct wtl_store_sender *sender,
                   struct wattle_error *err)
{
    (void)store;
    (void)sender;
    (void)err;
    return -ENOSYS;
}
int wtl_store_senders(struct wtl_store *store,
                      wtl_store_take_sender_fn *take,
                      void *arg,
                      struct wattle_error *err)
{
    (void)store;
    (void)take;
    (void)arg;
    (void)err;
    return -ENOSYS;
}
