/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts bytes to text and back: see dialogue.h. */
#define _GNU_SOURCE
#include "base/world/dialogue_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "base/secrets.h"
#include "base/world/script.h"
#include "base/world/world.h"

_Static_assert((int)WTL_DIALOGUE_BYTES == (int)WTL_ASKED, "what can be asked can be answered");

static const char escaped[] = "nrt0\\s", plain[] = "\n\r\t\0\\ ";

static const struct {
    const char *name;
    int error;
} failures[] = {
    {"!EACCES", EACCES},
    {"!EADDRNOTAVAIL", EADDRNOTAVAIL},
    {"!EAGAIN", EAGAIN},
    {"!EBADMSG", EBADMSG},
    {"!EBUSY", EBUSY},
    {"!ECONNABORTED", ECONNABORTED},
    {"!ECONNREFUSED", ECONNREFUSED},
    {"!ECONNRESET", ECONNRESET},
    {"!EHOSTUNREACH", EHOSTUNREACH},
    {"!EINVAL", EINVAL},
    {"!EIO", EIO},
    {"!EMSGSIZE", EMSGSIZE},
    {"!ENETUNREACH", ENETUNREACH},
    {"!ENODATA", ENODATA},
    {"!ENODEV", ENODEV},
    {"!ENOENT", ENOENT},
    {"!ENOTTY", ENOTTY},
    {"!ENXIO", ENXIO},
    {"!EOPNOTSUPP", EOPNOTSUPP},
    {"!EPERM", EPERM},
    {"!EPIPE", EPIPE},
    {"!EPROTO", EPROTO},
    {"!EREMOTEIO", EREMOTEIO},
    {"!ETIMEDOUT", ETIMEDOUT},
};

int wtl_dialogue_error(const char *name)
{
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        if (strcmp(failures[i].name, name) == 0)
            return failures[i].error;
    }
    return 0;
}

/* ---- to bytes ---- */

struct bytes {
    uint8_t *out;
    size_t room, used;
};

static int add_byte(struct bytes *bytes, uint8_t byte)
{
    if (bytes->used == bytes->room)
        return -EMSGSIZE;
    bytes->out[bytes->used++] = byte;
    return 0;
}

/* "be4", "le2": the number in that many bytes. */
static int add_binary(struct bytes *bytes, const char *form, uint64_t number)
{
    bool big = form[0] == 'b';
    if ((!big && form[0] != 'l') || form[1] != 'e' || form[2] < '1' || form[2] > '8' || form[3])
        return -EINVAL;
    int count = form[2] - '0', rc = 0;
    for (int i = 0; i < count && rc == 0; i++)
        rc = add_byte(bytes, (uint8_t)(number >> 8 * (big ? count - 1 - i : i)));
    return rc;
}

/* Parse the text between braces: number of characters consumed, including the closing brace. */
static int add_number(struct bytes *bytes, const char *text, size_t n, uint64_t elapsed_ns)
{
    char inner[96], digits[24];
    struct wtl_script_row row = {0};
    const char *end = memchr(text, '}', n);
    size_t length = end ? (size_t)(end - text) : sizeof inner;
    if (length >= sizeof inner)
        return -EINVAL;
    memcpy(inner, text, length);
    inner[length] = '\0';
    char *form = strchr(inner, ':');
    if (form)
        *form++ = '\0';
    if (wtl_script_ramp(inner, &row) < 0)
        return -EINVAL;
    uint64_t number = wtl_script_at(&row, 1, elapsed_ns).number;
    int rc = 0;
    if (form)
        rc = add_binary(bytes, form, number);
    else
        (void)snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    for (const char *p = digits; !form && *p && rc == 0; p++)
        rc = add_byte(bytes, (uint8_t)*p);
    return rc < 0 ? rc : (int)length + 1;
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Parse the text after a backslash: number of characters consumed. */
static int add_escaped(struct bytes *bytes, const char *text, size_t n, uint64_t elapsed_ns)
{
    const char *known = n > 0 ? memchr(escaped, text[0], sizeof escaped - 1) : NULL;
    int rc = -EINVAL, used = 1;
    if (known) {
        rc = add_byte(bytes, (uint8_t)plain[known - escaped]);
    } else if (n > 2 && text[0] == 'x') {
        int high = digit_of(text[1]), low = digit_of(text[2]);
        used = 3;
        if (high >= 0 && low >= 0)
            rc = add_byte(bytes, (uint8_t)(high << 4 | low));
    } else if (n > 1 && text[0] == '{') {
        rc = add_number(bytes, text + 1, n - 1, elapsed_ns);
        used = 1 + rc;
    }
    return rc < 0 ? rc : used;
}

ssize_t wtl_dialogue_decode(const char *text, size_t n, uint64_t elapsed_ns, void *out, size_t room)
{
    struct bytes bytes = {.out = out, .room = room};
    for (size_t at = 0; at < n;) {
        bool plainly = text[at] != '\\';
        int used = plainly ? add_byte(&bytes, (uint8_t)text[at])
                           : add_escaped(&bytes, text + at + 1, n - at - 1, elapsed_ns);
        if (used < 0)
            return used;
        at += 1 + (size_t)used;
    }
    return (ssize_t)bytes.used;
}

/* ---- to text ---- */

struct text {
    char *out;
    size_t room, used; /* beyond the room, characters are only counted */
};

static void put_char(struct text *text, char c)
{
    if (text->used + 1 < text->room)
        text->out[text->used] = c;
    text->used++;
}

static void put_words(struct text *text, const char *words)
{
    while (*words)
        put_char(text, *words++);
}

static int end(struct text *text)
{
    if (text->used >= text->room)
        return -EMSGSIZE;
    text->out[text->used] = '\0';
    return 0;
}

/* word: escape blanks and bars, which separate words. */
static void put_bytes(struct text *text, const void *data, size_t n, bool word)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < n; i++) {
        const char *known = memchr(plain, bytes[i], sizeof plain - 1);
        bool bar = (word && bytes[i] == '|') || (!word && text->used == 0 && bytes[i] == '!');
        char hex[8];
        if (known && (word || bytes[i] != ' ')) {
            put_char(text, '\\');
            put_char(text, escaped[known - plain]);
        } else if (bar || bytes[i] < ' ' || bytes[i] > '~') {
            (void)snprintf(hex, sizeof hex, "\\x%02x", bytes[i]);
            put_words(text, hex);
        } else {
            put_char(text, (char)bytes[i]);
        }
    }
}

static bool is_plain(const char *part, size_t n, bool word)
{
    uint8_t bytes[WTL_DIALOGUE_BYTES];
    char again[WTL_DIALOGUE_TEXT];
    struct text text = {.out = again, .room = sizeof again};
    ssize_t count = wtl_dialogue_decode(part, n, 0, bytes, sizeof bytes);
    if (count < 0)
        return false;
    put_bytes(&text, bytes, (size_t)count, word);
    return text.used == n && memcmp(again, part, n) == 0;
}

bool wtl_dialogue_is_plain(const char *text, char separator)
{
    if (!separator)
        return is_plain(text, strlen(text), false);
    for (const char *part = text; part;) {
        const char *stop = strchr(part, separator);
        size_t n = stop ? (size_t)(stop - part) : strlen(part);
        bool zeros = separator == '|' && n > 1 && memcmp(part + n - 2, "\\0", 2) == 0;
        if (!is_plain(part, n, true) || zeros)
            return false;
        part = stop ? stop + 1 : NULL;
    }
    return true;
}

/* Whether it is lines of printable characters, which may contain secrets. */
static bool is_text(const char *data, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if ((data[i] < ' ' || data[i] > '~') && !strchr("\n\r\t", data[i]))
            return false;
        if (data[i] == '\0')
            return false;
    }
    return true;
}

int wtl_dialogue_text(const void *data, size_t n, char *out, size_t room)
{
    struct text text = {.out = out, .room = room};
    char line[WTL_DIALOGUE_BYTES + 1], clean[2 * WTL_DIALOGUE_BYTES];
    const char *at = data;
    if (n > WTL_DIALOGUE_BYTES)
        return -EMSGSIZE;
    if (!is_text(at, n)) {
        put_bytes(&text, at, n, false);
        return end(&text);
    }
    for (size_t left = n; left > 0;) {
        const char *stop = memchr(at, '\n', left);
        size_t length = stop ? (size_t)(stop - at) + 1 : left, body = stop ? length - 1 : length;
        body -= body > 0 && at[body - 1] == '\r';
        memcpy(line, at, body);
        line[body] = '\0';
        wtl_secrets_line(line, clean, sizeof clean);
        put_bytes(&text, clean, strlen(clean), false);
        put_bytes(&text, at + body, length - body, false);
        at += length;
        left -= length;
    }
    return end(&text);
}

static void put_trimmed(struct text *text, const void *data, size_t n)
{
    const uint8_t *bytes = data;
    while (n > 0 && bytes[n - 1] == 0)
        n--;
    put_bytes(text, data, n, true);
}

int wtl_dialogue_ioctl(const struct wtl_ioctl *call, int result, char *out, size_t room)
{
    struct text text = {.out = out, .room = room};
    char number[48];
    (void)snprintf(number, sizeof number, "!ioctl 0x%lx ", call->request);
    put_words(&text, number);
    (void)snprintf(number, sizeof number, "%d ", result);
    if (result >= 0)
        put_words(&text, number);
    size_t whole = call->size;
    put_trimmed(&text, call->block, call->size);
    for (size_t i = 0; i < call->part_count; i++) {
        whole += call->parts[i].size;
        put_char(&text, '|');
        put_trimmed(&text, call->parts[i].data, call->parts[i].size);
    }
    return whole > WTL_DIALOGUE_BYTES ? -EMSGSIZE : end(&text);
}

int wtl_dialogue_address(const char *address, char *out, size_t room)
{
    struct text text = {.out = out, .room = room};
    put_bytes(&text, address, strlen(address), true);
    return end(&text);
}

int wtl_dialogue_command(const char *const argv[], char *out, size_t room)
{
    struct text text = {.out = out, .room = room};
    struct wtl_secrets secrets = {0};
    char clean[WTL_DIALOGUE_BYTES];
    put_words(&text, "exec:");
    for (size_t i = 0; argv[i]; i++) {
        size_t n = wtl_secrets_argument(&secrets, argv[i], clean, sizeof clean);
        if (i > 0)
            put_char(&text, ' ');
        put_bytes(&text, clean, n, true);
    }
    return end(&text);
}

const char *wtl_dialogue_failure(int error)
{
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        if (failures[i].error == (error < 0 ? -error : error))
            return failures[i].name;
    }
    return "!EIO";
}

/* ---- answers ---- */

static uint64_t elapsed_of(const struct wtl_answer *answer, uint64_t time_ns)
{
    return time_ns > answer->time_ns ? time_ns - answer->time_ns : 0;
}

ssize_t wtl_dialogue_bytes(const struct wtl_answer *answer,
                           uint64_t time_ns,
                           void *out,
                           size_t room)
{
    return wtl_dialogue_decode(answer->text, strlen(answer->text), elapsed_of(answer, time_ns), out,
                               room);
}

int wtl_dialogue_answer(const struct wtl_answer *answer,
                        uint64_t time_ns,
                        const struct wtl_ioctl *call)
{
    const char *part = answer->text;
    for (size_t i = 0; i <= call->part_count; i++) {
        void *data = i == 0 ? call->block : call->parts[i - 1].data;
        size_t size = i == 0 ? call->size : call->parts[i - 1].size;
        size_t n = strcspn(part, "|");
        ssize_t used = wtl_dialogue_decode(part, n, elapsed_of(answer, time_ns), data, size);
        if (used < 0)
            return (int)used;
        if (size > 0)
            memset((char *)data + used, 0, size - (size_t)used);
        part += n + (part[n] == '|');
    }
    return *part ? -EMSGSIZE : 0;
}
