# SPDX-License-Identifier: BSD-3-Clause
"""A recording in each format, after the formats' manuals, and the joules in it, summed up here from the same numbers by other code.

samples() gives (format, file name, text, options, {place: joules}, total in joules or None). Energies follow from the definition of
each kind: a counter is its last value minus its first; increments are added up; a mean holds over its window; a gauge is integrated by
trapezoids.
"""
import datetime
import json
import random

N = 30
T0 = 1767225600  # 2026-01-01T00:00:00Z


def series(seed, mean, spread):
    rng = random.Random(seed)
    return [round(mean + spread * (rng.random() - 0.5), 2) for _ in range(N)]


def gauge(values, times):
    return sum((a + b) / 2 * (u - t) for a, b, t, u in zip(values, values[1:], times, times[1:]))


def means(values, times, first):
    return values[0] * first + sum(v * (u - t) for v, t, u in zip(values[1:], times, times[1:]))


def total(increments, start=0.0):
    out = []
    for value in increments:
        start += value
        out.append(round(start, 6))
    return out


def iso(t, form="%Y-%m-%d %H:%M:%S.%f"):
    return datetime.datetime.fromtimestamp(t, datetime.timezone.utc).strftime(form)


def samples():
    t = [T0 + i for i in range(N)]
    a, b, c = series(1, 90, 30), series(2, 60, 20), series(3, 12, 4)
    ea, eb, ec = total(a, 5000), total(b, 700), total(c, 1)
    used_a, used_b, used_c = ea[-1] - ea[0], eb[-1] - eb[0], ec[-1] - ec[0]
    ga, gb, gc = gauge(a, t), gauge(b, t), gauge(c, t)

    lines = ["Step,Node,ElapsedTime,EpochTime,Power,Joules"] + [f"0,n1,{i},{t[i]},{round(a[i])},{ea[i]:.6f}" for i in range(N)]
    joules = sum(round(v) for v in a[1:])
    yield "sh5util", "extract_7.csv", lines, [], {"node-0": joules}, joules

    lines = ["# started on Thu Jan  1 00:00:00 2026", ""]
    for i in range(N):
        for s, v in (("S0", a[i]), ("S1", b[i])):
            lines.append(f"{i + 1:6d}.000100000,{s},8,{v:.2f},Joules,power/energy-pkg/,1000100000,100.00,,")
            lines.append(f"{i + 1:6d}.000100000,{s},8,<not supported>,,cycles,0,100.00,,")
    yield "perf_csv", "perf.txt", lines, [], {"package-0": sum(a), "package-1": sum(b)}, sum(a) + sum(b)
    lines = [f"{i + 1:6d}.000100000,{a[i]:.2f},Joules,power/energy-pkg/,1,100.00,," for i in range(N)]
    yield "perf_csv", "perf-one.txt", lines, [], {"package-0": sum(a)}, sum(a)
    lines = ["#           time             counts unit events"]
    for i in range(N):
        lines += [f"{i + 1:6d}.000100000 {a[i]:18.2f} Joules power/energy-pkg/", f"{i + 1:6d}.000100000 {c[i]:18.2f} Joules power/energy-cores/",
                  f"{i + 1:6d}.000100000 {1234567 + i:18,d}      instructions              #    0.97  insn per cycle"]
    yield "perf_text", "perf-i.txt", lines, [], {"package-0": sum(a), "core-0": sum(c)}, sum(a)
    lines = ["", " Performance counter stats for 'system wide':", "", "            223.65 Joules power/energy-pkg/", "",
             "       2.040030000 seconds time elapsed"]
    yield "perf_totals", "perf-totals.txt", lines, [], {"package-0": 223.65}, 223.65
    lines = []
    for i in range(N):
        lines.append(json.dumps({"interval": round(i + 1.0001, 6), "socket": "S0", "counter-value": f"{a[i]:.2f}", "unit": "Joules",
                                 "event": "power/energy-pkg/", "event-runtime": 1}))
        lines.append(json.dumps({"interval": round(i + 1.0001, 6), "socket": "S1", "counter-value": f"{b[i]:.2f}", "unit": "Joules",
                                 "event": "power/energy-pkg/", "event-runtime": 1}))
    yield "perf_json", "perf.json", lines, [], {"package-0": sum(a), "package-1": sum(b)}, sum(a) + sum(b)

    head = "Package\tCore\tCPU\tAvg_MHz\tBusy%\tBzy_MHz\tPkgWatt\tCorWatt\tRAMWatt"
    lines = ["turbostat version 2023.03.17 - Len Brown <lenb@kernel.org>", "CPUID(0): GenuineIntel 0x16 CPUID levels"]
    for i in range(N):
        lines += [head, f"-\t-\t-\t1200\t40.00\t3000\t{a[i] + b[i]:.2f}\t{2 * c[i]:.2f}\t{c[i]:.2f}",
                  f"0\t0\t0\t1200\t40.00\t3000\t{a[i]:.2f}\t{c[i]:.2f}\t{c[i]:.2f}", "0\t1\t1\t1200\t40.00\t3000",
                  f"1\t0\t2\t1200\t40.00\t3000\t{b[i]:.2f}\t{c[i]:.2f}\t0.00", "1\t1\t3\t1200\t40.00\t3000"]
    yield "turbostat", "turbostat.txt", lines, ["--time", "every:2s"], {"package-0": 2 * sum(a), "package-1": 2 * sum(b)}, None
    lines = ["Time_Of_Day_Seconds\tAvg_MHz\tBusy%\tBzy_MHz\tPkg_J"] + [f"{t[i]}.000000\t1200\t40.00\t3000\t{a[i]:.2f}" for i in range(N)]
    yield "turbostat", "summary.txt", lines, [], {"package-0": sum(a)}, sum(a)

    for n in (1, 3, 8):
        lines = ["timestamp, index, name, utilization.gpu [%], power.draw [W]"]
        for i in range(N):
            lines += [f"{iso(t[i] + 0.001 * g, '%Y/%m/%d %H:%M:%S.%f')[:-3]}, {g}, NVIDIA A100, 55 %, {a[i] + g:.2f} W" for g in range(n)]
        want = {f"gpu-{g}": gauge([v + g for v in a], t) for g in range(n)}
        yield "nvidia_smi", f"gpus{n}.csv", lines, [], want, sum(want.values())
    lines = ["timestamp, name, pci.bus_id, power.draw [W]"]
    for i in range(N):
        for bus, v in (("00000000:65:00.0", a[i]), ("00000000:66:00.0", b[i])):
            lines.append(f"{iso(t[i], '%Y/%m/%d %H:%M:%S.%f')[:-3]}, NVIDIA A100, {bus}, {v:.2f} W")
    yield "nvidia_smi_bus", "bus.csv", lines, [], {"gpu-0": ga, "gpu-1": gb}, ga + gb
    lines = ["#Date       Time        gpu    pwr  gtemp  mtemp", "#YYYYMMDD   HH:MM:SS    Idx      W      C      C"]
    for i in range(N):
        for g, v in ((0, a[i]), (1, b[i])):
            lines.append(f" {iso(t[i], '%Y%m%d   %H:%M:%S')}      {g}     {v:.0f}     51      -")
    ra, rb = [float(f"{v:.0f}") for v in a], [float(f"{v:.0f}") for v in b]
    yield "nvidia_dmon", "dmon.txt", lines, [], {"gpu-0": gauge(ra, t), "gpu-1": gauge(rb, t)}, None
    lines = ["timestamp,device,Average Graphics Package Power (W)"]
    for i in range(N):
        lines += [f"{t[i]},card0,{a[i]}", f"{t[i]},card1,{b[i]}"]
    yield "rocm_smi", "rocm.csv", lines, [], {"gpu-0": ga, "gpu-1": gb}, ga + gb
    for n in (1, 8):
        # As printed in a loop: no times, the header each time, empty lines between, units in the cells.
        lines = []
        for i in range(N):
            lines += ["device,Current Socket Graphics Package Power"] + [f"card{g},{a[i] + g:.2f} W" for g in range(n)] + [""]
        want = {f"gpu-{g}": gauge([v + g for v in a], t) for g in range(n)}
        yield "rocm_smi", f"rocm{n}.csv", lines, ["--time", "every:1s"], want, sum(want.values())
    lines = ["timestamp,gpu,socket_power,gfx_voltage"]
    for i in range(N):
        lines += [f"{t[i]},{g},{a[i] + g:.2f},800" for g in range(4)]
    want = {f"gpu-{g}": gauge([v + g for v in a], t) for g in range(4)}
    yield "amd_smi", "amd.csv", lines, [], want, sum(want.values())

    lines, window = ["Machine model: MacBookPro17,1"], [1000.0 + i for i in range(N)]
    for i in range(N):
        lines += ["", f"*** Sampled system activity ({datetime.datetime.fromtimestamp(t[i], datetime.timezone.utc).strftime('%a %b %d %H:%M:%S %Y')} +0000) ({window[i]:.2f}ms elapsed) ***",
                  "", "**** Processor usage ****", "", f"E-Cluster Power: {c[i] * 1000:.0f} mW", f"DRAM Power: {c[i] * 1000:.0f} mW",
                  f"Package Power: {a[i] * 1000:.0f} mW", "", "**** GPU usage ****", ""]
    yield "powermetrics", "powermetrics.txt", lines, [], {"package-0": means(a, t, 1.0), "e_cluster-0": means(c, t, 1.0)}, means(a, t, 1.0)
    lines = ["Running for 60.0 seconds", "  Time    User  Nice   Sys  Idle    IO  Run Ctxt/s  IRQ/s Fork Exec Exit  Watts"]
    lines += [f"{iso(t[i], '%H:%M:%S')}   0.1   0.0   0.1  99.8   0.0    1    304    108    0    0    0  {a[i]:.2f}" for i in range(N)]
    lines += ["-------- ----- ----- ----- ----- ----- ---- ------ ------ ---- ---- ---- ------", " Average   0.1   0.0   0.1  99.7   0.0  1.1  273.9   79.5  0.3  0.3  0.0   2.00",
              "-------- ----- ----- ----- ----- ----- ---- ------ ------ ---- ---- ---- ------", "Summary:", "System:   2.00 Watts on average with standard deviation 0.12"]
    yield "powerstat", "powerstat.txt", lines, [], {"node-0": sum(a[1:])}, sum(a[1:])
    lines = [f"{iso(t[i], '%m-%d-%Y %H:%M:%S')} RAM 3421/30697MB (lfb 5963x4MB) CPU [1%@729,0%@729] VDD_IN {a[i] * 1000:.0f}mW/{a[i] * 1000:.0f}mW VDD_CPU_CV {c[i] * 1000:.0f}mW/{c[i] * 1000:.0f}mW"
             for i in range(N)]
    yield "tegrastats", "tegra.txt", lines, [], {"node-0": ga, "cpu_rail-0": gc}, ga
    lines = []
    for i in range(N):
        stamp = datetime.datetime.fromtimestamp(t[i], datetime.timezone.utc).strftime("%a %b %d %H:%M:%S %Y")
        lines += ["", f"    Instantaneous power reading:                   {a[i]:.0f} Watts", "    Minimum during sampling period:                 70 Watts",
                  f"    IPMI timestamp:                           {stamp}", "    Power reading state is:                   activated", ""]
    yield "ipmitool_dcmi", "dcmi.txt", lines, [], {"node-0": gauge(ra, t)}, gauge(ra, t)
    lines = []
    for i in range(N):
        lines += [f"{t[i]} | PS1 Input Power | {ra[i]:.0f} Watts | ok", f"{t[i]} | PS2 Input Power | {rb[i]:.0f} Watts | ok"]
    yield "ipmitool", "sdr.txt", lines, [], {"psu-0": gauge(ra, t), "psu-1": gauge(rb, t)}, None

    lines = ['Date,Time,"CPU Package Power [W]","IA Cores Power [W]","GPU Power [W]","PL1 Power Limit [W]"']
    lines += [f"1.1.2026,{iso(t[i], '%H:%M:%S.%f')[:-3]},{a[i]},{c[i]},{b[i]},125.0" for i in range(N)]
    lines += [lines[0], ',,"CPU [#0]: Intel Core i7: Enhanced","CPU [#0]: Intel Core i7: Enhanced","GPU [#0]: NVIDIA","CPU [#0]"']
    yield "hwinfo", "hwinfo.csv", lines, [], {"package-0": ga, "core-0": gc, "gpu-0": gb}, ga + gb
    lines = ["System Time,RDTSC,Elapsed Time (sec), CPU Utilization(%),CPU Frequency_0(MHz),Processor Power_0(Watt),Cumulative Processor Energy_0(Joules),Cumulative Processor Energy_0(mWh),IA Power_0(Watt),Cumulative IA Energy_0(Joules),Package PL1_0(Watt)"]
    lines += [f"00:00:{i:02d}:000,{i},{i}.000,10.0,2400,{a[i]},{ea[i]},{ea[i] / 3.6:.3f},{c[i]},{ec[i]},45.0" for i in range(N)]
    lines += ["", "Total Elapsed Time (sec) = 29.0", "Measured RDTSC Frequency (GHz) = 2.4", "", "Cumulative Processor Energy_0 (Joules) = 2600.0"]
    yield "power_gadget", "gadget.csv", lines, [], {"package-0": used_a, "core-0": used_c}, used_a
    lines = ["Delta,Time,CORE0_ENERGY (J),CORE0_FREQ (MHZ),CORE10_ENERGY (J),PACKAGE_ENERGY (J)"]
    lines += [f"1000,{t[i] * 1000},{ec[i]},2400,{ec[i]},{ea[i]}" for i in range(N)]
    yield "energibridge", "bridge.csv", lines, [], {"package-0": used_a}, used_a
    lines = ["timestamp,project_name,run_id,experiment_id,duration,emissions,emissions_rate,cpu_power,gpu_power,ram_power,cpu_energy,gpu_energy,ram_energy,energy_consumed"]
    lines += [f"{iso(t[0] + 100 * i, '%Y-%m-%dT%H:%M:%S')},p,r{i},e,60.0,0.1,0.1,{a[i]},{b[i]},3.0,{a[i] * 60 / 3.6e6:.12f},{b[i] * 60 / 3.6e6:.12f},{c[i] / 3.6e6:.12f},0.5" for i in range(N)]
    yield "codecarbon", "emissions.csv", lines, [], {"package-0": 60 * sum(a), "gpu-0": 60 * sum(b)}, None
    doc = [{"host": {"consumption": a[i] * 1e6, "timestamp": t[i] + 0.25}, "consumers": [{"pid": 1, "consumption": 5e5}],
            "sockets": [{"id": 0, "consumption": c[i] * 1e6, "domains": [], "timestamp": t[i] + 0.25}]} for i in range(N)]
    yield "scaphandre", "one-line.json", [json.dumps(doc, separators=(",", ":"))], [], {"node-0": ga}, ga
    yield "scaphandre", "scaphandre.json", ["["] + [json.dumps(d, separators=(",", ":")) + ("," if d is not doc[-1] else "") for d in doc] + ["]"], [], {"node-0": ga}, ga
    lines = []
    for i in range(N):
        lines += ["# TYPE kepler_node_cpu_joules_total counter",
                  f'kepler_node_cpu_joules_total{{zone="package",path="/sys/class/powercap/intel-rapl:0"}} {ea[i]} {t[i] * 1000}',
                  f'kepler_node_cpu_joules_total{{zone="package",path="/sys/class/powercap/intel-rapl:1"}} {eb[i]} {t[i] * 1000}',
                  f'kepler_node_cpu_joules_total{{zone="dram",path="/sys/class/powercap/intel-rapl:0:1"}} {ec[i]} {t[i] * 1000}']
    yield "kepler", "metrics.txt", lines, [], {"package-0": used_a, "package-1": used_b, "dram-0": used_c}, used_a + used_b + used_c
    doc = {"status": "success", "data": {"resultType": "matrix", "result": [
        {"metric": {"__name__": "kepler_node_cpu_joules_total", "zone": z, "path": p}, "values": [[t[i], str(e[i])] for i in range(N)]}
        for z, p, e in (("package", "intel-rapl:0", ea), ("package", "intel-rapl:1", eb), ("dram", "intel-rapl:0:0", ec))]}}
    yield "prometheus", "range.json", [json.dumps(doc, separators=(",", ":"))], [], {"package-0": used_a, "package-1": used_b, "dram-0": used_c}, None
    lines = ["timestamp,sensor,target,power"]
    for i in range(N):
        lines += [f"{t[i] * 1000},s,all,{a[i]}", f"{t[i] * 1000},s,firefox,{b[i]}"]
    yield "powerapi", "powerapi.csv", lines, [], {"other-0": means(a, t, 0), "other-1": means(b, t, 0)}, None
    lines = ["Date,CPU Utilization,Total Power,CPU Power,GPU Power"]
    lines += [f"{iso(t[i], '%Y-%m-%d %H:%M:%S')},0.5,{a[i] + b[i]:.2f},{a[i]},{b[i]}" for i in range(N)]
    yield "joularjx", "joular.csv", lines, [], {"package-0": means(a, t, 0), "gpu-0": means(b, t, 0)}, None
    wh = [round(e / 3600, 9) for e in ea]
    lines = [json.dumps({"id": 0, "output": True, "apower": a[i], "voltage": 230.1, "aenergy": {"total": wh[i], "by_minute": [1.0, 2.0, 3.0], "minute_ts": t[i]}}) for i in range(N)]
    yield "shelly", "shelly.json", lines, [], {"node-0": (wh[-1] - wh[0]) * 3600}, (wh[-1] - wh[0]) * 3600
    wm = [round(e / 60) for e in total([60 * x for x in a])]
    lines = [json.dumps({"unixtime": t[i] + 60 * i, "relays": [{"ison": True}], "meters": [{"power": a[i], "is_valid": True, "total": wm[i]}]}) for i in range(N)]
    yield "shelly_gen1", "gen1.json", lines, [], {"node-0": (wm[-1] - wm[0]) * 60}, None
    lines = [f'{iso(t[i])} tele/plug/SENSOR = ' + json.dumps({"Time": iso(t[i], "%Y-%m-%dT%H:%M:%S"), "ENERGY": {"Total": 12.345, "Power": a[i], "Period": 1}}, separators=(",", ":")) for i in range(N)]
    yield "tasmota", "tasmota.log", lines, [], {"node-0": ga}, ga
    lines = ["# time dt total"] + ["S " + f"{i}.000 1000 {a[i]}" for i in range(N)]
    yield "powersensor3", "ps3.txt", lines, [], {"node-0": ga}, ga
    lines = ["Timestamp,Volt,Amp,Watt,Watt-Hour"] + [f"{t[i]},230.1,0.4,{a[i]},{0.1 * (i // 10):.1f}" for i in range(N)]
    yield "wattsup", "wattsup.csv", lines, [], {"node-0": ga}, ga
    m = [T0 + 60 * i for i in range(N)]
    lines = ["DateTime;Voltage/V;Current/A;Power Factor;Actual Consumption/W;Apparent Consumption/W"]
    lines += [f"{iso(m[i], '%d/%m/%Y %H:%M')};230,1;0,4;0,95;{str(a[i]).replace('.', ',')};95,0" for i in range(N)]
    yield "voltcraft", "voltcraft.csv", lines, [], {"node-0": means(a, m, 0)}, None
    lines = [f"power,host=n1,socket={s} package_power_w={v[i]} {t[i]}000000000" for i in range(N) for s, v in ((0, a), (1, b))]
    yield "influx", "influx.txt", lines, [], {}, ga + gb
    lines = ["t_ps,occ_power_proc.0.energy [J]"] + [f"{i}000000000000,{ea[i]}" for i in range(N)]
    yield "otf2_csv", "otf2.csv", lines, [], {"package-0": used_a}, used_a
    lines = ["TIME STAMP,GPU UTIL,GPU SCLK,GPU BRD PWR,GPU TEMP,CPU POWER", "N/A,50,2000,99,60,88"]
    lines += [f"{iso(t[i])[:-3]},50,2000,{a[i]},60,{b[i]}" for i in range(N)]
    yield "adrenalin", "adrenalin.csv", lines, [], {"gpu-0": ga, "package-0": gb}, ga + gb
