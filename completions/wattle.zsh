#compdef wattle
# SPDX-License-Identifier: BSD-3-Clause
# Completion of wattle for zsh. Options stand in the tables of src/cli.

_wattle_counter_sets() {
    compadd -- $(wattle counters 2>/dev/null | awk 'NF == 0 { exit } NR > 1 { print $1 }')
}

_wattle_sensors() {
    local -a names
    names=(all ${(f)"$(wattle sensors --no-probe --sensor all --format csv 2>/dev/null | sed '1d; s/,.*//' | sort -u)"})
    _values -s , sensor $names
}

# The commands of ab: behind the last "--" one begins.
_wattle_turns() {
    local i=${words[(I)--]}
    if (( i > 0 && i < CURRENT )); then
        shift $i words
        (( CURRENT -= i ))
    fi
    _normal
}

_wattle_pose_first() {
    compadd calibrate
    _files -g '*.wtl'
}

_wattle() {
    local -a verbs
    verbs=(
        'run:measure the energy of a command, a process or the machine'
        'start:start measuring in the background, for scripts'
        'mark:start the next stage of a "wattle start" measurement'
        'stop:stop a "wattle start" measurement and print its result'
        'sensors:list sensors, and why some cannot be read'
        'counters:list counter sets, and what this machine counts'
        'doctor:find what prevents measuring, and how to fix it'
        'characterize:what the power sensor of a GPU does: period, window, delay'
        'gather:save what wattle sees on this machine, for a bug report'
        'top:show power and energy of machine and processes, live'
        'stats:print the result of a run from its trace'
        'report:create an HTML page or a figure from traces'
        'phases:find phases of a run in its counters'
        'tasks:what each type of task of a run costs'
        'predict:which known run this is, and its energy at the end'
        'cite:describe a measurement for a paper'
        'compare:compare two runs, or two groups of repeats'
        'ab:compare the energy of two commands in pairs until it is clear'
        'check:check the energy of a command against a base, for CI'
        'sweep:energy against time of a command at several frequencies'
        'pose:decide whether to optimise power or run time'
        'reduce:align and sum the traces of all nodes of a run'
        'export:write a trace'\''s samples, regions or events for other programs'
        'import:create a trace from recordings of other programs'
        'repair:repair traces cut off by a crash or a full disk'
        'jobs:energy of jobs\: what they used, and what it costs'
        'knobs:list settings of frequency and power, and who may change them'
        'hold:change frequency or power limits while a command runs'
        'restore:restore frequency and power settings that a killed wattle left'
        'allow:let a user read the energy of this node'
        'deny:undo "wattle allow"'
        'config:show every setting, its value and its origin'
        'help:show the help of a verb'
    )
    if (( CURRENT == 2 )); then
        _describe verb verbs
        return
    fi
    local verb=$words[2]
    shift words
    (( CURRENT-- ))
    case $verb in
    run)
        _arguments -S -A '-*' \
            '(-i --interval)'{-i,--interval}'[sample every DUR]:dur: ' \
            '(-s --sensor)'{-s,--sensor}'[use only these sensors\: NAME\[\:key=value\]]:list:_wattle_sensors' \
            '(-o --output)'{-o,--output}'[write the trace to FILE]:file:_files' \
            '--force[overwrite existing files]' \
            '--no-trace[write no trace]' \
            '--record[also record the run for "wattle jobs"]' \
            '--sync[sync the trace to disk, so that it survives a power failure]' \
            '--result[write the result there]:file:_files' \
            '--format[output format]:format:(text json csv)' \
            '(-r --repeat)'{-r,--repeat}'[run the command N times]:n: ' \
            '--passes[run it N times at shifted phases of a part-time gauge]:n: ' \
            '--ignore-failure[continue when the command fails, and count the run]' \
            '--warmup[first run the command N times unmeasured]:n: ' \
            '--cooldown[pause DUR before each run]:dur: ' \
            '--idle[measure the idle machine for DUR before and after]:dur: ' \
            '--require[fail before the start if energy is only estimated]:measured:(measured)' \
            '(-p --pid)'{-p,--pid}'[measure until process PID ends]:pid:_pids' \
            '--cgroup[measure a control group]:path:_directories' \
            '(-a --all)'{-a,--all}'[measure the machine]' \
            '--duration[stop measuring after DUR]:dur: ' \
            '(-I --print)'{-I,--print}'[print a line every DUR while measuring]:dur: ' \
            '(-D --delay)'{-D,--delay}'[start measuring MS milliseconds after the command]:ms: ' \
            '--counters[also record a set of counters]:set:_wattle_counter_sets' \
            '--counters-interval[read counters every DUR]:dur: ' \
            '--counters-scope[what to count for]:scope:(auto machine tree cgroup)' \
            '--work[the command does N units of work\: print J per UNIT]:n unit: ' \
            '*--label[label to find and group runs by]:key=value: ' \
            '--sampler-cpu[pin the sampler to CPU N]:n: ' \
            '--freq[set the frequency]:frequency:(min max)' \
            '--governor[set the cpufreq governor]:governor:(performance powersave userspace ondemand schedutil)' \
            '--epp[set the energy performance preference]:preference:(performance balance_performance balance_power power default)' \
            '--turbo[allow turbo frequencies, or not]:turbo:(on off)' \
            '--power-limit[limit the power of each package]:watts: ' \
            '--uncore[set the frequency of caches and mesh]:frequency:(min max)' \
            '--cpus[change settings of these CPUs only]:list: ' \
            '--on-phase[run CMD when a phase begins or is expected]:command:_files' \
            '--on-phase-interval[run it at most every DUR]:dur: ' \
            '--on-phase-ahead[also run it DUR before a phase that is expected]:dur: ' \
            '--on-phase-model[expect what this model knows]:model:_files' \
            '--tasks=-[record tasks, states of threads and MPI messages]::what:(all summary)' \
            '--tasks-limit[what these may take on disk before they become a summary]:size:(100M 1G 10G 0)' \
            '--tasks-runtime[OpenMP runtime to preload]:runtime:_files' \
            '--tasks-counters[counters to read at each border of a task]:set: ' \
            '--mpi[record MPI ranks, clocks and time]:when:(auto on off)' \
            '--no-edges[do not wait for counter updates at start and end]' \
            '(-v --verbose)'{-v,--verbose}'[also print energy x time, memory, gaps and the cost of wattle]' \
            '(-q --quiet)'{-q,--quiet}'[print no result and no warnings]' \
            '--host[use a recorded host instead of this machine]:dir:_directories' \
            '(-h --help)'{-h,--help}'[show this help and exit]' \
            '(-)1:command:_command_names -e' \
            '*::argument:_normal'
        ;;
    start)
        _arguments -S \
            '(-i --interval)'{-i,--interval}'[sample every DUR]:dur: ' \
            '(-s --sensor)'{-s,--sensor}'[only these\: NAME\[\:key=value\]]:list:_wattle_sensors' \
            '(-o --output)'{-o,--output}'[write the trace to FILE]:file:_files' \
            '--force[overwrite existing files]' \
            '--sync[sync the trace to disk, so that it survives a power failure]' \
            '*--label[label to find and group runs by]:key=value: ' \
            '--format[output format of stop]:format:(text json csv)' \
            '--require[fail if energy is only estimated]:measured:(measured)' \
            '--sampler-cpu[pin the sampler to CPU N]:n: ' \
            '--no-edges[do not wait for counter updates at start and end]' \
            '--export[print environment settings with which programs record regions]' \
            '--watch[stop when process PID ends]:pid:_pids' \
            '(-q --quiet)'{-q,--quiet}'[print no warnings and no start message]' \
            '(-h --help)'{-h,--help}'[show this help and exit]'
        ;;
    mark)
        _arguments -S \
            '--end[end the current stage without starting another]' \
            '(-h --help)'{-h,--help}'[show this help and exit]' \
            '*: :'
        ;;
    stop)
        _arguments -S \
            '--format[output format]:format:(text json csv)' \
            '(-v --verbose)'{-v,--verbose}'[also print energy x time, memory, gaps and the cost of wattle]' \
            '(-h --help)'{-h,--help}'[show this help and exit]'
        ;;
    sensors)
        _arguments -S \
            '(-s --sensor)'{-s,--sensor}'[only these\: NAME\[\:key=value\]]:list:_wattle_sensors' \
            '--format[output format]:format:(text json csv)' \
            '--no-probe[do not measure read cost and update rate]' \
            '--host[show a recorded host instead of this machine]:dir:_directories' \
            '(-h --help)'{-h,--help}'[show this help and exit]' \
            '*: :'
        ;;
    counters)
        _arguments -S \
            '--format[text or json]:format:(text json)' \
            '--host[show a recorded host instead of this machine]:dir:_directories' \
            '(-h --help)'{-h,--help}'[show this help and exit]' \
            '1:set:_wattle_counter_sets'
        ;;
    doctor)
        _arguments -S \
            '(-a --all)'{-a,--all}'[also show checks that passed or do not apply]' \
            '--format[output format]:format:(text json)' \
            '--host[check a recorded host instead of this machine]:dir:_directories' \
            '(-h --help)'{-h,--help}'[show this help and exit]' \
            '*: :'
        ;;
    characterize)
        _arguments -S \
            '--channel[the gauge]:name:' \
            '--load-shape[the load during the recording]:file:_files' \
            '--device[run the load on this GPU]:device:' \
            '--period[a guess of the period]:duration:' \
            '--hold[length of the long steps]:duration:' \
            '(-o --output)'{-o,--output}'[store in this file]:file:_files' \
            '--no-store[only print]' \
            '--format[output format]:format:(text json csv)' \
            '(-h --help)'{-h,--help}'[show this help and exit]' \
            '1:device:(gpu)' '2:recording:_files'
        ;;
    gather)
        _arguments -S \
            '(-o --output)'{-o,--output}'[save to this folder]:dir:_files' \
            '--force[replace a folder saved by an earlier gather]' \
            '(-l --list)'{-l,--list}'[print what would be saved, and exit]' \
            '(-y --yes)'{-y,--yes}'[save without asking]' \
            '--host[gather from a recorded host instead of this machine]:dir:_directories' \
            '(-h --help)'{-h,--help}'[show this help and exit]' \
            '*: :'
        ;;
    top)
        _arguments -S \
            '(-i --interval)'{-i,--interval}'[update every DUR]:dur: ' \
            '(-n --count)'{-n,--count}'[exit after N updates]:n: ' \
            '(-b --batch)'{-b,--batch}'[print lines instead of a full-screen view]' \
            '--format[output format]:format:(text json csv)' \
            '--sort[sort processes by KEY]:key:(power energy cpu name pid user)' \
            '--filter[show only processes with TEXT in command or user]:text: ' \
            '--processes[number of processes in json and csv]:n: ' \
            '--no-processes[do not show processes]' \
            '--idle[idle power in watts]:w: ' \
            '(-s --sensor)'{-s,--sensor}'[use only these sensors\: NAME\[\:key=value\]]:list:_wattle_sensors' \
            '--sample[sample the sensors every DUR]:dur: ' \
            '(-o --output)'{-o,--output}'[also write a trace to FILE]:file:_files' \
            '--force[overwrite an existing file]' \
            '--ascii[use ASCII characters only]' \
            '--host[show a recorded host instead of this machine]:dir:_directories' \
            '(-h --help)'{-h,--help}'[show this help and exit]' \
            '1:trace:_files -g "*.wtl"'
        ;;
    stats)
        _arguments -S \
            '--format[output format]:format:(text json csv)' \
            '--regions[also print the energy of each region]' \
            '--repeats[treat the traces as repeats of one measurement]' \
            '(-v --verbose)'{-v,--verbose}'[also print energy x time, memory, gaps and the cost of wattle]' \
            '(-h --help)'{-h,--help}'[show this help and exit]' \
            '*:trace:_files -g "*.wtl"'
        ;;
    phases)
        if (( CURRENT > 2 )) && [[ $words[2] == learn ]]; then
            shift words; (( CURRENT-- ))
            _arguments -S \
                '(-o --output)'{-o,--output}'[write the model to MODEL]:model:_files' \
                '--force[overwrite MODEL]' \
                '--name[name of all these runs]:name: ' \
                '--platform[where they ran]:name: ' \
                '--method[how changes are found]:method:(focus np-focus pelt paper)' \
                '--row[look for changes in rows of DUR]:dur: ' \
                '--step[letters of this length]:dur:(15s)' \
                '--alike[phases whose rates differ by less are the same letter]:percent:(15%)' \
                '--idle[phases with fewer cache misses per cycle are XXX]:beta: ' \
                '--calibrate-idle[find that limit from a run on the idle machine]:trace:_files -g "*.wtl"' \
                '(-h --help)'{-h,--help}'[show this help and exit]' \
                '*:trace:_files -g "*.wtl"'
            return
        elif (( CURRENT > 2 )) && [[ $words[2] == graph ]]; then
            shift words; (( CURRENT-- ))
            _arguments -S \
                '(-o --output)'{-o,--output}'[write to FILE]:file:_files' \
                '--format[output format]:format:(svg dot json)' \
                '--node[transitions of node N of each run]:n: ' \
                '--force[overwrite FILE]' \
                '(-h --help)'{-h,--help}'[show this help and exit]' \
                '1:model:_files'
            return
        fi
        _arguments -S \
            '--method[how changes are found]:method:(focus np-focus pelt paper)' \
            '--row[look for changes in rows of DUR]:dur: ' \
            '--min-length[no phase is shorter than DUR]:dur: ' \
            '--window[paper\: rows of the window]:n: ' \
            '--sliding[paper\: the window slides instead of growing]' \
            '--top[paper\: compare the K counters with the largest correlation]:k: ' \
            '--significance[paper\: compare the counters that a regression finds significant]:percent:(5%)' \
            '--node[only this node of the run]:node: ' \
            '--model[the letters of this model]:model:_files' \
            '--idle[letters with fewer cache misses per cycle are XXX]:beta: ' \
            '--dna[print the letters with their durations]' \
            '--step[letters of this length]:dur:(15s)' \
            '--sorted[counters of a letter in the order of the set]' \
            '(-o --plot)'{-o,--plot}'[draw power and phases to FILE]:file:_files' \
            '--size[size of the figure]:mm:(85 120 174x60)' \
            '--dpi[resolution of a PNG in dpi]:n:(300 600)' \
            '--title[title above the figure]:text: ' \
            '--force[overwrite an existing file]' \
            '--format[output format]:format:(text json csv)' \
            '(-v --verbose)'{-v,--verbose}'[also print what the energy leaves out]' \
            '(-h --help)'{-h,--help}'[show this help and exit]' \
            '1:trace or action:{_files -g "*.wtl"; compadd learn graph}' \
            '*:trace:_files -g "*.wtl"'
        ;;
    predict)
        _arguments -S \
            '--partial[use only the first part of the trace]:percent:(20%)' \
            '--follow[predict while the trace is written]' \
            '--every[how often]:dur: ' \
            '*--platform[also what it would take there]:platform or model:_files' \
            '--here[platform on which the run was recorded]:name: ' \
            '--derive[energy so far from counters alone]' \
            '--idle[power of the idle system]:watts: ' \
            '(-o --plot)'{-o,--plot}'[draw energy so far and to the end to FILE]:file:_files' \
            '--force[overwrite an existing file]' \
            '--format[output format]:format:(text json csv)' \
            '(-v --verbose)'{-v,--verbose}'[also print all letters to come]' \
            '(-h --help)'{-h,--help}'[show this help and exit]' \
            '1:model:_files' \
            '2:trace:_files -g "*.wtl"'
        ;;
    tasks)
        if [[ $words[2] == calibrate && CURRENT -gt 2 ]]; then
            _arguments -S \
                '(-n --dry-run)'{-n,--dry-run}'[show the plan, run nothing]' \
                '(-t --time)'{-t,--time}'[measure each for DUR]:dur: ' \
                '--settle[wait before each]:dur: ' \
                '(-r --runs)'{-r,--runs}'[measure each N times]:n: ' \
                '(-f --force)'{-f,--force}'[store it even if other programs run]' \
                '--format[output format]:format:(text json csv)' \
                '--threads[most threads of the load]:n: ' \
                '(-o --output)'{-o,--output}'[store in FILE]:file:_files' \
                '(-s --sensor)'{-s,--sensor}'[use only these sensors]:sensors: ' \
                '(-q --quiet)'{-q,--quiet}'[print no warnings]' \
                '(-h --help)'{-h,--help}'[show this help and exit]' \
                ':verb:(calibrate)'
            return
        fi
        _arguments -S \
            '--by[types are those of tasks, or of regions]:what:(task region)' \
            '--method[how powers are found]:method:(nnls ols paper)' \
            '(-c --channel)'{-c,--channel}'[divide the energy of this channel]:name: ' \
            '--idle-power[power of the idle machine]:watts: ' \
            '--static-power[what it takes more as soon as any task runs]:watts: ' \
            '--calibration[use this calibration.conf]:file:_files' \
            '--no-lag[sensors are where their times say]' \
            '--no-intervals[leave out the intervals]' \
            '--workers[also print the energy of each core or thread]' \
            '--active[also print task power by the number of active ones]' \
            '--cap[instead: how long the tasks take under a power cap]:watts: ' \
            '--cores[under a cap: on so many cores]:n: ' \
            '--exponent[under a cap: of power over speed]:a: ' \
            '--slowest[under a cap: lowest speed]:s: ' \
            '--format[output format]:format:(text json csv)' \
            '(-v --verbose)'{-v,--verbose}'[all tables]' \
            '(-h --help)'{-h,--help}'[show this help and exit]' \
            '1:calibrate or trace:_wattle_pose_first'
        ;;
    cite)
        _arguments -S \
            '--format[text, json or bibtex]:format:(text json bibtex)' \
            '(-h --help)'{-h,--help}'[show this help and exit]' \
            '*:trace:_files -g "*.wtl"'
        ;;
    knobs)
        _arguments -S \
            '--format[output format]:format:(text json csv)' \
            '(-v --verbose)'{-v,--verbose}'[one line per knob]' \
            '--host[show a recorded host instead of this machine]:dir:_directories' \
            '(-h --help)'{-h,--help}'[show this help and exit]'
        ;;
    hold)
        _arguments -S \
            '--freq[set the frequency]:frequency:(min max)' \
            '--governor[set the cpufreq governor]:governor:(performance powersave userspace ondemand schedutil)' \
            '--epp[set the energy performance preference]:preference:(performance balance_performance balance_power power default)' \
            '--turbo[allow turbo frequencies, or not]:turbo:(on off)' \
            '--power-limit[limit the power of each package]:watts: ' \
            '--uncore[set the frequency of caches and mesh]:frequency:(min max)' \
            '--cpus[change settings of these CPUs only]:list: ' \
            '(-p --pid)'{-p,--pid}'[hold until this process ends]:pid:_pids' \
            '--background[return as soon as the settings are set]' \
            '(-v --verbose)'{-v,--verbose}'[print each setting with its old and its new value]' \
            '(-h --help)'{-h,--help}'[show this help and exit]' \
            '(-)1:command:_command_names -e' \
            '*::argument:_normal'
        ;;
    restore)
        _arguments -S \
            '(-l --list)'{-l,--list}'[only list settings that are held or open]' \
            '--force[also restore settings that others have changed]' \
            '--format[output format of --list]:format:(text json csv)' \
            '(-h --help)'{-h,--help}'[show this help and exit]'
        ;;
    jobs)
        if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
            compadd list show top report energy budget import post verify open begin end send health init purge anonymise
            return
        fi
        case $words[2] in
        list)
            _arguments -S \
                '--from[jobs that ended at TIME or later]:time: ' \
                '--to[and before TIME]:time: ' \
                '(-u --user)'{-u,--user}'[only jobs of this user]:name: ' \
                '(-A --account)'{-A,--account}'[only jobs of this account]:name: ' \
                '(-p --partition)'{-p,--partition}'[only jobs of this partition]:name: ' \
                '(-n --name)'{-n,--name}'[only jobs or programs of this name]:name: ' \
                '--node[only jobs that ran on this node]:name: ' \
                '--kind[only jobs of this kind]:kind:(any slurm run job)' \
                '--cluster[only jobs of this cluster]:name: ' \
                '--database[read sqlite\:PATH or postgresql\://HOST/NAME]:url: ' \
                '--format[text]:format:(text json csv)' \
                '--state[only jobs in this state]:state:(any unknown ended cut)' \
                '(-l --limit)'{-l,--limit}'[at most N jobs]:n: ' \
                '(-h --help)'{-h,--help}'[show this help and exit]' \
                ':action:'
            ;;
        show)
            _arguments -S \
                '--cluster[only jobs of this cluster]:name: ' \
                '--database[read sqlite\:PATH or postgresql\://HOST/NAME]:url: ' \
                '--format[text]:format:(text json csv)' \
                '(-h --help)'{-h,--help}'[show this help and exit]' \
                ':action:' ':ID:'
            ;;
        top)
            _arguments -S \
                '--from[jobs that ended at TIME or later]:time: ' \
                '--to[and before TIME]:time: ' \
                '(-u --user)'{-u,--user}'[only jobs of this user]:name: ' \
                '(-A --account)'{-A,--account}'[only jobs of this account]:name: ' \
                '(-p --partition)'{-p,--partition}'[only jobs of this partition]:name: ' \
                '(-n --name)'{-n,--name}'[only jobs or programs of this name]:name: ' \
                '--node[only jobs that ran on this node]:name: ' \
                '--kind[only jobs of this kind]:kind:(any slurm run job)' \
                '--cluster[only jobs of this cluster]:name: ' \
                '--database[read sqlite\:PATH or postgresql\://HOST/NAME]:url: ' \
                '--format[text]:format:(text json csv)' \
                '--state[only jobs in this state]:state:(any unknown ended cut)' \
                '(-l --limit)'{-l,--limit}'[at most N rows]:n: ' \
                '(-h --help)'{-h,--help}'[show this help and exit]' \
                ':action:' ':what:(jobs users programs accounts nodes)'
            ;;
        report)
            _arguments -S \
                '(-b --by)'{-b,--by}'[one row for each user]:what:(user account program partition cluster node day week month all)' \
                '--from[jobs that ended at TIME or later]:time: ' \
                '--to[and before TIME]:time: ' \
                '(-u --user)'{-u,--user}'[only jobs of this user]:name: ' \
                '(-A --account)'{-A,--account}'[only jobs of this account]:name: ' \
                '(-p --partition)'{-p,--partition}'[only jobs of this partition]:name: ' \
                '(-n --name)'{-n,--name}'[only jobs or programs of this name]:name: ' \
                '--node[only jobs that ran on this node]:name: ' \
                '--kind[only jobs of this kind]:kind:(any slurm run job)' \
                '--cluster[only jobs of this cluster]:name: ' \
                '--database[read sqlite\:PATH or postgresql\://HOST/NAME]:url: ' \
                '--format[text]:format:(text json csv)' \
                '(-l --limit)'{-l,--limit}'[at most N rows]:n: ' \
                '(-h --help)'{-h,--help}'[show this help and exit]' \
                ':action:'
            ;;
        energy)
            _arguments -S \
                '(-w --nodes)'{-w,--nodes}'[only these nodes]:list: ' \
                '--from[from TIME on]:time: ' \
                '--to[until TIME]:time: ' \
                '--cluster[only jobs of this cluster]:name: ' \
                '--database[read sqlite\:PATH or postgresql\://HOST/NAME]:url: ' \
                '--format[text]:format:(text json csv)' \
                '(-h --help)'{-h,--help}'[show this help and exit]' \
                ':action:'
            ;;
        send)
            _arguments -S \
                '(--follow)--once[send what is there, and exit]' \
                '(--once)--follow[go on sending until stopped]' \
                '--interval[look every DUR]:duration: ' \
                '--database[sqlite\:PATH or postgresql\://HOST/NAME]:url: ' \
                '(-h --help)'{-h,--help}'[show this help and exit]' \
                ':action:'
            ;;
        health)
            _arguments -S \
                '--silent[a node is silent after DUR]:duration: ' \
                '--unknown[the most jobs whose energy may be unknown]:percent: ' \
                '--database[sqlite\:PATH or postgresql\://HOST/NAME]:url: ' \
                '--format[text]:format:(text json csv)' \
                '(-h --help)'{-h,--help}'[show this help and exit]' \
                ':action:'
            ;;
        init)
            _arguments -S \
                '--database[sqlite\:PATH or postgresql\://HOST/NAME]:url: ' \
                '--print[print the SQL]' \
                '(-h --help)'{-h,--help}'[show this help and exit]' \
                ':action:'
            ;;
        purge)
            _arguments -S \
                '--before[jobs that ended before TIME]:time: ' \
                '(-y --yes)'{-y,--yes}'[without asking]' \
                '--database[sqlite\:PATH or postgresql\://HOST/NAME]:url: ' \
                '(-h --help)'{-h,--help}'[show this help and exit]' \
                ':action:'
            ;;
        anonymise)
            _arguments -S \
                '--before[jobs that ended before TIME]:time: ' \
                '(-y --yes)'{-y,--yes}'[without asking]' \
                '--database[sqlite\:PATH or postgresql\://HOST/NAME]:url: ' \
                '(-h --help)'{-h,--help}'[show this help and exit]' \
                ':action:'
            ;;
        budget)
            _arguments -S \
                '(-b --budgets)'{-b,--budgets}'[read the budgets of FILE]:file:_files' \
                '--at[as of TIME]:time: ' \
                '--exit-code[exit status 3 if an account is over its budget]' \
                '--cluster[only jobs of this cluster]:name: ' \
                '--database[read sqlite\:PATH or postgresql\://HOST/NAME]:url: ' \
                '--format[text]:format:(text json csv)' \
                '(-h --help)'{-h,--help}'[show this help and exit]' \
                ':action:' '*:account:'
            ;;
        import)
            _arguments -S \
                '--from[sacct\: what FILE is]:what:(sacct)' \
                '--begin[without FILE\: jobs that ended at TIME or later]:time: ' \
                '--end[without FILE\: and before TIME]:time: ' \
                '--cluster[only jobs of this cluster]:name: ' \
                '(-n --dry-run)'{-n,--dry-run}'[only print what would be believed]' \
                '(-a --all)'{-a,--all}'[list all jobs that are not believed]' \
                '--database[write to sqlite\:PATH or postgresql\://HOST/NAME]:url: ' \
                '--format[text]:format:(text json csv)' \
                '(-h --help)'{-h,--help}'[show this help and exit]' \
                ':action:' ':file:_files'
            ;;
        post)
            _arguments -S \
                '--from[jobs that ended at TIME or later]:time: ' \
                '--to[and before TIME]:time: ' \
                '(-n --dry-run)'{-n,--dry-run}'[print the commands]' \
                '(-a --all)'{-a,--all}'[list all jobs]' \
                '--comment[AdminComment instead of the energy]' \
                '--simulated[also energies of simulated sensors]' \
                '--cluster[only jobs of this cluster]:name: ' \
                '--database[read sqlite\:PATH or postgresql\://HOST/NAME]:url: ' \
                '--format[text]:format:(text json csv)' \
                '(-h --help)'{-h,--help}'[show this help and exit]' \
                ':action:'
            ;;
        verify)
            _arguments -S \
                '--from[jobs that ended at TIME or later]:time: ' \
                '--to[and before TIME]:time: ' \
                '(-a --all)'{-a,--all}'[list all jobs]' \
                '--comment[AdminComment instead of the energy]' \
                '--simulated[also energies of simulated sensors]' \
                '--cluster[only jobs of this cluster]:name: ' \
                '--database[read sqlite\:PATH or postgresql\://HOST/NAME]:url: ' \
                '--format[text]:format:(text json csv)' \
                '(-h --help)'{-h,--help}'[show this help and exit]' \
                ':action:'
            ;;
        begin)
            _arguments -S \
                '--slurm[take the job from the environment of Slurm'"'"'s Prolog]' \
                '--cgroup[the cgroup of the job]:path:' \
                '--pid[the job is this process and its descendants]:pid:_pids' \
                '--cpus[CPUs on which it runs]:list:' \
                '--gpus[GPUs that are its own]:list:' \
                '--reserved[part of the node that is reserved for it]:part:' \
                '--parent[it is a step of this job]:ID:' \
                '--record[keep a record of it]' \
                '--user[its user, for the record]:user:_users' \
                '--account[its account, for the record]:account:' \
                '--name[its name, for the record]:name:' \
                '(-h --help)'{-h,--help}'[show this help and exit]' \
                ':action:' ':ID:'
            ;;
        end)
            _arguments -S \
                '--slurm[take the job from the environment of Slurm'"'"'s Epilog]' \
                '--left[write the records of jobs that were cut]' \
                '--format[output format]:format:(text json csv)' \
                '(-h --help)'{-h,--help}'[show this help and exit]' \
                ':action:' ':ID:'
            ;;
        *)
            _arguments -S \
                '--format[output format]:format:(text json csv)' \
                '(-h --help)'{-h,--help}'[show this help and exit]' \
                ':action:' ':ID:'
            ;;
        esac
        ;;
    allow | deny)
        _arguments -S \
            '(-h --help)'{-h,--help}'[show this help and exit]' \
            '1:user:_users'
        ;;
    report)
        _arguments -S \
            '(-o --output)'{-o,--output}'[write to FILE, which appears only when it is complete]:file:_files' \
            '--format[html or json]:format:(html json)' \
            '--force[overwrite an existing file]' \
            '--redact[leave out what identifies people and machines]' \
            '--serve[show the page at an address of this machine]' \
            '--port[port for --serve]:port:' \
            '--reference[a line in the box plots of runs]:power:(500W 1kW)' \
            '--reference[a line in the box plots of runs]:power' \
            '--plot[write a figure for a paper instead of the page]:file:_files' \
            '--figure[what --plot shows]:kind:(power energy distribution regions domains boxes nodes tags scaling)' \
            '--part[only this part]:part:(total package dram gpu network)' \
            '--sort[order of nodes]:order:(name energy)' \
            '--size[size of the figure, WIDTHxHEIGHT in mm]:size:(85 85x60 174x60)' \
            '--dpi[resolution of a PNG in dpi]:dots:(300 600)' \
            '--title[title above the figure]:text:' \
            '(-h --help)'{-h,--help}'[show this help and exit]' \
            '*:trace or run:_files -g "*.wtl"'
        ;;
    compare)
        _arguments -S \
            '*'{-a,--a}'[a trace of side A, as are the traces after it]:trace:_files' \
            '*'{-b,--b}'[a trace of side B, as are the traces after it]:trace:_files' \
            '--format[output format]:format:(text json csv)' \
            '--paired[run i of A and run i of B ran one right after the other]' \
            '--regions[also compare the regions that both sides have]' \
            '--resolve[the difference that matters]:per cent:(0.5% 1% 2%)' \
            '--noise[a noise floor\: the JSON of an earlier comparison]:file:_files' \
            '--warm-up[drop the first N runs of each side]:runs:(auto 1 2)' \
            '--seed[of the bootstrap]:number:' \
            '--plot[also draw the comparison]:file:_files' \
            '--redact[leave out of the figure what identifies people and machines]' \
            '--force[overwrite an existing file]' \
            '--details[channels, other methods, each run]' \
            '--exit-code[exit with 3 if time or energy differs]' \
            '(-h --help)'{-h,--help}'[show this help and exit]' \
            '*:trace:_files -g "*.wtl"'
        ;;
    ab)
        _arguments -S -A '-*' \
            '(-a --command-a)'{-a,--command-a}'[A as a line for sh -c]:line: ' \
            '(-b --command-b)'{-b,--command-b}'[B as a line for sh -c]:line: ' \
            '(-m --metric)'{-m,--metric}'[what decides]:what:(energy time power edp)' \
            '--resolve[differences below PART do not matter]:part: ' \
            '--min-pairs[check the result from pair N on]:n: ' \
            '--max-pairs[stop after N pairs at the latest]:n: ' \
            '--noise-pairs[pairs of A against A at the start]:n: ' \
            '--noise-floor[read the noise floor from a file of --save]:file:_files' \
            '--seed[seed of the random order]:n: ' \
            '(-o --output)'{-o,--output}'[keep the traces of all runs in DIR]:dir:_directories' \
            '--show-output[show the output of the commands on stderr]' \
            '--ignore-failure[compare even if a command fails]' \
            '--save[also write the JSON document to FILE]:file:_files' \
            '--details[channels, other methods, each run]' \
            '--format[output format]:format:(text json csv)' \
            '(-i --interval)'{-i,--interval}'[sample every DUR]:dur: ' \
            '(-s --sensor)'{-s,--sensor}'[use only these sensors\: NAME\[\:key=value\]]:list:_wattle_sensors' \
            '--warmup[first run each command N times unmeasured]:n: ' \
            '--cooldown[pause DUR before each run]:dur: ' \
            '--require[fail before the start if energy is only estimated]:measured:(measured)' \
            '--sampler-cpu[pin the sampler to CPU N]:n: ' \
            '--no-edges[do not wait for counter updates at start and end]' \
            '--force[overwrite existing files]' \
            '(-q --quiet)'{-q,--quiet}'[print no progress and no warnings]' \
            '(-h --help)'{-h,--help}'[show this help and exit]' \
            '(-)1:command:_command_names -e' \
            '*::argument:_wattle_turns'
        ;;
    check)
        _arguments -S -A '-*' \
            '--max[allowed change from the base]:part: ' \
            '*--against[a trace, a folder of traces, or a JSON result]:base:_files' \
            '--save[write the runs to FILE as a base]:file:_files' \
            '(-m --metric)'{-m,--metric}'[quantity compared with the base]:what:(energy time power edp)' \
            '(-r --repeat)'{-r,--repeat}'[run the command N times]:n: ' \
            '--strict[pass only what is shown to be within the limit]' \
            '--allow-unknown[also pass if the result is unknown]' \
            '--junit[write a JUnit test report to FILE]:file:_files' \
            '(-o --output)'{-o,--output}'[keep the traces of the runs in DIR]:dir:_directories' \
            '--show-output[show the output of the command on stderr]' \
            '--ignore-failure[continue if the command fails]' \
            '--details[other methods, each run]' \
            '--format[output format]:format:(text json)' \
            '(-i --interval)'{-i,--interval}'[sample every DUR]:dur: ' \
            '(-s --sensor)'{-s,--sensor}'[use only these sensors\: NAME\[\:key=value\]]:list:_wattle_sensors' \
            '--warmup[first run each command N times unmeasured]:n: ' \
            '--cooldown[pause DUR before each run]:dur: ' \
            '--require[fail before the start if energy is only estimated]:measured:(measured)' \
            '--sampler-cpu[pin the sampler to CPU N]:n: ' \
            '--no-edges[do not wait for counter updates at start and end]' \
            '--force[overwrite existing files]' \
            '(-q --quiet)'{-q,--quiet}'[print no progress and no warnings]' \
            '(-h --help)'{-h,--help}'[show this help and exit]' \
            '(-)1:command:_command_names -e' \
            '*::argument:_normal'
        ;;
    sweep)
        _arguments -S -A '-*' \
            '(-F --freq)'{-F,--freq}'[frequencies\: values and ranges with a step]:value: ' \
            '--turbo[with turbo, without, or both]:value:(on off both)' \
            '--power-limit[power limits of each package]:value: ' \
            '--threads[numbers of threads]:value: ' \
            '(-r --repeat)'{-r,--repeat}'[blocks, each with every setting once]:n: ' \
            '--slowdown[how much slower than the fastest]:value: ' \
            '(-m --metric)'{-m,--metric}'[one more goal]:value:(Et^1 Et^2 Et^3)' \
            '--seed[seed of the random order]:n: ' \
            '(-o --output)'{-o,--output}'[keep the plan and all traces in DIR]:dir:_directories' \
            '--resume[go on with the sweep in DIR]:dir:_directories' \
            '--no-run[run nothing, print what there is]' \
            '--block[run only block N]:n: ' \
            '--slurm[submit it as a job array to Slurm]' \
            '*--sbatch[an option for sbatch]:value: ' \
            '--plot[draw energy against time to FILE]:file:_files' \
            '--save[also write the JSON document to FILE]:file:_files' \
            '--show-output[show the output of the command on stderr]' \
            '--ignore-failure[count runs even if the command fails]' \
            '--details[also print the curve of each sensor]' \
            '--format[output format]:value:(text json csv)' \
            '(-i --interval)'{-i,--interval}'[sample every DUR]:value: ' \
            '(-s --sensor)'{-s,--sensor}'[use only these sensors\: NAME\[\:key=value\]]:list:_wattle_sensors' \
            '--warmup[first run the command N times unmeasured]:n: ' \
            '--cooldown[pause DUR before each run]:value: ' \
            '--require[fail before the start if energy is only estimated]:value:(measured)' \
            '--sampler-cpu[pin the sampler to CPU N]:n: ' \
            '--no-edges[do not wait for counter updates at start and end]' \
            '--force[overwrite existing files]' \
            '(-q --quiet)'{-q,--quiet}'[print no progress and no warnings]' \
            '(-h --help)'{-h,--help}'[show this help and exit]' \
            '(-)1:command:_command_names -e' \
            '*::argument:_normal'
        ;;
    export)
        _arguments -S \
            '(-t --to)'{-t,--to}'[format of the files]:form:(csv json moneq slurm-hdf5 paraver otf2 perfetto)' \
            '(-o --output)'{-o,--output}'[write to FILE instead of standard output]:file:_files' \
            '--force[overwrite an existing file]' \
            '(-w --what)'{-w,--what}'[samples]:what:(samples regions events gaps metadata tasks)' \
            '--acctg-freq[slurm-hdf5\: time between rows, as for srun]:list: ' \
            '--node[export only this node of a run]:node: ' \
            '(-c --channel)'{-c,--channel}'[only these channels]:list: ' \
            '--from[start at this time]:time: ' \
            '--until[end at this time]:time: ' \
            '--long[one row per value instead of one column per channel]' \
            '--interval[moneq\: minimum time between lines]:time:' \
            '--comments[start CSV with # lines]' \
            '--no-comments[no # lines in CSV (default)]' \
            '(-h --help)'{-h,--help}'[show this help and exit]' \
            '1:trace:_files -g "*.wtl"'
        ;;
    import)
        _arguments -S \
            "--from[format of the files]:format:(csv likwid moneq ${(j: :)${(f)\"$(wattle import --formats 2>/dev/null | awk 'NR > 1 { print \$1 }')\"}})" \
            '--formats[list the formats that are recognised]' \
            '(-o --output)'{-o,--output}'[write this trace]:trace:_files -g "*.wtl"' \
            '--force[overwrite an existing trace]' \
            '(-n --dry-run)'{-n,--dry-run}'[show mapping and faults, write nothing]' \
            '--time[time column]:spec: ' \
            '*'{-c,--column}'[meaning of a column]:map: ' \
            '*--ignore[skip columns]:column: ' \
            '*--only[take these columns, no others]:column: ' \
            '--cover[column with the time that the energy of a row covers]:spec: ' \
            '*--shift[shift a column by rows relative to the others]:move: ' \
            '--separator[separator]:separator:(comma semicolon tab bar blank)' \
            '--decimal[decimal sign]:sign:(point comma)' \
            '*--split[column that names what a row is about]:column: ' \
            '--thousands[digits are grouped]' \
            '--time-format[format of dates]:format:(iso dmy mdy ctime clock)' \
            '--zone[time zone of dates that have none]:zone: ' \
            '--spread-times[spread rows of one time evenly]' \
            '(-y --yes)'{-y,--yes}'[assume what is likely, with the flag ASSUMED]' \
            '--save-format[write the mapping to this file]:file:_files' \
            '--node[machine of the recording]:name: ' \
            '*--meta[fact about the run or machine]:fact: ' \
            '--most-lost[percentage that --lenient may leave out]:percent: ' \
            '--no-header[the first row holds values]' \
            '--start[date of time 0]:time: ' \
            '(-m --mapping)'{-m,--mapping}'[read options from FILE]:file:_files' \
            '--lenient[skip and count unreadable rows]' \
            '--strict[fail if the data has faults]' \
            '--format[output format]:format:(text json)' \
            '(-h --help)'{-h,--help}'[show this help and exit]' \
            '*:recording:_files'
        ;;
    pose)
        if [[ $words[2] == calibrate && CURRENT -gt 2 ]]; then
            _arguments -S \
                '(-n --dry-run)'{-n,--dry-run}'[show the plan, run nothing]' \
                '--loads[only these]:loads:_values -s , load omp_serial omp_parallel mpi_parallel mpi_serial fma stress_ng firestarter command' \
                '(-r --runs)'{-r,--runs}'[measure each load N times]:number: ' \
                '(-t --time)'{-t,--time}'[measure each run for DUR]:duration: ' \
                '--settle[maximum wait for power to settle]:duration: ' \
                '--threads[threads or ranks]:number: ' \
                '--wait[how the threads of omp_serial wait]:how:(active passive)' \
                '--launcher[command that starts MPI ranks]:line: ' \
                '--load-command[another load for Pmax]:line: ' \
                '(-o --output)'{-o,--output}'[store in FILE]:file:_files' \
                '--seed[seed of the random order]:number: ' \
                '--format[output format]:format:(text json csv)' \
                '(-s --sensor)'{-s,--sensor}'[use only these sensors]:sensors:_wattle_sensors' \
                '--require[fail if energy is only estimated]:what:(measured)' \
                '(-q --quiet)'{-q,--quiet}'[print no plan, no progress and no warnings]' \
                '(-h --help)'{-h,--help}'[show this help and exit]' \
                ':verb:(calibrate)'
            return
        fi
        _arguments -S \
            '1:calibrate or trace:_wattle_pose_first' \
            '--time[run time of the code]:time: ' \
            '--energy[energy of the code]:energy: ' \
            '--label[name of the code]:text: ' \
            '*--code[the following traces are repeats of this code]:label: ' \
            '(-c --channel)'{-c,--channel}'[use the energy of this channel or domain]:name: ' \
            '--region[use only this region of the code]:name: ' \
            '(-i --input)'{-i,--input}'[CSV of codes]:file:_files' \
            '*--candidate[another version of the code]:file:_files' \
            '--parameter[column that distinguishes the versions]:name: ' \
            '--system[what the machine allows, for any code]' \
            '--pmin[minimum power of the busy machine]:watts: ' \
            '--pmax[maximum power of the busy machine]:watts: ' \
            '--floor[calibrated load used for Pmin]:load:(auto omp_serial omp_parallel mpi_parallel mpi_serial)' \
            '--calibration[use this calibration.conf]:file:_files' \
            '*'{-m,--metric}'[cost to minimise]:metric:(E Et Et^2 Et^3 EDS\: EDD\:)' \
            '--details[show each code and metric in full]' \
            '--format[output format]:format:(text json csv)' \
            '(-o --output)'{-o,--output}'[write there]:file:_files' \
            '--force[overwrite existing files]' \
            '--redact[leave out what identifies people and machines]' \
            '--plot[also draw it\: FILE.html, .svg, .pdf or .png]:file:_files' \
            '--layout[of the charts]:layout:(overlaid side-by-side)' \
            '--size[size of the figure, WIDTHxHEIGHT in mm]:size:(85 85x60 174x60)' \
            '--dpi[resolution of a PNG in dpi]:dots:(300 600)' \
            '--title[title above the chart]:text:' \
            '--no-power[do not draw the power over time]' \
            '(-h --help)'{-h,--help}'[show this help and exit]' \
            '*:trace:_files -g "*.wtl"'
        ;;
    reduce)
        _arguments -S \
            '(-o --output)'{-o+,--output=}'[write run.wtl and the CSV files to this folder]:folder:_files -/' \
            '--force[overwrite existing files]' \
            '--partial[continue when some traces are refused or missing]' \
            '--run=[run to reduce]:id' \
            '(-g --groups)'{-g+,--groups=}'[one output per group of MPI ranks]:ranks' \
            '--step=[time between CSV rows]:duration' \
            '--format[output format]:format:(text json csv)' \
            '(-h --help)'{-h,--help}'[show this help and exit]' \
            '*:trace:_files -g "*.wtl"'
        ;;
    repair)
        _arguments -S \
            '--format[output format]:format:(text json csv)' \
            '(-h --help)'{-h,--help}'[show this help and exit]' \
            '*:trace:_files -g "*.wtl"'
        ;;
    config)
        _arguments -S \
            '--format[output format]:format:(text json csv)' \
            '(-h --help)'{-h,--help}'[show this help and exit]' \
            '*:section:(run control sensor jobs slurm wattled pm)'
        ;;
    help) _values verb run start mark stop sensors counters doctor gather top stats report phases predict tasks cite compare ab check sweep pose reduce export import repair knobs hold restore jobs allow deny config characterize ;;
    esac
}

_wattle "$@"
