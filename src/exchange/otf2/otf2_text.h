/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An OTF2 archive as lines of text, in the order of time: what otf2_table.c reads. libotf2 was not made for hostile files and
 * may abort, so that a child process calls it.
 *
 *     z NS                        time 0, since 1970; if known
 *     l NS                        end of the archive
 *     m NODE NAME                 a node
 *     p PROCESS NODE NAME         a process: location group
 *     t THREAD PROCESS NAME       a thread: location
 *     r REGION CLASS NAME         a region, with its enum wtl_track_class
 *     c COLUMN NODE KIND UNIT QUALITY NAME    a metric of a location: KIND is how its values hold
 *     w COLUMN TRAITS             of this column (channel_traits.h)
 *     v NS COLUMN VALUE
 *     b NS THREAD REGION          enter
 *     e NS THREAD REGION          leave
 *
 * Numbers are those of the archive, but columns are counted from 0.
 */
#ifndef WTL_EXCHANGE_OTF2_TEXT_H
#define WTL_EXCHANGE_OTF2_TEXT_H

#include <wattle/error.h>

enum wtl_otf2_kind {
    WTL_OTF2_KIND_NEXT = 'n',    /* a value up to the next */
    WTL_OTF2_KIND_LAST = 'l',    /* since the last */
    WTL_OTF2_KIND_POINT = 'p',   /* at an instant */
    WTL_OTF2_KIND_COUNTER = 'c', /* the sum so far */
    WTL_OTF2_KIND_DELTA = 'd',   /* counted since the last */
    WTL_OTF2_KIND_AUTO = 'a'     /* to be found out */
};

/* Convert an archive, named by its .otf2 file, to a temporary file without a name: *ret_fd, to be closed. 0; -ENOTSUP without libotf2;
 * -EBADMSG if it cannot be read; -ENOMEM; or errno of writing the temporary file; with a message. */
int wtl_otf2_text(const char *path, int *ret_fd, struct wattle_error *err);

#endif
