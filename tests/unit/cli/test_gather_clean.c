/* SPDX-License-Identifier: BSD-3-Clause */
/* What must not leave a machine: which paths are refused, what is replaced in texts, which rows are
 * kept. */
#define _GNU_SOURCE
#include "cli/gather/gather.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

static void test_paths(void)
{
    static const struct {
        int line;
        const char *path;
        bool allowed;
    } rows[] = {
        {__LINE__, "/sys/class/powercap/intel-rapl:0/energy_uj", true},
        {__LINE__, "/sys/devices/platform/serial8250/tty/ttyS0/power_supply/ups0/type", true},
        {__LINE__, "/proc/self/status", true},
        {__LINE__, "/proc/cpuinfo", true},
        {__LINE__, "/dev/cpu/0/msr", true},
        {__LINE__, "/boot/config-6.1.0", true},
        {__LINE__, "/proc/cmdline", false},
        {__LINE__, "/proc/self/cmdline", false},
        {__LINE__, "/proc/17/environ", false},
        {__LINE__, "/proc/17/comm", false},
        {__LINE__, "/proc/self/mounts", false},
        {__LINE__, "/sys/class/dmi/id/product_serial", false},
        {__LINE__, "/sys/class/dmi/id/product_uuid", false},
        {__LINE__, "/sys/class/dmi/id/chassis_asset_tag", false},
        {__LINE__, "/sys/class/power_supply/BAT0/serial_number", false},
        {__LINE__, "/sys/class/power_supply/BAT0/uevent", false},
        {__LINE__, "/sys/class/net/eth0/address", false},
        {__LINE__, "/sys/devices/pci0000:00/net/eth0/address", false},
        {__LINE__, "/etc/passwd", false},
        {__LINE__, "/home/anna/.config/wattle/wattle.conf", false},
        {__LINE__, "/root/x", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        is_int(wtl_gather_allows(rows[i].path), rows[i].allowed, "%s", rows[i].path);
    }
    tap_line = 0;
}

static void test_patterns(void)
{
    static const struct {
        int line;
        const char *text, *becomes;
    } rows[] = {
        {__LINE__, "", ""},
        {__LINE__, "intel-rapl:0:1", "intel-rapl:0:1"},
        {__LINE__, "0000:3b:00.0", "0000:3b:00.0"},
        {__LINE__, "0003:046D:4082.0004", "0003:046D:4082.0004"},
        {__LINE__, "hid-a4:c3:f0:12:34:56-battery", "hid-02:00:00:00:00:01-battery"},
        {__LINE__, "A4-C3-F0-12-34-56", "02:00:00:00:00:01"},
        {__LINE__, "a4:c3:f0:12:34:56:78", "a4:c3:f0:12:34:56:78"},
        {__LINE__, "x 10.1.2.3:/home y", "x 192.0.2.1:/home y"},
        {__LINE__, "6.1.0-13", "6.1.0-13"},
        {__LINE__, "1.2.3.4.5", "1.2.3.4.5"},
        {__LINE__, "300.1.2.3", "300.1.2.3"},
        {__LINE__, "4C4C4544-0042-3510-8051-B7C04F503332", "00000000-0000-0000-0000-000000000001"},
        {__LINE__, "docker-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.scope",
         "docker-id1.scope"},
        {__LINE__, "12345678901234567890123456789012345", "12345678901234567890123456789012345"},
        {__LINE__, "ffffffff,ffffffff,ffffffff,ffffffff", "ffffffff,ffffffff,ffffffff,ffffffff"},
        {__LINE__, "a4:c3:f0:12:34:56 a4:c3:f0:12:34:57 a4:c3:f0:12:34:56",
         "02:00:00:00:00:01 02:00:00:00:00:02 02:00:00:00:00:01"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_gather gather = {0};
        bool changed = false;
        tap_line = rows[i].line;
        char *text = wtl_gather_replace(&gather, rows[i].text, &changed);
        is_str(text, rows[i].becomes, "becomes");
        is_int(changed, strcmp(rows[i].text, rows[i].becomes) != 0, "and it is told");
        free(text);
        wtl_gather_replaced_free(&gather);
    }
    tap_line = 0;
}

static void test_rows(void)
{
    static const struct {
        int line;
        const char *path, *text, *becomes;
    } rows[] = {
        {__LINE__, "/proc/self/status", "Name:\tx\nUid:\t1000\nCapEff:\t0\nSeccomp:\t2\n",
         "CapEff:\t0\nSeccomp:\t2\n"},
        {__LINE__, "/proc/self/cgroup", "0::/user.slice/user-1000.slice/anna\n", "0::/\n"},
        {__LINE__, "/proc/self/cgroup", "0::/kubepods/pod1/x\n", "0::/kubepods\n"},
        {__LINE__, "/proc/cpuinfo", "flags\t: serialize\nSerial\t\t: 00000000abcd\nModel\t: x\n",
         "flags\t: serialize\nModel\t: x\n"},
        {__LINE__, "/proc/self/mountinfo",
         "30 1 8:1 / /home/anna rw - ext4 /dev/sda1 rw\n31 1 0:9 /anna /sys/fs/cgroup rw shared:1 "
         "- "
         "cgroup2 server:/anna rw\n",
         "1 1 0:1 / /sys/fs/cgroup rw - cgroup2 none rw\n"},
        {__LINE__, "/boot/config-6.1.0", "CONFIG_X=\"secret\"\nCONFIG_INTEL_RAPL=m\n",
         "CONFIG_INTEL_RAPL=m\n"},
        {__LINE__, "/sys/x", "17\n", "17\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_gather gather = {0};
        struct wtl_gathered entry = {
            .path = strdup(rows[i].path), .kind = WTL_GATHERED_FILE, .text = strdup(rows[i].text)};
        tap_line = rows[i].line;
        is_int(wtl_gather_clean(&gather, &entry), 0, "is cleaned");
        is_str(entry.text, rows[i].becomes, "becomes");
        is_int(entry.remark != NULL, strcmp(rows[i].text, rows[i].becomes) != 0, "with a remark");
        free(entry.path);
        free(entry.text);
        wtl_gather_replaced_free(&gather);
    }
    tap_line = 0;
}

static void test_dialogues(void)
{
    static const char said[] = "0\ttcp:BMC7.example.org:502\tGET http://bmc7.example.org/\\n\tok\n"
                               "0\tudp:10.1.2.3:5\t?\tI am 10.1.2.3\n"
                               "0\ttcp:[fe80::17]:5\t?\ta4:c3:f0:12:34:56\n"
                               "0\ttcp:127.0.0.1:80\t?\tbmc7\n"
                               "0\texec:meter\t!open\tbmc7.example.orgs\n"
                               "0\texec:wattle-gpu nvml\tread 0 1\\n\t= 5@123 !19@124\\n\t90us\n"
                               "1500us\texec:wattle-gpu nvml\tread 0\\n\t= 5@126\\n\n"
                               "1500us\texec:wattle-gpu nvml\tlist\\n\tdevice 0 name=a@1\\n\n",
                      becomes[] = "0\ttcp:host-3:502\tGET http://host-3/\\n\tok\n"
                                  "0\tudp:192.0.2.1:5\t?\tI am 192.0.2.1\n"
                                  "0\ttcp:[2001:db8::4]:5\t?\t02:00:00:00:00:02\n"
                                  "0\ttcp:127.0.0.1:80\t?\tbmc7\n"
                                  "0\texec:meter\t!open\tbmc7.example.orgs\n"
                                  "0\texec:wattle-gpu nvml\tread 0 1\\n\t= "
                                  "5@\\{1000000000000+1000000000/s} "
                                  "!19@\\{1000000000000+1000000000/s}\\n\t90us\n"
                                  "1500us\texec:wattle-gpu nvml\tread 0\\n\t= "
                                  "5@\\{1000001500000+1000000000/s}\\n\n"
                                  "1500us\texec:wattle-gpu nvml\tlist\\n\tdevice 0 name=a@1\\n\n";
    struct wtl_gather gather = {.dialogues = strdup(said)};
    is_int(wtl_gather_clean_dialogues(&gather), 0, "dialogues");
    is_str(gather.dialogues, becomes, "without the names of hosts");
    wtl_gather_fini(&gather);
    is_int(wtl_gather_clean_dialogues(&gather), 0, "none");
}

int main(void)
{
    test_dialogues();
    test_paths();
    test_patterns();
    test_rows();
    return done_testing();
}
