#compdef wattle
# SPDX-License-Identifier: BSD-3-Clause
# Completion of wattle for zsh. Options stand in the tables of src/cli.

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
        'doctor:find what prevents measuring, and how to fix it'
        'gather:save what wattle sees on this machine, for a bug report'
        'top:show power and energy of machine and processes, live'
        'stats:print the result of a run from its trace'
        'report:create an HTML page or a figure from traces'
        'cite:describe a measurement for a paper'
        'compare:compare two runs, or two groups of repeats'
        'ab:compare the energy of two commands, in pairs until it is answered'
        'check:hold the energy of a command against a base, for CI'
        'pose:decide whether to optimize power or run time'
        'reduce:align and sum the traces of all nodes of a run'
        'export:write a trace'\''s samples, regions or events as CSV or JSON'
        'import:create a trace from recordings of other programs'
        'repair:repair traces cut off by a crash or a full disk'
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
            '--sync[sync the trace to disk, so that it survives a power failure]' \
            '--result[print the result there instead of on stderr]:file:_files' \
            '--format[how the result is printed]:format:(text json csv)' \
            '(-r --repeat)'{-r,--repeat}'[run the command N times]:n: ' \
            '--ignore-failure[continue and count runs whose command fails]' \
            '--warmup[run it N times before]:n: ' \
            '--cooldown[pause DUR before each run]:dur: ' \
            '--idle[measure the idle machine for DUR before and after]:dur: ' \
            '--require[fail before the start when there is only an estimate]:measured:(measured)' \
            '(-p --pid)'{-p,--pid}'[measure while the running process PID lives]:pid:_pids' \
            '--cgroup[measure beside a control group]:path:_directories' \
            '(-a --all)'{-a,--all}'[measure the machine]' \
            '--duration[stop measuring after DUR]:dur: ' \
            '(-I --print)'{-I,--print}'[print a line every DUR while it runs]:dur: ' \
            '(-D --delay)'{-D,--delay}'[begin to measure MS milliseconds after the start]:ms: ' \
            '--work[the command does N units of work\: prints J per UNIT]:n unit: ' \
            '*--label[a word about the run, to find and group it by]:key=value: ' \
            '--sampler-cpu[pin the sampler to CPU N]:n: ' \
            '--mpi[ranks, clocks and time of MPI come along]:when:(auto on off)' \
            '--no-edges[do not wait for the counters'\'' ticks at the borders]' \
            '(-v --verbose)'{-v,--verbose}'[print also energy x time, memory, gaps and the cost of wattle]' \
            '(-q --quiet)'{-q,--quiet}'[print no result and no warnings]' \
            '--host[sensors of a recorded host instead of this machine'\''s]:dir:_directories' \
            '(-h --help)'{-h,--help}'[show this and exit]' \
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
            '*--label[a word about the run, to find and group it by]:key=value: ' \
            '--format[how stop prints]:format:(text json csv)' \
            '--require[fail when there is only an estimate]:measured:(measured)' \
            '--sampler-cpu[pin the sampler to CPU N]:n: ' \
            '--no-edges[do not wait for the counters'\'' ticks at the borders]' \
            '--export[print the environment in which programs leave their regions]' \
            '--watch[end when process PID has ended]:pid:_pids' \
            '(-q --quiet)'{-q,--quiet}'[print no warnings and no start message]' \
            '(-h --help)'{-h,--help}'[show this and exit]'
        ;;
    mark)
        _arguments -S \
            '--end[end the current stage without starting another]' \
            '(-h --help)'{-h,--help}'[show this and exit]' \
            '*: :'
        ;;
    stop)
        _arguments -S \
            '--format[how the result is printed]:format:(text json csv)' \
            '(-v --verbose)'{-v,--verbose}'[print also energy x time, memory, gaps and the cost of wattle]' \
            '(-h --help)'{-h,--help}'[show this and exit]'
        ;;
    sensors)
        _arguments -S \
            '(-s --sensor)'{-s,--sensor}'[only these\: NAME\[\:key=value\]]:list:_wattle_sensors' \
            '--format[how the result is printed]:format:(text json csv)' \
            '--no-probe[do not measure what a read costs and how often values change]' \
            '--host[show a recorded host instead of this machine]:dir:_directories' \
            '(-h --help)'{-h,--help}'[show this and exit]' \
            '*: :'
        ;;
    doctor)
        _arguments -S \
            '(-a --all)'{-a,--all}'[also show checks that passed or do not apply]' \
            '--format[how the result is printed]:format:(text json)' \
            '--host[check a recorded host instead of this machine]:dir:_directories' \
            '(-h --help)'{-h,--help}'[show this and exit]' \
            '*: :'
        ;;
    gather)
        _arguments -S \
            '(-o --output)'{-o,--output}'[save it as this folder]:dir:_files' \
            '(-l --list)'{-l,--list}'[print what would be saved, and exit]' \
            '(-y --yes)'{-y,--yes}'[save without asking]' \
            '--host[gather from a recorded host instead of this machine]:dir:_directories' \
            '(-h --help)'{-h,--help}'[show this and exit]' \
            '*: :'
        ;;
    top)
        _arguments -S \
            '(-i --interval)'{-i,--interval}'[look every DUR]:dur: ' \
            '(-n --count)'{-n,--count}'[end after N looks]:n: ' \
            '(-b --batch)'{-b,--batch}'[print lines, as without a terminal]' \
            '--format[how lines are printed]:format:(text json csv)' \
            '--sort[processes by KEY]:key:(power energy cpu name pid user)' \
            '--filter[only processes with TEXT in command or user]:text: ' \
            '--processes[so many of them in json and csv]:n: ' \
            '--no-processes[do not look at processes]' \
            '--idle[the idle machine draws W watts]:w: ' \
            '(-s --sensor)'{-s,--sensor}'[use only these sensors\: NAME\[\:key=value\]]:list:_wattle_sensors' \
            '--sample[sample the sensors every DUR]:dur: ' \
            '(-o --output)'{-o,--output}'[write a trace to FILE, too]:file:_files' \
            '--force[overwrite an existing file]' \
            '--ascii[draw with ASCII only]' \
            '--host[a recorded host instead of this machine]:dir:_directories' \
            '(-h --help)'{-h,--help}'[show this and exit]' \
            '1:trace:_files -g "*.wtl"'
        ;;
    stats)
        _arguments -S \
            '--format[how the result is printed]:format:(text json csv)' \
            '--regions[the energy of each region]' \
            '--repeats[take the traces for repeats of one measurement\: means and their spread]' \
            '(-v --verbose)'{-v,--verbose}'[print also energy x time, memory, gaps and the cost of wattle]' \
            '(-h --help)'{-h,--help}'[show this and exit]' \
            '*:trace:_files -g "*.wtl"'
        ;;
    cite)
        _arguments -S \
            '--format[text, json or bibtex]:format:(text json bibtex)' \
            '(-h --help)'{-h,--help}'[show this and exit]' \
            '*:trace:_files -g "*.wtl"'
        ;;
    report)
        _arguments -S \
            '(-o --output)'{-o,--output}'[write to FILE, which appears only when it is whole]:file:_files' \
            '--format[html or json]:format:(html json)' \
            '--force[overwrite an existing file]' \
            '--redact[leave out what identifies people and machines]' \
            '--reference[a line in the box plots of runs]:power:(500W 1kW)' \
            '--reference[a line in the box plots of runs]:power' \
            '--plot[one figure for a paper instead of the page]:file:_files' \
            '--figure[what --plot shows]:kind:(power energy distribution regions domains boxes nodes tags scaling)' \
            '--part[power of this part only]:part:(total package dram gpu network)' \
            '--sort[order of nodes]:order:(name energy)' \
            '--size[of the figure, WIDTHxHEIGHT in mm]:size:(85 85x60 174x60)' \
            '--dpi[dots per inch of a PNG]:dots:(300 600)' \
            '--title[a line above the figure]:text:' \
            '(-h --help)'{-h,--help}'[show this and exit]' \
            '*:trace or run:_files -g "*.wtl"'
        ;;
    compare)
        _arguments -S \
            '*'{-a,--a}'[a trace of side A; what follows is of it, too]:trace:_files' \
            '*'{-b,--b}'[a trace of side B; what follows is of it, too]:trace:_files' \
            '--format[how the comparison is printed]:format:(text json csv)' \
            '--paired[run i of A and run i of B ran beside each other]' \
            '--regions[the regions that both have, too]' \
            '--resolve[the difference that matters]:per cent:(0.5% 1% 2%)' \
            '--noise[a noise floor\: the JSON of an earlier comparison]:file:_files' \
            '--warm-up[drop the first N runs of each side]:runs:(auto 1 2)' \
            '--seed[of the bootstrap]:number:' \
            '--plot[draw the comparison, too]:file:_files' \
            '--force[overwrite an existing file]' \
            '--exit-code[exit with 3 when time or energy differs]' \
            '(-h --help)'{-h,--help}'[show this and exit]' \
            '*:trace:_files -g "*.wtl"'
        ;;
    ab)
        _arguments -S -A '-*' \
            '(-a --command-a)'{-a,--command-a}'[A as a line for sh -c]:line: ' \
            '(-b --command-b)'{-b,--command-b}'[B as a line for sh -c]:line: ' \
            '(-m --metric)'{-m,--metric}'[what decides]:what:(energy time power edp)' \
            '--resolve[differences below PART do not matter]:part: ' \
            '--min-pairs[look at the result from N pairs on]:n: ' \
            '--max-pairs[stop after N pairs in any case]:n: ' \
            '--noise-pairs[N pairs of A against A before]:n: ' \
            '--noise-floor[take the noise floor from an earlier --save]:file:_files' \
            '--seed[of the random order]:n: ' \
            '(-o --output)'{-o,--output}'[keep the traces of all runs in DIR]:dir:_directories' \
            '--show-output[show what the commands print, on stderr]' \
            '--ignore-failure[compare even when a command fails]' \
            '--save[write the JSON document to FILE, too]:file:_files' \
            '--format[how the result is printed]:format:(text json csv)' \
            '(-i --interval)'{-i,--interval}'[sample every DUR]:dur: ' \
            '(-s --sensor)'{-s,--sensor}'[use only these sensors\: NAME\[\:key=value\]]:list:_wattle_sensors' \
            '--warmup[run each command N times before]:n: ' \
            '--cooldown[pause DUR before each run]:dur: ' \
            '--require[fail before the start when there is only an estimate]:measured:(measured)' \
            '--sampler-cpu[pin the sampler to CPU N]:n: ' \
            '--no-edges[do not wait for the counters'\'' ticks at the borders]' \
            '--force[overwrite existing files]' \
            '(-q --quiet)'{-q,--quiet}'[print no progress and no warnings]' \
            '(-h --help)'{-h,--help}'[show this and exit]' \
            '(-)1:command:_command_names -e' \
            '*::argument:_wattle_turns'
        ;;
    check)
        _arguments -S -A '-*' \
            '--max[so much more than the base is allowed]:part: ' \
            '*--against[a trace, a folder of traces, or a JSON result]:base:_files' \
            '--save[write the runs to FILE as a base]:file:_files' \
            '(-m --metric)'{-m,--metric}'[what is held against the base]:what:(energy time power edp)' \
            '(-r --repeat)'{-r,--repeat}'[run the command N times]:n: ' \
            '--strict[pass only what is shown to be within the limit]' \
            '--allow-unknown[pass, too, when it cannot be told]' \
            '--junit[write a test report to FILE]:file:_files' \
            '(-o --output)'{-o,--output}'[keep the traces of the runs in DIR]:dir:_directories' \
            '--show-output[show what the command prints, on stderr]' \
            '--ignore-failure[go on when the command fails]' \
            '--format[how the result is printed]:format:(text json)' \
            '(-i --interval)'{-i,--interval}'[sample every DUR]:dur: ' \
            '(-s --sensor)'{-s,--sensor}'[use only these sensors\: NAME\[\:key=value\]]:list:_wattle_sensors' \
            '--warmup[run each command N times before]:n: ' \
            '--cooldown[pause DUR before each run]:dur: ' \
            '--require[fail before the start when there is only an estimate]:measured:(measured)' \
            '--sampler-cpu[pin the sampler to CPU N]:n: ' \
            '--no-edges[do not wait for the counters'\'' ticks at the borders]' \
            '--force[overwrite existing files]' \
            '(-q --quiet)'{-q,--quiet}'[print no progress and no warnings]' \
            '(-h --help)'{-h,--help}'[show this and exit]' \
            '(-)1:command:_command_names -e' \
            '*::argument:_normal'
        ;;
    export)
        _arguments -S \
            '(-t --to)'{-t,--to}'[csv, json or moneq]:form:(csv json moneq)' \
            '(-o --output)'{-o,--output}'[write to FILE instead of standard output]:file:_files' \
            '--force[overwrite an existing file]' \
            '(-w --what)'{-w,--what}'[samples]:what:(samples regions events gaps metadata)' \
            '--node[export this node of a run file]:node: ' \
            '(-c --channel)'{-c,--channel}'[only these channels]:list: ' \
            '--from[only from this time on]:time: ' \
            '--until[only up to this time]:time: ' \
            '--long[a row for each value]' \
            '--interval[moneq\: least time from line to line]:time:' \
            '--comments[begin csv with lines of #]' \
            '--no-comments[no # lines in CSV (default)]' \
            '(-h --help)'{-h,--help}'[show this and exit]' \
            '1:trace:_files -g "*.wtl"'
        ;;
    import)
        _arguments -S \
            '--from[who wrote the files]:format:(csv perf turbostat likwid moneq)' \
            '(-o --output)'{-o,--output}'[the trace to write]:trace:_files -g "*.wtl"' \
            '--force[replace a trace that is there]' \
            '(-n --dry-run)'{-n,--dry-run}'[show the mapping and the faults, write nothing]' \
            '--time[column of times]:spec: ' \
            '*'{-c,--column}'[what a column is]:map: ' \
            '*--ignore[leave out columns]:column: ' \
            '*--only[take these columns, no others]:column: ' \
            '--cover[column that says how long the energy of a row covers]:spec: ' \
            '*--shift[move a column by rows against the others]:move: ' \
            '--separator[between cells]:separator:(comma semicolon tab bar blank)' \
            '--decimal[decimal sign]:sign:(point comma)' \
            '--no-header[the first row holds numbers]' \
            '--start[when time 0 was]:time: ' \
            '(-m --mapping)'{-m,--mapping}'[read options from FILE]:file:_files' \
            '--lenient[leave out rows that cannot be read]' \
            '--strict[fail when the data have faults]' \
            '--format[how the report is printed]:format:(text json)' \
            '(-h --help)'{-h,--help}'[show this and exit]' \
            '*:recording:_files'
        ;;
    pose)
        if [[ $words[2] == calibrate && CURRENT -gt 2 ]]; then
            _arguments -S \
                '(-n --dry-run)'{-n,--dry-run}'[show what would run, and run nothing]' \
                '--loads[only these]:loads:_values -s , load omp_serial omp_parallel mpi_parallel mpi_serial fma stress_ng firestarter command' \
                '(-r --runs)'{-r,--runs}'[measure each load N times]:number: ' \
                '(-t --time)'{-t,--time}'[measure for so long]:duration: ' \
                '--settle[wait so long at most]:duration: ' \
                '--threads[threads or ranks]:number: ' \
                '--wait[how the threads of omp_serial wait]:how:(active passive)' \
                '--launcher[how to start MPI ranks]:line: ' \
                '--load-command[one more load for Pmax]:line: ' \
                '(-o --output)'{-o,--output}'[store into FILE]:file:_files' \
                '--seed[of the random order]:number: ' \
                '--format[how the result is printed]:format:(text json csv)' \
                '(-s --sensor)'{-s,--sensor}'[use only these sensors]:sensors:_wattle_sensors' \
                '--require[fail when there is only an estimate]:what:(measured)' \
                '(-q --quiet)'{-q,--quiet}'[no plan, no progress, no warnings]' \
                '(-h --help)'{-h,--help}'[show this and exit]' \
                ':verb:(calibrate)'
            return
        fi
        _arguments -S \
            '1:calibrate or trace:_wattle_pose_first' \
            '--time[run time of the code]:time: ' \
            '--energy[its energy]:energy: ' \
            '--label[its name]:text: ' \
            '*--code[the traces that follow are repeats of this code]:label: ' \
            '(-c --channel)'{-c,--channel}'[take the energy of this channel or domain]:name: ' \
            '--region[take only this region of the code]:name: ' \
            '(-i --input)'{-i,--input}'[many codes\: a CSV]:file:_files' \
            '*--candidate[another version of the code]:file:_files' \
            '--parameter[column that tells versions apart]:name: ' \
            '--system[what the machine has to offer, whatever the code]' \
            '--pmin[power of the machine that is busy with the least]:watts: ' \
            '--pmax[power of the machine under the greatest load]:watts: ' \
            '--floor[which calibrated load is Pmin]:load:(auto omp_serial omp_parallel mpi_parallel mpi_serial)' \
            '--calibration[a calibration.conf elsewhere]:file:_files' \
            '*'{-m,--metric}'[the cost that counts]:metric:(E Et Et^2 Et^3 EDS\: EDD\:)' \
            '--details[each code and metric in full]' \
            '--format[how it is printed]:format:(text json csv)' \
            '(-o --output)'{-o,--output}'[write there]:file:_files' \
            '--force[overwrite existing files]' \
            '--plot[draw it, too\: FILE.html, .svg, .pdf or .png]:file:_files' \
            '--layout[of the charts]:layout:(overlaid side-by-side)' \
            '--size[of the drawing, WIDTHxHEIGHT in mm]:size:(85 85x60 174x60)' \
            '--dpi[dots per inch of a PNG]:dots:(300 600)' \
            '--title[a line above the chart]:text:' \
            '--no-power[leave the power over time out]' \
            '(-h --help)'{-h,--help}'[show this and exit]' \
            '*:trace:_files -g "*.wtl"'
        ;;
    reduce)
        _arguments -S \
            '(-o --output)'{-o+,--output=}'[write run.wtl and the CSVs into this folder]:folder:_files -/' \
            '--force[overwrite existing files]' \
            '--partial[go on with the rest when traces are refused]' \
            '--run=[the run to take]:id' \
            '(-g --groups)'{-g+,--groups=}'[one output for each group of MPI ranks]:ranks' \
            '--step=[of the rows in the CSVs]:duration' \
            '--format[how the result is printed]:format:(text json csv)' \
            '(-h --help)'{-h,--help}'[show this and exit]' \
            '*:trace:_files -g "*.wtl"'
        ;;
    repair)
        _arguments -S \
            '--format[how the result is printed]:format:(text json csv)' \
            '(-h --help)'{-h,--help}'[show this and exit]' \
            '*:trace:_files -g "*.wtl"'
        ;;
    config)
        _arguments -S \
            '--format[how the result is printed]:format:(text json csv)' \
            '(-h --help)'{-h,--help}'[show this and exit]' \
            '*:section:(run sensor)'
        ;;
    help) _values verb run start mark stop sensors doctor gather top stats report cite compare ab check pose reduce export import repair config ;;
    esac
}

_wattle "$@"
