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

int main(void)
{
    test_accepted();
    test_refused();
    ok(!wtl_request_is_privileged(WTL_REQUEST_PAGE), "everybody may ask for the page");
    ok(!wtl_request_is_privileged(WTL_REQUEST_STATUS), "and for the status");
    ok(wtl_request_is_privileged(WTL_REQUEST_ALLOW), "only root allows");
    ok(wtl_request_is_privileged(WTL_REQUEST_BEGIN), "only root begins a job");
    return done_testing();
}
