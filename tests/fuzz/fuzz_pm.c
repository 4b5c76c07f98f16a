/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of a pmlib peer: as requests to a server, in pieces, with time between them; and as replies to a client. */
#include <stdlib.h>
#include <string.h>

#include "service/pm_peer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t now_ns = 1000000000;

static void read_value(void *context, size_t channel, struct wtl_pm_value *ret)
{
    (void)context;
    *ret = (struct wtl_pm_value){
        .time_ns = now_ns, .energy_j = (double)now_ns * 1e-9, .since_ns = channel};
}

static struct wtl_pm_meter_line lines[3] = {{.name = "a", .description = "x", .channel = 0},
                                            {.name = "b", .channel = 1},
                                            {.name = "c", .channel = 2}};
static struct wtl_pm_meter meter = {.name = "m",
                                    .max_frequency = 100,
                                    .patience_ns = 100000000,
                                    .line_count = 3,
                                    .lines = lines};

static void serve(enum wtl_pm_dialect dialect, const uint8_t *data, size_t size)
{
    struct wtl_pm_service service = {.meters = {.list = &meter, .count = 1, .read = read_value},
                                     .dialect = dialect,
                                     .memory = {.limit = 1 << 16}};
    struct wtl_pm_peer peer;
    wtl_pm_peer_init(&peer, &service, "127.0.0.1");
    for (size_t at = 0; at < size && peer.state != WTL_PM_LEAVING;) {
        size_t room = wtl_pm_peer_room(&peer), n = 1 + data[at] % 64, sent;
        n = n < room ? n : room;
        n = n < size - at ? n : size - at;
        wtl_pm_peer_feed(&peer, data + at, n, now_ns);
        at += n;
        now_ns += (uint64_t)(data[at % size]) * 1000000;
        wtl_pm_peer_tick(&peer, now_ns);
        for (int i = 0; i < 8 && wtl_pm_peer_pull(&peer, &sent); i++)
            wtl_pm_peer_sent(&peer, sent > 700 ? 700 : sent, now_ns);
        if (n == 0 && room == 0)
            break; /* it waits for its reply to be taken */
    }
    if (service.memory.used > service.memory.limit)
        abort();
    wtl_pm_peer_fini(&peer);
    if (service.memory.used != 0)
        abort();
}

static void take_line(void *context, const struct wtl_pm_line *line)
{
    *(size_t *)context += strlen(line->name) + strlen(line->description) + strlen(line->computer);
}

static void understand(const uint8_t *data, size_t size)
{
    enum wtl_pm_dialect dialect = WTL_PM_G2;
    struct wtl_pm_device device;
    struct wtl_pm_data header;
    char name[WTL_PM_TEXT];
    size_t length = 0;
    int found;
    struct wtl_pm_reader from = {.at = data, .size = size};
    while (wtl_pm_list_next(&from, name, &dialect) > 0)
        length += strlen(name);
    from.used = 0;
    (void)wtl_pm_status_read(&from, "m", take_line, &length);
    from.used = 0;
    (void)wtl_pm_info_read(&from, &device);
    from.used = 0;
    (void)wtl_pm_data_read(&from, 1 << 20, &header);
    (void)wtl_pm_stream_dialect(data, size, &found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    serve(WTL_PM_G2, data, size);
    serve(WTL_PM_CPP, data, size);
    understand(data, size);
    return 0;
}
