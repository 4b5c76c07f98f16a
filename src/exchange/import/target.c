/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and prints targets: see target.h. */
#define _GNU_SOURCE
#include "exchange/import/target.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"
#include "exchange/import/unit.h"

static int word_of(const char *const *names, const char *text)
{
    for (int i = 0; names[i]; i++) {
        if (strcmp(names[i], text) == 0)
            return i;
    }
    return -1;
}

/* An integer below 10^6 after a "-"; returns the bytes used, 0 if there is none. */
static size_t take_number(const char *text, int *ret)
{
    uint64_t value;
    int used = text[0] == '-' ? wtl_scan_u64(text + 1, strlen(text + 1), &value) : -EINVAL;
    if (used < 0 || value >= 1000000)
        return 0;
    *ret = (int)value;
    return (size_t)used + 1;
}

size_t wtl_target_read_place(struct wtl_meaning *meaning, const char *text, bool number)
{
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (n == 0 || n >= sizeof meaning->place)
        return 0;
    meaning->has_index = meaning->has_domain = true;
    meaning->index = 0;
    meaning->sub = -1;
    meaning->domain = WATTLE_DOMAIN_OTHER;
    memcpy(meaning->place, text, n);
    meaning->place[n] = '\0';
    for (int i = 0; i < WATTLE_DOMAIN_COUNT; i++) {
        if (strcmp(meaning->place, wattle_domain_name((enum wattle_domain)i)) == 0) {
            meaning->domain = (enum wattle_domain)i;
            meaning->place[0] = '\0';
            break;
        }
    }
    size_t index = take_number(text + n, &meaning->index);
    if (index == 0)
        return number ? 0 : n;
    return n + index + take_number(text + n + index, &meaning->sub);
}

/* "package-0", "core-0-3", "rapl/package-1", "cpu_load-0". */
static int take_place(struct wtl_meaning *meaning, char *text, struct wattle_error *err)
{
    char *slash = strchr(text, '/');
    if (slash) {
        *slash = '\0';
        if (strlen(text) >= sizeof meaning->sensor)
            return wtl_fail(err, -EINVAL, "--column: \"%s\" is too long for a sensor's name", text);
        (void)snprintf(meaning->sensor, sizeof meaning->sensor, "%s", text);
        text = slash + 1;
    }
    size_t used = wtl_target_read_place(meaning, text, false);
    if (used == 0 || text[used])
        return wtl_fail(err, -EINVAL,
                        "--column: \"%s\" is not a place; write a domain and a number such as "
                        "package-0, or a word of a-z, 0-9 and _ such as fan_speed-0",
                        text);
    return 0;
}

/* Parse one word after the place: a quantity, a kind, a quality or a unit, in any order. */
static int take_field(struct wtl_meaning *meaning, const char *text, struct wattle_error *err)
{
    if (strncmp(text, "within ", 7) == 0) {
        (void)snprintf(meaning->within, sizeof meaning->within, "%s", text + 7);
        return 0;
    }
    for (int i = 0; i < WATTLE_QUANTITY_COUNT; i++) {
        if (strcmp(text, wattle_quantity_name((enum wattle_quantity)i)) == 0) {
            meaning->quantity = (enum wattle_quantity)i;
            meaning->has_quantity = true;
            return 0;
        }
    }
    for (int i = 0; i < WATTLE_QUALITY_COUNT; i++) {
        if (strcmp(text, wattle_quality_name((enum wattle_quality)i)) == 0) {
            meaning->quality = (enum wattle_quality)i;
            return 0;
        }
    }
    int kind = word_of(wtl_import_kind_names, text);
    const struct wtl_unit *unit = wtl_unit_find(text, strlen(text));
    if (kind >= 0) {
        meaning->kind = (enum wtl_import_kind)kind;
        return 0;
    }
    if (!unit)
        return wtl_fail(err, -EINVAL,
                        "--column: \"%s\" is not a quantity (energy, power, cpu_time, frequency, "
                        "temperature, count, bytes, ratio, power_limit), unit (J, uJ, kWh, W, mW, "
                        "MHz, C, %%, s, B ...) or kind (counter, delta, gauge, average)",
                        text);
    (void)snprintf(meaning->unit, sizeof meaning->unit, "%s", unit->name);
    meaning->has_unit = true;
    return 0;
}

int wtl_target_take(struct wtl_meaning *meaning, const char *target, struct wattle_error *err)
{
    char copy[160];
    if (snprintf(copy, sizeof copy, "%s", target) >= (int)sizeof copy)
        return wtl_fail(err, -EINVAL, "--column: \"%.40s..\" is too long", target);
    char *rest = copy, *word = strsep(&rest, ":");
    int rc = take_place(meaning, word, err);
    while (rc == 0 && (word = strsep(&rest, ":")) != NULL)
        rc = *word ? take_field(meaning, word, err) : 0;
    const struct wtl_unit *unit =
        meaning->has_unit ? wtl_unit_find(meaning->unit, strlen(meaning->unit)) : NULL;
    if (rc == 0 && unit && !meaning->has_quantity) {
        meaning->quantity = unit->quantity;
        meaning->has_quantity = true;
    }
    enum wattle_quantity asked =
        meaning->quantity == WATTLE_POWER_LIMIT ? WATTLE_POWER : meaning->quantity;
    if (rc == 0 && unit && unit->quantity != asked && unit->quantity != WATTLE_EVENTS)
        return wtl_fail(err, -EINVAL, "--column: \"%s\": %s is not a unit of %s", target,
                        unit->name, wattle_quantity_name(meaning->quantity));
    return rc;
}

void wtl_target_print(const struct wtl_meaning *meaning, const char *name, char *text, size_t size)
{
    const char *colon = strchr(name, ':');
    const char *place = colon ? colon + 1 : name;
    bool own = meaning->sensor[0] != '\0';
    (void)snprintf(text, size, "%s%s%s:%s%s%s:%s%s%s", own ? meaning->sensor : "", own ? "/" : "",
                   place, wattle_quantity_name(meaning->quantity), meaning->unit[0] ? ":" : "",
                   meaning->unit, meaning->kind ? wtl_import_kind_names[meaning->kind] : "gauge",
                   meaning->quality == WATTLE_MEASURED ? "" : ":",
                   meaning->quality == WATTLE_MEASURED ? ""
                                                       : wattle_quality_name(meaning->quality));
}
