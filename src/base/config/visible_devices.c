/* SPDX-License-Identifier: BSD-3-Clause */
/* The devices that an environment shows: see visible_devices.h. */
#include "base/config/visible_devices.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/environment.h"
#include "base/parse.h"

enum { VARIABLES = 5 };

static const struct {
    const char *name;
    size_t at;
} variables[VARIABLES] = {
    {"CUDA_VISIBLE_DEVICES", offsetof(struct wtl_visible_devices, cuda)},
    {"CUDA_DEVICE_ORDER", offsetof(struct wtl_visible_devices, order)},
    {"ROCR_VISIBLE_DEVICES", offsetof(struct wtl_visible_devices, rocr)},
    {"HIP_VISIBLE_DEVICES", offsetof(struct wtl_visible_devices, hip)},
    {"ZE_AFFINITY_MASK", offsetof(struct wtl_visible_devices, ze)},
};

static const char **value_of(struct wtl_visible_devices *visible, size_t i)
{
    return (const char **)(void *)((char *)visible + variables[i].at);
}

struct wtl_visible_devices wtl_visible_devices(void)
{
    struct wtl_visible_devices visible = {.cuda = NULL};
    for (size_t i = 0; i < VARIABLES; i++)
        *value_of(&visible, i) = wtl_environment(variables[i].name);
    return visible;
}

static bool is_plain(const char *value)
{
    for (; *value; value++)
        if (*value < ' ' || *value > '~')
            return false;
    return true;
}

void wtl_visible_devices_write(const struct wtl_visible_devices *visible,
                               char text[WTL_VISIBLE_BYTES])
{
    struct wtl_visible_devices values = *visible;
    size_t used = 1;
    memcpy(text, "\n", 2);
    for (size_t i = 0; i < VARIABLES; i++) {
        const char *value = *value_of(&values, i);
        if (!value)
            continue;
        int n =
            snprintf(text + used, WTL_VISIBLE_BYTES - used, "%s=%s\n", variables[i].name, value);
        if (n < 0 || (size_t)n >= WTL_VISIBLE_BYTES - used || !is_plain(value)) {
            text[0] = '\0';
            return;
        }
        used += (size_t)n;
    }
}

bool wtl_visible_devices_parse(char *text, struct wtl_visible_devices *ret)
{
    if (text[0] != '\n')
        return false;
    *ret = (struct wtl_visible_devices){.cuda = NULL};
    for (char *line = text + 1; *line;) {
        char *end = line + strcspn(line, "\n"), *value = memchr(line, '=', (size_t)(end - line));
        char *next = *end ? end + 1 : end;
        *end = '\0';
        for (size_t i = 0; value && i < VARIABLES; i++)
            if (strlen(variables[i].name) == (size_t)(value - line) &&
                strncmp(variables[i].name, line, (size_t)(value - line)) == 0)
                *value_of(ret, i) = value + 1;
        line = next;
    }
    return true;
}

bool wtl_visible_in_list(const char *list, int index, const char *uuid)
{
    if (!list)
        return true;
    for (const char *word = list; *word;) {
        char text[80];
        uint64_t number;
        size_t n = strcspn(word, ",");
        (void)snprintf(text, sizeof text, "%.*s", (int)n, word);
        bool is_number = wtl_parse_u64(text, &number) == 0;
        if (is_number && (int64_t)number == index)
            return true;
        /* an identifier; what comes after one that is not valid is not shown */
        if (!is_number && (n == 0 || strchr("-", text[0])))
            return false;
        if (!is_number && strncmp(uuid, text, strlen(text)) == 0)
            return true;
        word += n + (word[n] == ',');
    }
    return false;
}

bool wtl_visible_by_speed(const struct wtl_visible_devices *visible)
{
    bool by_number = visible->cuda && visible->cuda[0] >= '0' && visible->cuda[0] <= '9';
    return by_number && !(visible->order && strcmp(visible->order, "PCI_BUS_ID") == 0);
}

/* A list in another order than that of the devices is not followed. */
bool wtl_visible_to_rocm(const struct wtl_visible_devices *visible,
                         int index,
                         const char *uuid,
                         int *shown_by_rocr)
{
    const char *hip = visible->hip ? visible->hip : visible->cuda; /* HIP follows it too */
    if (!wtl_visible_in_list(visible->rocr, index, uuid))
        return false;
    return wtl_visible_in_list(hip, (*shown_by_rocr)++, uuid);
}

/* ZE_AFFINITY_MASK is a list of devices "0" and tiles "1.0". */
bool wtl_visible_to_levelzero(const struct wtl_visible_devices *visible, int index)
{
    char devices[256];
    size_t n = 0;
    bool tile = false;
    for (const char *c = visible->ze; c && *c && n < sizeof devices - 1; c++) {
        tile = *c != ',' && (tile || *c == '.');
        if (!tile)
            devices[n++] = *c;
    }
    devices[n] = '\0';
    return n == 0 || wtl_visible_in_list(devices, index, "");
}
