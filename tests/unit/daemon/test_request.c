/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests to wattled: what is accepted, and what is refused with which reason. */
#include "daemon/request.h"

#include <errno.h>

#include "tap.h"

static void test_accepted(void)
{
    static const struct {
        int line;
        const char *packet;
        enum wtl_request_verb verb;
        uint32_t number;
        const char *job;
    } rows[] = {
        {__LINE__, "page 2", WTL_REQUEST_PAGE, 2, ""},
        {__LINE__, "page 0", WTL_REQUEST_PAGE, 0, ""},
        {__LINE__, "status", WTL_REQUEST_STATUS, 0, ""},
        {__LINE__, "begin 1234567.0", WTL_REQUEST_BEGIN, 0, "1234567.0"},
        {__LINE__, "end a_B+c-1", WTL_REQUEST_END, 0, "a_B+c-1"},
        {__LINE__, "jobs", WTL_REQUEST_JOBS, 0, ""},
        {__LINE__, "allow 1000", WTL_REQUEST_ALLOW, 1000, ""},
        {__LINE__, "deny 4294967294", WTL_REQUEST_DENY, 4294967294u, ""},
        {__LINE__, "reload", WTL_REQUEST_RELOAD, 0, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_request_line request;
        const char *why;
        tap_line = rows[i].line;
        is_int(wtl_request_parse(rows[i].packet, strlen(rows[i].packet), &request, &why), 0,
               "\"%s\" is a request", rows[i].packet);
        is_int(request.verb, rows[i].verb, "its verb");
        is_int(rows[i].verb == WTL_REQUEST_PAGE ? request.version : (uint32_t)request.uid,
               rows[i].number, "its number");
        is_str(request.job, rows[i].job, "its job");
    }
    tap_line = 0;
}

static void test_refused(void)
{
    static const struct {
        int line;
        const char *packet;
        size_t size; /* 0 = of the text */
        const char *why;
    } rows[] = {
        {__LINE__, "hello", 0, "unknown request"},
        {__LINE__, "PAGE 2", 0, "unknown request"},
        {__LINE__, " page 2", 0, "unknown request"},
        {__LINE__, "page", 0, "a version is a number"},
        {__LINE__, "page  2", 0, "a version is a number"},
        {__LINE__, "page 2 ", 0, "a version is a number"},
        {__LINE__, "page -2", 0, "a version is a number"},
        {__LINE__, "page 0x2", 0, "a version is a number"},
        {__LINE__, "allow root", 0, "a user id is a number"},
        {__LINE__, "allow 4294967295", 0, "a user id is a number"},
        {__LINE__, "allow 4294967296", 0, "a user id is a number"},
        {__LINE__, "deny 00000000000", 0, "a user id is a number"},
        {__LINE__, "status now", 0, "this request has no argument"},
        {__LINE__, "begin", 0, "a job id has"},
        {__LINE__, "begin .", 0, "a job id has"},
        {__LINE__, "begin ../x", 0, "a job id has"},
        {__LINE__, "begin a/b", 0, "a job id has"},
        {__LINE__, "begin a b", 0, "a job id has"},
        {__LINE__, "begin 0123456789012345678901234567890123456789012345678901234567890123x", 0,
         "a job id has"},
        {__LINE__, "status\n", 0, "printable"},
        {__LINE__, "status\0", 7, "printable"},
        {__LINE__, "\xc3\xa9", 0, "printable"},
    };
    struct wtl_request_line request;
    const char *why;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        size_t size = rows[i].size ? rows[i].size : strlen(rows[i].packet);
        is_int(wtl_request_parse(rows[i].packet, size, &request, &why), -EINVAL, "refused");
        ok(strstr(why, rows[i].why) != NULL, "because: %s", why);
    }
    tap_line = 0;
    char packet[300];
    memset(packet, 'a', sizeof packet);
    is_int(wtl_request_parse(packet, 256, &request, &why), -EINVAL, "256 bytes");
    ok(strstr(why, "at most 255") != NULL, "because: %s", why);
    is_int(wtl_request_parse(packet, 0, &request, &why), -EINVAL, "an empty packet");
}

/* Lines after "begin ID". */
static void test_terms(void)
{
    struct wtl_request_line request;
    const char *why = "";
    static const char all[] =
        "begin "
        "7\ncgroup=/slurm/uid_1/"
        "job_7\ncpus=0-3,8\nreserved=0.25\nparent=5\ngpus=0,nvml:gpu-1\nslurm=7\npid=42\n"
        "note={\"name\": \"\xc3\xa9 = x\"}\nlater=1\n";
    is_int(wtl_request_parse(all, sizeof all - 1, &request, &why), 0, "all keys");
    const struct wtl_job_terms *terms = &request.terms;
    ok(terms->given, "lines follow");
    is_str(terms->cgroup, "slurm/uid_1/job_7", "a path without its first slash");
    is_str(terms->cpus, "0-3,8", "CPUs");
    is_double(terms->reserved, 0.25, 0, "reserved");
    is_str(terms->parent, "5", "parent");
    is_str(terms->gpus, "0,nvml:gpu-1", "GPUs");
    is_int((int)terms->slurm, 7, "slurm");
    is_int((int)terms->pid, 42, "pid");
    is_str(terms->note, "{\"name\": \"\xc3\xa9 = x\"}", "a note is anything in a line");
    is_int(wtl_request_parse("end 7\n", 6, &request, &why), 0, "no lines, but of the new form");
    ok(request.terms.given, "as such");
    is_int(wtl_request_parse("end 7", 5, &request, &why), 0, "of the old form");
    ok(!request.terms.given, "as such");
    static const char late[] = "end 7\nended=1790000000.25";
    is_int(wtl_request_parse(late, sizeof late - 1, &request, &why), 0, "of a job that had ended");
    is_double(request.terms.ended_s, 1790000000.25, 0, "at that time");
    static const char *const refused[] = {"begin 7\ncgroup=",         "begin 7\ncgroup=a/../b",
                                          "begin 7\ncgroup=..",       "begin 7\ncgroup=a/./b",
                                          "begin 7\ncpus=x",          "begin 7\nreserved=1.1",
                                          "begin 7\nreserved=-1",     "begin 7\nreserved=nan",
                                          "begin 7\nparent=../5",     "begin 7\ngpus=",
                                          "begin 7\ngpus=0 1",        "begin 7\ngpus=0;1",
                                          "begin 7\npid=1x",          "begin 7\nnote=",
                                          "begin 7\nnote= x",         "begin 7\nx",
                                          "begin 7\ncgroup=\xc3\xa9", "begin 7\nnote=\tx",
                                          "status\nnote=x",           "jobs\n",
                                          "end 7\nended=-1",          "end 7\nended=nan",
                                          "end 7\nended=1e10",        "end 7\nended="};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        is_int(wtl_request_parse(refused[i], strlen(refused[i]), &request, &why), -EINVAL,
               "refused: %zu", i);
    char large[WTL_REQUEST_MAX + 2] = "begin 7\nnote=";
    size_t n = strlen(large);
    memset(large + n, 'x', sizeof large - n);
    is_int(wtl_request_parse(large, n + WTL_JOB_NOTE_MAX, &request, &why), 0, "the longest note");
    is_int(wtl_request_parse(large, n + WTL_JOB_NOTE_MAX + 1, &request, &why), -EINVAL, "longer");
    is_int(wtl_request_parse(large, WTL_REQUEST_MAX + 1, &request, &why), -EINVAL, "longer");
}

int main(void)
{
    test_terms();
    test_accepted();
    test_refused();
    ok(!wtl_request_is_privileged(WTL_REQUEST_PAGE), "everybody may ask for the page");
    ok(!wtl_request_is_privileged(WTL_REQUEST_STATUS), "and for the status");
    ok(wtl_request_is_privileged(WTL_REQUEST_ALLOW), "only root allows");
    ok(wtl_request_is_privileged(WTL_REQUEST_BEGIN), "only root begins a job");
    return done_testing();
}
