/* SPDX-License-Identifier: BSD-3-Clause */
/* Not there yet. */
#include "base/fail.h"
#include "jobs/record.h"
#include "jobs/spool.h"
#include "jobs/store.h"
#include <errno.h>
void wtl_job_record_init(struct wtl_job_record *record)
{
    (void)record;
}
void wtl_job_record_fini(struct wtl_job_record *record)
{
    (void)record;
}
int wtl_job_channel_add(struct wtl_job_record *record, struct wtl_job_channel **ret_channel)
{
    (void)record;
    (void)ret_channel;
    return -ENOSYS;
}
bool wtl_job_text_set(char *field, size_t size, const char *text)
{
    (void)field;
    (void)size;
    (void)text;
    return false;
}
int wtl_job_record_check(const struct wtl_job_record *record, struct wattle_error *err)
{
    (void)record;
    (void)err;
    return -ENOSYS;
}
int wtl_job_record_line(const struct wtl_job_record *record,
                        char **ret_line,
                        size_t *ret_size,
                        struct wattle_error *err)
{
    (void)record;
    (void)ret_line;
    (void)ret_size;
    (void)err;
    return -ENOSYS;
}
int wtl_job_record_parse(const char *line,
                         size_t n,
                         struct wtl_job_record *ret_record,
                         struct wattle_error *err)
{
    (void)line;
    (void)n;
    (void)ret_record;
    (void)err;
    return -ENOSYS;
}
int wtl_job_channels_text(const struct wtl_job_record *record, char **ret_text)
{
    (void)record;
    (void)ret_text;
    return -ENOSYS;
}
int wtl_job_channels_parse(const char *text,
                           size_t n,
                           struct wtl_job_record *record,
                           struct wattle_error *err)
{
    (void)text;
    (void)n;
    (void)record;
    (void)err;
    return -ENOSYS;
}
const char *wtl_job_kind_word(enum wtl_job_kind kind)
{
    (void)kind;
    return "";
}
const char *wtl_job_state_word(enum wtl_job_state state)
{
    (void)state;
    return "";
}
int wtl_job_spool_append(const struct wtl_job_spool *spool,
                         const struct wtl_job_record *record,
                         bool *ret_log,
                         struct wattle_error *err)
{
    (void)spool;
    (void)record;
    (void)ret_log;
    (void)err;
    return -ENOSYS;
}
int wtl_job_spool_status(const struct wtl_job_spool *spool,
                         struct wtl_job_spool_status *ret_status,
                         struct wattle_error *err)
{
    (void)spool;
    (void)ret_status;
    (void)err;
    return -ENOSYS;
}
int wtl_job_sender_open(const struct wtl_job_spool *spool,
                        struct wtl_job_sender **ret_sender,
                        struct wattle_error *err)
{
    (void)spool;
    (void)ret_sender;
    (void)err;
    return -ENOSYS;
}
void wtl_job_sender_close(struct wtl_job_sender *sender)
{
    (void)sender;
}
int wtl_job_sender_next(struct wtl_job_sender *sender,
                        const struct wtl_job_record **ret_records,
                        size_t *ret_count,
                        struct wattle_error *err)
{
    (void)sender;
    (void)ret_records;
    (void)ret_count;
    (void)err;
    return -ENOSYS;
}
int wtl_job_sender_reject(struct wtl_job_sender *sender,
                          size_t i,
                          const char *why,
                          struct wattle_error *err)
{
    (void)sender;
    (void)i;
    (void)why;
    (void)err;
    return -ENOSYS;
}
int wtl_job_sender_done(struct wtl_job_sender *sender, struct wattle_error *err)
{
    (void)sender;
    (void)err;
    return -ENOSYS;
}
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
