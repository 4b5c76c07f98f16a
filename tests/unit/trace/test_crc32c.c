/* SPDX-License-Identifier: BSD-3-Clause */
/* CRC-32C against the vectors of RFC 3720, and the instruction against the table. */
#include "tap.h"
#include "trace/blocks/crc32c.h"

int main(void)
{
    uint8_t data[300];
    static const struct {
        int line;
        int fill; /* -1 = rising, -2 = falling */
        uint32_t crc;
    } table[] = {
        {__LINE__, 0x00, 0x8a9136aa},
        {__LINE__, 0xff, 0x62a8ab43},
        {__LINE__, -1, 0x46dd794e},
        {__LINE__, -2, 0x113fdb5c},
    };
    is_int(wtl_crc32c("123456789", 9), 0xe3069283, "the check value");
    is_int(wtl_crc32c("", 0), 0, "of nothing");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        for (int b = 0; b < 32; b++)
            data[b] = (uint8_t)(table[i].fill == -1   ? b
                                : table[i].fill == -2 ? 31 - b
                                                      : table[i].fill);
        tap_line = table[i].line;
        is_int(wtl_crc32c(data, 32), table[i].crc, "32 bytes");
        is_int(wtl_crc32c_portable(data, 32), table[i].crc, "by the table");
    }
    tap_line = 0;
    int differ = 0;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 37 + 11);
    for (size_t at = 0; at < 9; at++)
        for (size_t n = 0; n < 280; n++)
            differ += wtl_crc32c(data + at, n) != wtl_crc32c_portable(data + at, n);
    is_int(differ, 0, "both ways agree at every length and alignment");
    return done_testing();
}
