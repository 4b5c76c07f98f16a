/* SPDX-License-Identifier: BSD-3-Clause */
/* Any packet as a request to wattled: refused with a reason, or of a known verb with a valid argument. A job id
 * becomes the name of a file. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wtl_request_line request;
    const char *why;
    int rc = wtl_request_parse((const char *)data, size, &request, &why);
    if (rc < 0) {
        demand(rc == -EINVAL && why && why[0]);
        return 0;
    }
    demand(size > 0 && size <= WTL_REQUEST_MAX && request.verb <= WTL_REQUEST_RELOAD);
    const struct wtl_job_terms *terms = &request.terms;
    demand(terms->reserved >= 0 && terms->reserved <= 1);
    demand(terms->parent[0] == '\0' || wtl_job_id_is_valid(terms->parent));
    demand(!strstr(terms->cgroup, "/../") && terms->cgroup[0] != '/' &&
           !strchr(terms->note, '\n') && !strchr(terms->cgroup, '\n'));
    demand(!terms->given || request.verb == WTL_REQUEST_BEGIN || request.verb == WTL_REQUEST_END);
    if (request.verb == WTL_REQUEST_BEGIN || request.verb == WTL_REQUEST_END ||
        request.verb == WTL_REQUEST_JOB || request.verb == WTL_REQUEST_FETCHED)
        demand(wtl_job_id_is_valid(request.job) && !strchr(request.job, '/') &&
               request.job[0] != '.');
    else
        demand(request.job[0] == '\0');
    demand(request.uid != (uid_t)-1);
    demand(wtl_request_is_privileged(request.verb) ==
           (request.verb != WTL_REQUEST_PAGE && request.verb != WTL_REQUEST_STATUS));
    return 0;
}
