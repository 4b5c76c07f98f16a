/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests to wattled: see wattled_link.h. */
#define _GNU_SOURCE
#include "cli/node/wattled_link.h"

#include <errno.h>
#include <string.h>

#include <wattle/page.h>

#include "base/fail.h"

/* "no REASON SENTENCE" */
static int refused(char *reply, struct wattle_error *err)
{
    static const struct {
        const char *word;
        int code;
    } reasons[] = {{"denied", -EPERM}, {"exists", -EEXIST}, {"missing", -ENOENT}};
    char *word = strncmp(reply, "no ", 3) == 0 ? reply + 3 : NULL;
    char *sentence = word ? strchr(word, ' ') : NULL;
    if (!sentence)
        return wtl_fail(err, -EBADMSG,
                        "wattled on this node has another version; install the same version of "
                        "wattle and wattled");
    *sentence++ = '\0';
    int code = -EIO;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        code = strcmp(word, reasons[i].word) == 0 ? reasons[i].code : code;
    return wtl_fail(err, code, "%s", sentence);
}

int wtl_wattled_ask(const char *request,
                    char reply[WTL_WATTLED_REPLY],
                    char **ret_lines,
                    struct wattle_error *err)
{
    int fd, socket = wattle_page_ask(NULL, request, reply, WTL_WATTLED_REPLY, &fd);
    if (fd >= 0)
        (void)close(fd); /* none is expected */
    if (socket == -ENOENT || socket == -ECONNREFUSED)
        return wtl_fail(err, socket, "wattled is not running on this node; start it first");
    if (socket < 0)
        return wtl_fail(err, socket, "cannot ask wattled: %s", wtl_strerror(socket));
    (void)close(socket);
    size_t head = strncmp(reply, "ok", 2) == 0 ? 2 : 0;
    if (head == 0 || (reply[head] != '\0' && reply[head] != '\n' && reply[head] != ' '))
        return refused(reply, err);
    *ret_lines = reply + head + (reply[head] != '\0');
    return 0;
}
