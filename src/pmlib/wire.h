/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of pmlib's protocol as bytes (docs/format/pmlib.md), for the server, the client library and the driver.
 * Integers are 32 bits in the byte order of the machine. A text is its length and its bytes.
 *
 * Reading never trusts a length: -EAGAIN = more bytes are needed, -EBADMSG = these bytes are not such a message. Depends
 * on libc only, allocates nothing, and is safe from any thread.
 */
#ifndef WTL_PMLIB_WIRE_H
#define WTL_PMLIB_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wtl_pm_mark {
    WTL_PM_CREATE,
    WTL_PM_START,
    WTL_PM_CONTINUE,
    WTL_PM_STOP,
    WTL_PM_GET,
    WTL_PM_FINALIZE,
    WTL_PM_INFO,
    WTL_PM_LIST,
    WTL_PM_STATUS,
    WTL_PM_READ
};

/* The three kinds of servers, which do not say what they are. */
enum wtl_pm_dialect {
    WTL_PM_G2, /* 2021, Python: samples of 8 bytes, line by line */
    WTL_PM_G1, /* 2013: samples of 4 bytes */
    WTL_PM_CPP /* C++: 8 bytes, set by set; the list of devices without its length */
};

enum {
    WTL_PM_PORT = 6526,
    WTL_PM_LINES = 128, /* of a device, at most: bits of a mask */
    WTL_PM_MASK = WTL_PM_LINES / 8,
    WTL_PM_TEXT = 256,        /* size of a name or description, with its NUL */
    WTL_PM_REQUEST_MAX = 512, /* bytes of the longest request */
    WTL_PM_ERROR = -1,        /* replies */
    WTL_PM_TOO_FAST = -2
};

bool wtl_pm_mask_has(const uint8_t mask[WTL_PM_MASK], int line);
void wtl_pm_mask_add(uint8_t mask[WTL_PM_MASK], int line);

/* "g2", "g1", "cpp": 0 or -EINVAL. */
int wtl_pm_dialect_parse(const char *text, enum wtl_pm_dialect *ret);
size_t wtl_pm_sample_size(enum wtl_pm_dialect dialect);

/* ---- writing: what does not fit sets `full`, and nothing more is written ---- */

struct wtl_pm_writer {
    uint8_t *at;
    size_t size, used;
    bool full;
};

void wtl_pm_put_i32(struct wtl_pm_writer *to, int32_t value);
void wtl_pm_put_float(struct wtl_pm_writer *to, float value);
void wtl_pm_put_text(struct wtl_pm_writer *to, const char *text);
void wtl_pm_put_sample(struct wtl_pm_writer *to, enum wtl_pm_dialect dialect, double value);

/* ---- reading: 0, -EAGAIN or -EBADMSG; after a failure `used` is where it was ---- */

struct wtl_pm_reader {
    const uint8_t *at;
    size_t size, used;
};

int wtl_pm_take_i32(struct wtl_pm_reader *from, int32_t *ret);
int wtl_pm_take_float(struct wtl_pm_reader *from, float *ret);
/* Any text shorter than n; what is not printable ASCII becomes '?'. */
int wtl_pm_take_text(struct wtl_pm_reader *from, char *text, size_t n);
int wtl_pm_take_sample(struct wtl_pm_reader *from, enum wtl_pm_dialect dialect, double *ret);

/* ---- requests ---- */

struct wtl_pm_request {
    int32_t mark;              /* enum wtl_pm_mark, or what the peer has sent instead */
    char name[WTL_PM_TEXT];    /* of the device: CREATE, INFO, READ */
    int32_t frequency;         /* CREATE, READ: Hz; 0 = as fast as the device */
    int32_t aggregate;         /* CREATE */
    uint8_t mask[WTL_PM_MASK]; /* CREATE; bits beyond the end of a shorter mask are 0 */
};

/* Number of bytes written into bytes[WTL_PM_REQUEST_MAX]. */
size_t wtl_pm_request_write(const struct wtl_pm_request *request,
                            uint8_t bytes[WTL_PM_REQUEST_MAX]);

/* Read one request. on_counter: the connection is a counter, where a mark is all there is. 0; -EAGAIN; -EBADMSG. */
int wtl_pm_request_read(struct wtl_pm_reader *from,
                        bool on_counter,
                        struct wtl_pm_request *ret_request);

/* ---- replies ---- */

struct wtl_pm_device {
    char name[WTL_PM_TEXT];
    int32_t max_frequency, line_count;
};

/* INFO: 0; -ENODEV: unknown device; -EAGAIN, -EBADMSG. */
int wtl_pm_info_read(struct wtl_pm_reader *from, struct wtl_pm_device *ret_device);

/* The next name of a LIST, the bytes being complete (the server closes after them): 1; 0 = no more; -EBADMSG. Begin with
 * used = 0. *ret_dialect becomes WTL_PM_CPP if the list has no length; otherwise it is unchanged. */
int wtl_pm_list_next(struct wtl_pm_reader *from,
                     char name[WTL_PM_TEXT],
                     enum wtl_pm_dialect *ret_dialect);

/* A line of a STATUS reply. */
struct wtl_pm_line {
    int32_t number;
    char name[WTL_PM_TEXT], description[WTL_PM_TEXT], computer[WTL_PM_TEXT];
    float voltage;
};

/* What a STATUS reply says about one device: calls take() for each of its lines, in ascending order. 0; -ENODEV when it is
 * not in the reply; -EAGAIN, -EBADMSG. */
int wtl_pm_status_read(struct wtl_pm_reader *from,
                       const char *device,
                       void (*take)(void *context, const struct wtl_pm_line *line),
                       void *context);

/*
 * The dialect of a stream of samples (READ), from its first bytes after the status. *ret is G1 or G2, -EAGAIN as long as it
 * is not known, -EBADMSG. Returns 1 when the peer must now be asked for the next record, once, else 0. Call it after each
 * four bytes.
 */
int wtl_pm_stream_dialect(const uint8_t *bytes, size_t n, int *ret);

/* What precedes the samples of a GET. */
struct wtl_pm_data {
    int32_t sample_count, bound_count, line_count;
};

/* 0; -ENODATA: refused; -EAGAIN, -EBADMSG (a negative number, or more than samples_most). */
int wtl_pm_data_read(struct wtl_pm_reader *from,
                     int32_t samples_most,
                     struct wtl_pm_data *ret_data);

/* Where the sample of a line (0 .. lines-1) and a set is among the samples: its index; -1 if it has none, since
 * some servers send fewer than they announce. bounds[0 .. sets]. lines: 1 when aggregated. */
int64_t wtl_pm_sample_at(enum wtl_pm_dialect dialect,
                         int32_t sample_count,
                         int32_t lines,
                         const int32_t *bounds,
                         int32_t sets,
                         int32_t line,
                         int32_t set,
                         int32_t i);

#endif
