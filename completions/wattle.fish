# SPDX-License-Identifier: BSD-3-Clause
# Completion of wattle for fish. Options stand in the tables of src/cli.

function __wattle_counter_sets
    wattle counters 2>/dev/null | awk 'NF == 0 { exit } NR > 1 { print $1 }'
end

function __wattle_sensors
    printf 'all\n'
    wattle sensors --no-probe --sensor all --format csv 2>/dev/null | sed '1d; s/,.*//' | sort -u
end

# Traces, and folders that may hold some.
function __wattle_traces
    __fish_complete_path (commandline -ct) | string match -r '^.*?(?:\.wtl|/)(?:\t.*)?$'
end

# Options of run behind which a word is no command.
set -g __wattle_run_takes -i -s -o -r -p -I -D --interval --sensor --output --result --format --repeat --passes --warmup \
    --cooldown --idle --require --pid --cgroup --duration --print --delay --work --label --sampler-cpu --mpi --tasks-limit --tasks-runtime --tasks-counters --host \
    --freq --governor --epp --turbo --power-limit --uncore --cpus --on-phase --on-phase-interval --on-phase-ahead \
    --on-phase-model
set -g __wattle_hold_takes -p --pid --freq --governor --epp --turbo --power-limit --uncore --cpus

# The commands of ab: behind the last "--" one begins.
function __wattle_turns
    set -l words (commandline -opc)
    set -l cut 0
    for i in (seq 3 (count $words))
        test "$words[$i]" = --; and set cut $i
    end
    if test $cut -eq 0
        __fish_complete_subcommand --fcs-skip=2 $__wattle_ab_takes
    else if test $cut -eq (count $words)
        complete -C (commandline -ct)
    else
        set cut (math $cut + 1)
        complete -C (string join ' ' -- (string escape -- $words[$cut..-1]) (commandline -ct))
    end
end

# The same of ab, check and sweep.
set -g __wattle_ab_takes -a -b -m -i -s -o --command-a --command-b --metric --resolve --min-pairs --max-pairs \
    --noise-pairs --noise-floor --seed --output --save --format --interval --sensor --warmup --cooldown --require \
    --sampler-cpu
set -g __wattle_check_takes -m -r -i -s -o --max --against --save --metric --repeat --junit --output --format \
    --interval --sensor --warmup --cooldown --require --sampler-cpu
set -g __wattle_sweep_takes -F -r -m -o -i -s --freq --turbo --power-limit --threads --repeat --slowdown \
    --metric --seed --output --resume --block --sbatch --plot --save --format --interval --sensor --warmup \
    --cooldown --require --sampler-cpu

complete -c wattle -f
complete -c wattle -n __fish_use_subcommand -l version -d 'show the version'
complete -c wattle -n __fish_use_subcommand -a run -d 'measure the energy of a command, a process or the machine'
complete -c wattle -n __fish_use_subcommand -a start -d 'start measuring in the background, for scripts'
complete -c wattle -n __fish_use_subcommand -a mark -d 'start the next stage of a "wattle start" measurement'
complete -c wattle -n __fish_use_subcommand -a stop -d 'stop a "wattle start" measurement and print its result'
complete -c wattle -n __fish_use_subcommand -a sensors -d 'list sensors, and why some cannot be read'
complete -c wattle -n __fish_use_subcommand -a counters -d 'list counter sets, and what this machine counts'
complete -c wattle -n __fish_use_subcommand -a doctor -d 'find what prevents measuring, and how to fix it'
complete -c wattle -n __fish_use_subcommand -a characterize -d 'what the power sensor of a GPU does: period, window, delay'
complete -c wattle -n __fish_use_subcommand -a gather -d 'save what wattle sees on this machine, for a bug report'
complete -c wattle -n __fish_use_subcommand -a top -d 'show power and energy of machine and processes, live'
complete -c wattle -n __fish_use_subcommand -a stats -d 'print the result of a run from its trace'
complete -c wattle -n __fish_use_subcommand -a report -d 'create an HTML page or a figure from traces'
complete -c wattle -n __fish_use_subcommand -a phases -d 'find phases of a run in its counters'
complete -c wattle -n __fish_use_subcommand -a predict -d 'which known run this is, and its energy at the end'
complete -c wattle -n __fish_use_subcommand -a tasks -d 'what each type of task of a run costs'
complete -c wattle -n __fish_use_subcommand -a cite -d 'describe a measurement for a paper'
complete -c wattle -n __fish_use_subcommand -a compare -d 'compare two runs, or two groups of repeats'
complete -c wattle -n __fish_use_subcommand -a ab -d 'compare the energy of two commands in pairs until it is clear'
complete -c wattle -n __fish_use_subcommand -a check -d 'check the energy of a command against a base, for CI'
complete -c wattle -n __fish_use_subcommand -a sweep -d 'energy against time of a command at several frequencies'
complete -c wattle -n __fish_use_subcommand -a pose -d 'decide whether to optimise power or run time'
complete -c wattle -n __fish_use_subcommand -a reduce -d 'align and sum the traces of all nodes of a run'
complete -c wattle -n __fish_use_subcommand -a export -d 'write a trace\'s samples, regions or events for other programs'
complete -c wattle -n __fish_use_subcommand -a import -d 'create a trace from recordings of other programs'
complete -c wattle -n __fish_use_subcommand -a repair -d 'repair traces cut off by a crash or a full disk'
complete -c wattle -n __fish_use_subcommand -a jobs -d 'energy of jobs: what they used, and what it costs'
complete -c wattle -n __fish_use_subcommand -a knobs -d 'list settings of frequency and power, and who may change them'
complete -c wattle -n __fish_use_subcommand -a hold -d 'change frequency or power limits while a command runs'
complete -c wattle -n __fish_use_subcommand -a restore -d 'restore frequency and power settings that a killed wattle left'
complete -c wattle -n __fish_use_subcommand -a allow -d 'let a user read the energy of this node'
complete -c wattle -n __fish_use_subcommand -a deny -d 'undo "wattle allow"'
complete -c wattle -n __fish_use_subcommand -a config -d 'show every setting, its value and its origin'
complete -c wattle -n __fish_use_subcommand -a help -d 'show the help of a verb'
complete -c wattle -n '__fish_seen_subcommand_from help' -a 'run start mark stop sensors counters doctor gather top stats report phases predict tasks cite compare ab check sweep pose reduce export import repair knobs hold restore jobs allow deny config characterize'

complete -c wattle -n '__fish_seen_subcommand_from run' -s i -l interval -d 'sample every DUR' -x
complete -c wattle -n '__fish_seen_subcommand_from run' -s s -l sensor -d 'use only these sensors: NAME[:key=value]' -x -a '(__wattle_sensors)'
complete -c wattle -n '__fish_seen_subcommand_from run' -s o -l output -d 'write the trace to FILE' -r -F
complete -c wattle -n '__fish_seen_subcommand_from run' -l force -d 'overwrite existing files'
complete -c wattle -n '__fish_seen_subcommand_from run' -l no-trace -d 'write no trace'
complete -c wattle -n '__fish_seen_subcommand_from run' -l record -d 'also record the run for "wattle jobs"'
complete -c wattle -n '__fish_seen_subcommand_from run' -l sync -d 'sync the trace to disk, so that it survives a power failure'
complete -c wattle -n '__fish_seen_subcommand_from run' -l result -d 'write the result there' -r -F
complete -c wattle -n '__fish_seen_subcommand_from run' -l format -d 'output format' -x -a 'text json csv'
complete -c wattle -n '__fish_seen_subcommand_from run' -s r -l repeat -d 'run the command N times' -x
complete -c wattle -n '__fish_seen_subcommand_from run' -l passes -d 'run it N times at shifted phases of a part-time gauge' -x
complete -c wattle -n '__fish_seen_subcommand_from run' -l ignore-failure -d 'continue when the command fails, and count the run'
complete -c wattle -n '__fish_seen_subcommand_from run' -l warmup -d 'first run the command N times unmeasured' -x
complete -c wattle -n '__fish_seen_subcommand_from run' -l cooldown -d 'pause DUR before each run' -x
complete -c wattle -n '__fish_seen_subcommand_from run' -l idle -d 'measure the idle machine for DUR before and after' -x
complete -c wattle -n '__fish_seen_subcommand_from run' -l require -d 'fail before the start if energy is only estimated' -x -a 'measured'
complete -c wattle -n '__fish_seen_subcommand_from run' -l on-phase -d 'run CMD when a phase begins or is expected' -r -F
complete -c wattle -n '__fish_seen_subcommand_from run' -l on-phase-interval -d 'run it at most every DUR' -x
complete -c wattle -n '__fish_seen_subcommand_from run' -l on-phase-ahead -d 'also run it DUR before a phase that is expected' -x
complete -c wattle -n '__fish_seen_subcommand_from run' -l on-phase-model -d 'expect what this model knows' -r -F
complete -c wattle -n '__fish_seen_subcommand_from run' -l tasks -d 'record tasks, states of threads and MPI messages' -a 'all summary'
complete -c wattle -n '__fish_seen_subcommand_from run' -l tasks-limit -d 'what these may take on disk before they become a summary' -x -a '100M 1G 10G 0'
complete -c wattle -n '__fish_seen_subcommand_from run' -l tasks-runtime -d 'OpenMP runtime to preload' -r -F -a 'auto none'
complete -c wattle -n '__fish_seen_subcommand_from run' -l tasks-counters -d 'counters to read at each border of a task' -x -a '(wattle counters 2>/dev/null | string match -r "^\S+")'
complete -c wattle -n '__fish_seen_subcommand_from run' -l mpi -d 'record MPI ranks, clocks and time' -x -a 'auto on off'
complete -c wattle -n '__fish_seen_subcommand_from run' -s p -l pid -d 'measure until process PID ends' -x -a '(__fish_complete_pids)'
complete -c wattle -n '__fish_seen_subcommand_from run' -l cgroup -d 'measure a control group' -r -F
complete -c wattle -n '__fish_seen_subcommand_from run' -s a -l all -d 'measure the machine'
complete -c wattle -n '__fish_seen_subcommand_from run' -l duration -d 'stop measuring after DUR' -x
complete -c wattle -n '__fish_seen_subcommand_from run' -s I -l print -d 'print a line every DUR while measuring' -x
complete -c wattle -n '__fish_seen_subcommand_from run' -s D -l delay -d 'start measuring MS milliseconds after the command' -x
complete -c wattle -n '__fish_seen_subcommand_from run' -l label -d 'label to find and group runs by' -x
complete -c wattle -n '__fish_seen_subcommand_from run' -l counters -d 'also record a set of counters' -x -a '(__wattle_counter_sets)'
complete -c wattle -n '__fish_seen_subcommand_from run' -l counters-interval -d 'read counters every DUR' -x
complete -c wattle -n '__fish_seen_subcommand_from run' -l counters-scope -d 'what to count for' -x -a 'auto machine tree cgroup'
complete -c wattle -n '__fish_seen_subcommand_from run' -l work -d 'the command does N units of work; print J per UNIT' -x
complete -c wattle -n '__fish_seen_subcommand_from run' -l sampler-cpu -d 'pin the sampler to CPU N' -x
complete -c wattle -n '__fish_seen_subcommand_from run' -l no-edges -d 'do not wait for counter updates at start and end'
complete -c wattle -n '__fish_seen_subcommand_from run' -s v -l verbose -d 'also print energy x time, memory, gaps and the cost of wattle'
complete -c wattle -n '__fish_seen_subcommand_from run' -s q -l quiet -d 'print no result and no warnings'
complete -c wattle -n '__fish_seen_subcommand_from run' -l host -d 'use a recorded host instead of this machine' -r -F
complete -c wattle -n '__fish_seen_subcommand_from run' -l freq -d 'set the frequency' -x -a 'min max'
complete -c wattle -n '__fish_seen_subcommand_from run' -l governor -d 'set the cpufreq governor' -x -a 'performance powersave userspace ondemand schedutil'
complete -c wattle -n '__fish_seen_subcommand_from run' -l epp -d 'set the energy performance preference' -x -a 'performance balance_performance balance_power power default'
complete -c wattle -n '__fish_seen_subcommand_from run' -l turbo -d 'allow turbo frequencies, or not' -x -a 'on off'
complete -c wattle -n '__fish_seen_subcommand_from run' -l power-limit -d 'limit the power of each package' -x
complete -c wattle -n '__fish_seen_subcommand_from run' -l uncore -d 'set the frequency of caches and mesh' -x -a 'min max'
complete -c wattle -n '__fish_seen_subcommand_from run' -l cpus -d 'change settings of these CPUs only' -x
complete -c wattle -n '__fish_seen_subcommand_from run' -s h -l help -d 'show this help and exit'
complete -c wattle -n '__fish_seen_subcommand_from run' -a '(__fish_complete_subcommand --fcs-skip=2 $__wattle_run_takes)'

complete -c wattle -n '__fish_seen_subcommand_from start' -s i -l interval -d 'sample every DUR' -x
complete -c wattle -n '__fish_seen_subcommand_from start' -s s -l sensor -d 'only these: NAME[:key=value]' -x -a '(__wattle_sensors)'
complete -c wattle -n '__fish_seen_subcommand_from start' -s o -l output -d 'write the trace to FILE' -r -F
complete -c wattle -n '__fish_seen_subcommand_from start' -l force -d 'overwrite existing files'
complete -c wattle -n '__fish_seen_subcommand_from start' -l sync -d 'sync the trace to disk, so that it survives a power failure'
complete -c wattle -n '__fish_seen_subcommand_from start' -l label -d 'label to find and group runs by' -x
complete -c wattle -n '__fish_seen_subcommand_from start' -l format -d 'output format of stop' -x -a 'text json csv'
complete -c wattle -n '__fish_seen_subcommand_from start' -l require -d 'fail if energy is only estimated' -x -a 'measured'
complete -c wattle -n '__fish_seen_subcommand_from start' -l sampler-cpu -d 'pin the sampler to CPU N' -x
complete -c wattle -n '__fish_seen_subcommand_from start' -l no-edges -d 'do not wait for counter updates at start and end'
complete -c wattle -n '__fish_seen_subcommand_from start' -l export -d 'print environment settings with which programs record regions'
complete -c wattle -n '__fish_seen_subcommand_from start' -l watch -d 'stop when process PID ends' -x -a '(__fish_complete_pids)'
complete -c wattle -n '__fish_seen_subcommand_from start' -s q -l quiet -d 'print no warnings and no start message'
complete -c wattle -n '__fish_seen_subcommand_from start' -s h -l help -d 'show this help and exit'
complete -c wattle -n '__fish_seen_subcommand_from mark' -l end -d 'end the current stage without starting another'
complete -c wattle -n '__fish_seen_subcommand_from mark' -s h -l help -d 'show this help and exit'
complete -c wattle -n '__fish_seen_subcommand_from stop' -l format -d 'output format' -x -a 'text json csv'
complete -c wattle -n '__fish_seen_subcommand_from stop' -s v -l verbose -d 'also print energy x time, memory, gaps and the cost of wattle'
complete -c wattle -n '__fish_seen_subcommand_from stop' -s h -l help -d 'show this help and exit'

complete -c wattle -n '__fish_seen_subcommand_from sensors' -s s -l sensor -d 'only these: NAME[:key=value]' -x -a '(__wattle_sensors)'
complete -c wattle -n '__fish_seen_subcommand_from sensors' -l format -d 'output format' -x -a 'text json csv'
complete -c wattle -n '__fish_seen_subcommand_from sensors' -l no-probe -d 'do not measure read cost and update rate'
complete -c wattle -n '__fish_seen_subcommand_from sensors' -l host -d 'show a recorded host instead of this machine' -r -F
complete -c wattle -n '__fish_seen_subcommand_from sensors' -s h -l help -d 'show this help and exit'

complete -c wattle -n '__fish_seen_subcommand_from counters' -l format -d 'text or json' -x -a 'text json'
complete -c wattle -n '__fish_seen_subcommand_from counters' -l host -d 'show a recorded host instead of this machine' -r -F
complete -c wattle -n '__fish_seen_subcommand_from counters' -s h -l help -d 'show this help and exit'
complete -c wattle -n '__fish_seen_subcommand_from counters' -f -a '(__wattle_counter_sets)'

complete -c wattle -n '__fish_seen_subcommand_from doctor' -s a -l all -d 'also show checks that passed or do not apply'
complete -c wattle -n '__fish_seen_subcommand_from doctor' -l format -d 'output format' -x -a 'text json'
complete -c wattle -n '__fish_seen_subcommand_from doctor' -l host -d 'check a recorded host instead of this machine' -r -F
complete -c wattle -n '__fish_seen_subcommand_from doctor' -s h -l help -d 'show this help and exit'

complete -c wattle -n '__fish_seen_subcommand_from characterize' -a gpu -d 'the power gauge of a GPU'
complete -c wattle -n '__fish_seen_subcommand_from characterize' -l channel -d 'the gauge' -x
complete -c wattle -n '__fish_seen_subcommand_from characterize' -l load-shape -d 'the load during the recording' -r -F
complete -c wattle -n '__fish_seen_subcommand_from characterize' -l device -d 'run the load on this GPU' -x
complete -c wattle -n '__fish_seen_subcommand_from characterize' -l period -d 'a guess of the period' -x
complete -c wattle -n '__fish_seen_subcommand_from characterize' -l hold -d 'length of the long steps' -x
complete -c wattle -n '__fish_seen_subcommand_from characterize' -s o -l output -d 'store in this file' -r -F
complete -c wattle -n '__fish_seen_subcommand_from characterize' -l no-store -d 'only print'
complete -c wattle -n '__fish_seen_subcommand_from characterize' -l format -d 'output format' -x -a 'text json csv'
complete -c wattle -n '__fish_seen_subcommand_from characterize' -s h -l help -d 'show this help and exit'
complete -c wattle -n '__fish_seen_subcommand_from gather' -s o -l output -d 'save to this folder' -r -F
complete -c wattle -n '__fish_seen_subcommand_from gather' -l force -d 'replace a folder saved by an earlier gather'
complete -c wattle -n '__fish_seen_subcommand_from gather' -s l -l list -d 'print what would be saved, and exit'
complete -c wattle -n '__fish_seen_subcommand_from gather' -s y -l yes -d 'save without asking'
complete -c wattle -n '__fish_seen_subcommand_from gather' -l host -d 'gather from a recorded host instead of this machine' -r -F
complete -c wattle -n '__fish_seen_subcommand_from gather' -s h -l help -d 'show this help and exit'

complete -c wattle -n '__fish_seen_subcommand_from top' -s i -l interval -d 'update every DUR' -x
complete -c wattle -n '__fish_seen_subcommand_from top' -s n -l count -d 'exit after N updates' -x
complete -c wattle -n '__fish_seen_subcommand_from top' -s b -l batch -d 'print lines instead of a full-screen view'
complete -c wattle -n '__fish_seen_subcommand_from top' -l format -d 'output format' -x -a 'text json csv'
complete -c wattle -n '__fish_seen_subcommand_from top' -l sort -d 'sort processes by KEY' -x -a 'power energy cpu name pid user'
complete -c wattle -n '__fish_seen_subcommand_from top' -l filter -d 'show only processes with TEXT in command or user' -x
complete -c wattle -n '__fish_seen_subcommand_from top' -l processes -d 'number of processes in json and csv' -x
complete -c wattle -n '__fish_seen_subcommand_from top' -l no-processes -d 'do not show processes'
complete -c wattle -n '__fish_seen_subcommand_from top' -l idle -d 'idle power in watts' -x
complete -c wattle -n '__fish_seen_subcommand_from top' -s s -l sensor -d 'use only these sensors: NAME[:key=value]' -x -a '(__wattle_sensors)'
complete -c wattle -n '__fish_seen_subcommand_from top' -l sample -d 'sample the sensors every DUR' -x
complete -c wattle -n '__fish_seen_subcommand_from top' -s o -l output -d 'also write a trace to FILE' -r -F
complete -c wattle -n '__fish_seen_subcommand_from top' -l force -d 'overwrite an existing file'
complete -c wattle -n '__fish_seen_subcommand_from top' -l ascii -d 'use ASCII characters only'
complete -c wattle -n '__fish_seen_subcommand_from top' -l host -d 'show a recorded host instead of this machine' -r -F
complete -c wattle -n '__fish_seen_subcommand_from top' -s h -l help -d 'show this help and exit'
complete -c wattle -n '__fish_seen_subcommand_from top' -f -a '(__wattle_traces)'

complete -c wattle -n '__fish_seen_subcommand_from stats' -l format -d 'output format' -x -a 'text json csv'
complete -c wattle -n '__fish_seen_subcommand_from stats' -l regions -d 'also print the energy of each region'
complete -c wattle -n '__fish_seen_subcommand_from stats' -l repeats -d 'treat the traces as repeats of one measurement'
complete -c wattle -n '__fish_seen_subcommand_from stats' -s v -l verbose -d 'also print energy x time, memory, gaps and the cost of wattle'
complete -c wattle -n '__fish_seen_subcommand_from stats' -s h -l help -d 'show this help and exit'
complete -c wattle -n '__fish_seen_subcommand_from stats' -f -a '(__wattle_traces)'

# What "wattle phases" is to do: "learn" or "graph" as its first word; without an argument, neither.
function __wattle_phases
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test "$words[2]" = phases; or return 1
    if test (count $argv) -eq 0
        not contains -- "$words[3]" learn graph
    else
        test "$words[3]" = $argv[1]
    end
end

complete -c wattle -n __wattle_phases -l method -d 'how changes are found' -x -a 'focus np-focus pelt paper'
complete -c wattle -n __wattle_phases -l row -d 'look for changes in rows of DUR' -x
complete -c wattle -n __wattle_phases -l min-length -d 'no phase is shorter than DUR' -x
complete -c wattle -n __wattle_phases -l window -d 'paper: rows of the window' -x
complete -c wattle -n __wattle_phases -l sliding -d 'paper: the window slides instead of growing'
complete -c wattle -n __wattle_phases -l top -d 'paper: compare the K counters with the largest correlation' -x
complete -c wattle -n __wattle_phases -l significance -d 'paper: compare the counters that a regression finds significant' -x -a 5%
complete -c wattle -n __wattle_phases -l node -d 'only this node of the run' -x
complete -c wattle -n __wattle_phases -l model -d 'the letters of this model' -r -F
complete -c wattle -n __wattle_phases -l idle -d 'letters with fewer cache misses per cycle are XXX' -x
complete -c wattle -n __wattle_phases -l dna -d 'print the letters with their durations'
complete -c wattle -n __wattle_phases -l step -d 'letters of this length' -x -a 15s
complete -c wattle -n __wattle_phases -l sorted -d 'counters of a letter in the order of the set'
complete -c wattle -n __wattle_phases -s o -l plot -d 'draw power and phases to FILE' -r -F
complete -c wattle -n __wattle_phases -l size -d 'size of the figure, WIDTHxHEIGHT in mm' -x -a '85 120 174x60'
complete -c wattle -n __wattle_phases -l dpi -d 'resolution of a PNG in dpi' -x -a '300 600'
complete -c wattle -n __wattle_phases -l title -d 'title above the figure' -x
complete -c wattle -n __wattle_phases -l force -d 'overwrite an existing file'
complete -c wattle -n __wattle_phases -l format -d 'output format' -x -a 'text json csv'
complete -c wattle -n __wattle_phases -s v -l verbose -d 'also print what the energy leaves out'
complete -c wattle -n __wattle_phases -s h -l help -d 'show this help and exit'
complete -c wattle -n __wattle_phases -f -a '(__wattle_traces)'
complete -c wattle -n '__wattle_phases; and test (count (commandline -opc)) -eq 2' -f -a 'learn graph'
complete -c wattle -n '__wattle_phases learn' -s o -l output -d 'write the model to MODEL' -r -F
complete -c wattle -n '__wattle_phases learn' -l force -d 'overwrite MODEL'
complete -c wattle -n '__wattle_phases learn' -l name -d 'name of all these runs' -x
complete -c wattle -n '__wattle_phases learn' -l platform -d 'where they ran' -x
complete -c wattle -n '__wattle_phases learn' -l method -d 'how changes are found' -x -a 'focus np-focus pelt paper'
complete -c wattle -n '__wattle_phases learn' -l row -d 'look for changes in rows of DUR' -x
complete -c wattle -n '__wattle_phases learn' -l step -d 'letters of this length' -x -a 15s
complete -c wattle -n '__wattle_phases learn' -l alike -d 'phases whose rates differ by less are the same letter' -x -a 15%
complete -c wattle -n '__wattle_phases learn' -l idle -d 'phases with fewer cache misses per cycle are XXX' -x
complete -c wattle -n '__wattle_phases learn' -l calibrate-idle -d 'find that limit from a run on the idle machine' -r -F
complete -c wattle -n '__wattle_phases learn' -s h -l help -d 'show this help and exit'
complete -c wattle -n '__wattle_phases learn' -f -a '(__wattle_traces)'
complete -c wattle -n '__wattle_phases graph' -s o -l output -d 'write to FILE' -r -F
complete -c wattle -n '__wattle_phases graph' -l format -d 'output format' -x -a 'svg dot json'
complete -c wattle -n '__wattle_phases graph' -l node -d 'transitions of node N of each run' -x
complete -c wattle -n '__wattle_phases graph' -l force -d 'overwrite FILE'
complete -c wattle -n '__wattle_phases graph' -s h -l help -d 'show this help and exit'
complete -c wattle -n '__wattle_phases graph' -F

complete -c wattle -n '__fish_seen_subcommand_from tasks; and not __fish_seen_subcommand_from calibrate' -l by -d 'types are those of tasks, or of regions' -x -a 'task region'
complete -c wattle -n '__fish_seen_subcommand_from tasks; and not __fish_seen_subcommand_from calibrate' -l method -d 'how powers are found' -x -a 'nnls ols paper'
complete -c wattle -n '__fish_seen_subcommand_from tasks; and not __fish_seen_subcommand_from calibrate' -s c -l channel -d 'divide the energy of this channel' -x
complete -c wattle -n '__fish_seen_subcommand_from tasks; and not __fish_seen_subcommand_from calibrate' -l idle-power -d 'power of the idle machine' -x
complete -c wattle -n '__fish_seen_subcommand_from tasks; and not __fish_seen_subcommand_from calibrate' -l static-power -d 'what it takes more as soon as any task runs' -x
complete -c wattle -n '__fish_seen_subcommand_from tasks; and not __fish_seen_subcommand_from calibrate' -l calibration -d 'use this calibration.conf' -r -F
complete -c wattle -n '__fish_seen_subcommand_from tasks; and not __fish_seen_subcommand_from calibrate' -l no-lag -d 'sensors are where their times say'
complete -c wattle -n '__fish_seen_subcommand_from tasks; and not __fish_seen_subcommand_from calibrate' -l no-intervals -d 'leave out the intervals'
complete -c wattle -n '__fish_seen_subcommand_from tasks; and not __fish_seen_subcommand_from calibrate' -l workers -d 'also print the energy of each core or thread'
complete -c wattle -n '__fish_seen_subcommand_from tasks; and not __fish_seen_subcommand_from calibrate' -l active -d 'also print task power by the number of active ones'
complete -c wattle -n '__fish_seen_subcommand_from tasks; and not __fish_seen_subcommand_from calibrate' -l cap -d 'instead: how long the tasks take under a power cap' -x
complete -c wattle -n '__fish_seen_subcommand_from tasks; and not __fish_seen_subcommand_from calibrate' -l cores -d 'under a cap: on so many cores' -x
complete -c wattle -n '__fish_seen_subcommand_from tasks; and not __fish_seen_subcommand_from calibrate' -l exponent -d 'under a cap: of power over speed' -x
complete -c wattle -n '__fish_seen_subcommand_from tasks; and not __fish_seen_subcommand_from calibrate' -l slowest -d 'under a cap: lowest speed' -x
complete -c wattle -n '__fish_seen_subcommand_from tasks; and not __fish_seen_subcommand_from calibrate' -l format -d 'output format' -x -a 'text json csv'
complete -c wattle -n '__fish_seen_subcommand_from tasks; and not __fish_seen_subcommand_from calibrate' -s v -l verbose -d 'all tables'
complete -c wattle -n '__fish_seen_subcommand_from tasks; and not __fish_seen_subcommand_from calibrate' -s h -l help -d 'show this help and exit'
complete -c wattle -n '__fish_seen_subcommand_from tasks; and not __fish_seen_subcommand_from calibrate' -a calibrate -d 'measure what the machine takes whatever runs'
complete -c wattle -n '__fish_seen_subcommand_from tasks; and __fish_seen_subcommand_from calibrate' -s n -l dry-run -d 'show the plan, run nothing'
complete -c wattle -n '__fish_seen_subcommand_from tasks; and __fish_seen_subcommand_from calibrate' -s t -l time -d 'measure each for DUR' -x
complete -c wattle -n '__fish_seen_subcommand_from tasks; and __fish_seen_subcommand_from calibrate' -l settle -d 'wait before each' -x
complete -c wattle -n '__fish_seen_subcommand_from tasks; and __fish_seen_subcommand_from calibrate' -s r -l runs -d 'measure each N times' -x
complete -c wattle -n '__fish_seen_subcommand_from tasks; and __fish_seen_subcommand_from calibrate' -l threads -d 'most threads of the load' -x
complete -c wattle -n '__fish_seen_subcommand_from tasks; and __fish_seen_subcommand_from calibrate' -s o -l output -d 'store in FILE' -r -F
complete -c wattle -n '__fish_seen_subcommand_from tasks; and __fish_seen_subcommand_from calibrate' -s f -l force -d 'store it even if other programs run'
complete -c wattle -n '__fish_seen_subcommand_from tasks; and __fish_seen_subcommand_from calibrate' -l format -d 'output format' -x -a 'text json csv'
complete -c wattle -n '__fish_seen_subcommand_from tasks; and __fish_seen_subcommand_from calibrate' -s s -l sensor -d 'use only these sensors' -x -a '(__wattle_sensors)'
complete -c wattle -n '__fish_seen_subcommand_from tasks; and __fish_seen_subcommand_from calibrate' -s q -l quiet -d 'print no warnings'
complete -c wattle -n '__fish_seen_subcommand_from tasks; and __fish_seen_subcommand_from calibrate' -s h -l help -d 'show this help and exit'
complete -c wattle -n '__fish_seen_subcommand_from predict' -l partial -d 'use only the first part of the trace' -x -a '20%'
complete -c wattle -n '__fish_seen_subcommand_from predict' -l follow -d 'predict while the trace is written'
complete -c wattle -n '__fish_seen_subcommand_from predict' -l every -d 'how often' -x
complete -c wattle -n '__fish_seen_subcommand_from predict' -l platform -d 'also what it would take there' -r -F
complete -c wattle -n '__fish_seen_subcommand_from predict' -l here -d 'platform on which the run was recorded' -x
complete -c wattle -n '__fish_seen_subcommand_from predict' -l derive -d 'energy so far from counters alone'
complete -c wattle -n '__fish_seen_subcommand_from predict' -l idle -d 'power of the idle system' -x
complete -c wattle -n '__fish_seen_subcommand_from predict' -s o -l plot -d 'draw energy so far and to the end to FILE' -r -F
complete -c wattle -n '__fish_seen_subcommand_from predict' -l force -d 'overwrite an existing file'
complete -c wattle -n '__fish_seen_subcommand_from predict' -l format -d 'output format' -x -a 'text json csv'
complete -c wattle -n '__fish_seen_subcommand_from predict' -s v -l verbose -d 'also print all letters to come'
complete -c wattle -n '__fish_seen_subcommand_from predict' -s h -l help -d 'show this help and exit'

complete -c wattle -n '__fish_seen_subcommand_from cite' -l format -d 'text, json or bibtex' -x -a 'text json bibtex'
complete -c wattle -n '__fish_seen_subcommand_from cite' -s h -l help -d 'show this help and exit'
complete -c wattle -n '__fish_seen_subcommand_from cite' -f -a '(__wattle_traces)'

# The action of "wattle jobs" is one of these.
function __wattle_jobs
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test "$words[2]" = jobs; or return 1
    if test (count $argv) -eq 0
        test (count $words) -eq 2
    else
        test (count $words) -ge 3; and contains -- "$words[3]" $argv
    end
end

complete -c wattle -n __wattle_jobs -f -a 'list show top report energy budget import post verify open begin end send health init purge anonymise'
complete -c wattle -n '__wattle_jobs list top report energy post verify' -l from -d 'jobs that ended at TIME or later' -x
complete -c wattle -n '__wattle_jobs list top report energy post verify' -l to -d 'and before TIME' -x
complete -c wattle -n '__wattle_jobs list top report' -s u -l user -d 'only jobs of this user' -x
complete -c wattle -n '__wattle_jobs list top report' -s A -l account -d 'only jobs of this account' -x
complete -c wattle -n '__wattle_jobs list top report' -s p -l partition -d 'only jobs of this partition' -x
complete -c wattle -n '__wattle_jobs list top report' -s n -l name -d 'only jobs or programs of this name' -x
complete -c wattle -n '__wattle_jobs list top report' -l node -d 'only jobs that ran on this node' -x
complete -c wattle -n '__wattle_jobs list top report' -l kind -d 'only jobs of this kind' -x -a 'any slurm run job'
complete -c wattle -n '__wattle_jobs list show top report energy budget import post verify' -l cluster -d 'only jobs of this cluster' -x
complete -c wattle -n '__wattle_jobs list show top report energy budget import post verify' -l database -d 'read sqlite:PATH or postgresql://HOST/NAME' -x
complete -c wattle -n '__wattle_jobs list top' -l state -d 'only jobs in this state' -x -a 'any unknown ended cut'
complete -c wattle -n '__wattle_jobs list top report' -s l -l limit -d 'at most N jobs' -x
complete -c wattle -n '__wattle_jobs report' -s b -l by -d 'one row for each user' -x -a 'user account program partition cluster node day week month all'
complete -c wattle -n '__wattle_jobs energy' -s w -l nodes -d 'only these nodes' -x
complete -c wattle -n '__wattle_jobs send health init purge anonymise' -l database -d 'sqlite:PATH or postgresql://HOST/NAME' -x
complete -c wattle -n '__wattle_jobs send' -l once -d 'send what is there, and exit'
complete -c wattle -n '__wattle_jobs send' -l follow -d 'go on sending until stopped'
complete -c wattle -n '__wattle_jobs send' -l interval -d 'look every DUR' -x
complete -c wattle -n '__wattle_jobs health' -l silent -d 'a node is silent after DUR' -x
complete -c wattle -n '__wattle_jobs health' -l unknown -d 'the most jobs whose energy may be unknown' -x
complete -c wattle -n '__wattle_jobs init' -l print -d 'print the SQL'
complete -c wattle -n '__wattle_jobs purge anonymise' -l before -d 'jobs that ended before TIME' -x
complete -c wattle -n '__wattle_jobs purge anonymise' -s y -l yes -d 'without asking'
complete -c wattle -n '__wattle_jobs budget' -s b -l budgets -d 'read the budgets of FILE' -r -F
complete -c wattle -n '__wattle_jobs budget' -l at -d 'as of TIME' -x
complete -c wattle -n '__wattle_jobs budget' -l exit-code -d 'exit status 3 if an account is over its budget'
complete -c wattle -n '__wattle_jobs import' -l from -d 'sacct: what FILE is' -x -a sacct
complete -c wattle -n '__wattle_jobs import' -l begin -d 'without FILE: jobs that ran at TIME or later' -x
complete -c wattle -n '__wattle_jobs import' -l end -d 'without FILE: and before TIME' -x
complete -c wattle -n '__wattle_jobs import post' -s n -l dry-run -d 'only print what would be believed'
complete -c wattle -n '__wattle_jobs import post verify' -s a -l all -d 'list all jobs that are not believed'
complete -c wattle -n '__wattle_jobs post verify' -l comment -d 'AdminComment instead of the energy'
complete -c wattle -n '__wattle_jobs post verify' -l simulated -d 'also energies of simulated sensors'
complete -c wattle -n '__wattle_jobs top' -f -a 'jobs users programs accounts nodes'
complete -c wattle -n '__wattle_jobs import' -F
complete -c wattle -n '__wattle_jobs begin' -l slurm -d 'take the job from the environment of Slurm\'s Prolog'
complete -c wattle -n '__wattle_jobs begin' -l cgroup -d 'the cgroup of the job' -x
complete -c wattle -n '__wattle_jobs begin' -l pid -d 'the job is this process and its descendants' -x -a '(__fish_complete_pids)'
complete -c wattle -n '__wattle_jobs begin' -l cpus -d 'CPUs on which it runs' -x
complete -c wattle -n '__wattle_jobs begin' -l gpus -d 'GPUs that are its own' -x
complete -c wattle -n '__wattle_jobs begin' -l reserved -d 'part of the node that is reserved for it' -x
complete -c wattle -n '__wattle_jobs begin' -l parent -d 'it is a step of this job' -x
complete -c wattle -n '__wattle_jobs begin' -l record -d 'keep a record of it'
complete -c wattle -n '__wattle_jobs begin' -l user -d 'its user, for the record' -x -a '(__fish_complete_users)'
complete -c wattle -n '__wattle_jobs begin' -l account -d 'its account, for the record' -x
complete -c wattle -n '__wattle_jobs begin' -l name -d 'its name, for the record' -x
complete -c wattle -n '__wattle_jobs end' -l slurm -d 'take the job from the environment of Slurm\'s Epilog'
complete -c wattle -n '__wattle_jobs end' -l left -d 'write the records of jobs that were cut'
complete -c wattle -n '__fish_seen_subcommand_from knobs' -l format -d 'output format' -x -a 'text json csv'
complete -c wattle -n '__fish_seen_subcommand_from knobs' -s v -l verbose -d 'one line per knob'
complete -c wattle -n '__fish_seen_subcommand_from knobs' -l host -d 'show a recorded host instead of this machine' -r -F
complete -c wattle -n '__fish_seen_subcommand_from knobs' -s h -l help -d 'show this help and exit'
complete -c wattle -n '__fish_seen_subcommand_from hold' -l freq -d 'set the frequency' -x -a 'min max'
complete -c wattle -n '__fish_seen_subcommand_from hold' -l governor -d 'set the cpufreq governor' -x -a 'performance powersave userspace ondemand schedutil'
complete -c wattle -n '__fish_seen_subcommand_from hold' -l epp -d 'set the energy performance preference' -x -a 'performance balance_performance balance_power power default'
complete -c wattle -n '__fish_seen_subcommand_from hold' -l turbo -d 'allow turbo frequencies, or not' -x -a 'on off'
complete -c wattle -n '__fish_seen_subcommand_from hold' -l power-limit -d 'limit the power of each package' -x
complete -c wattle -n '__fish_seen_subcommand_from hold' -l uncore -d 'set the frequency of caches and mesh' -x -a 'min max'
complete -c wattle -n '__fish_seen_subcommand_from hold' -l cpus -d 'change settings of these CPUs only' -x
complete -c wattle -n '__fish_seen_subcommand_from hold' -s p -l pid -d 'hold until this process ends' -x -a '(__fish_complete_pids)'
complete -c wattle -n '__fish_seen_subcommand_from hold' -l background -d 'return as soon as the settings are set'
complete -c wattle -n '__fish_seen_subcommand_from hold' -s v -l verbose -d 'print each setting with its old and its new value'
complete -c wattle -n '__fish_seen_subcommand_from hold' -s h -l help -d 'show this help and exit'
complete -c wattle -n '__fish_seen_subcommand_from hold' -a '(__fish_complete_subcommand --fcs-skip=2 $__wattle_hold_takes)'
complete -c wattle -n '__fish_seen_subcommand_from restore' -s l -l list -d 'only list settings that are held or open'
complete -c wattle -n '__fish_seen_subcommand_from restore' -l force -d 'also restore settings that others have changed'
complete -c wattle -n '__fish_seen_subcommand_from restore' -l format -d 'output format of --list' -x -a 'text json csv'
complete -c wattle -n '__fish_seen_subcommand_from restore' -s h -l help -d 'show this help and exit'
complete -c wattle -n '__fish_seen_subcommand_from jobs' -s h -l help -d 'show this help and exit'
complete -c wattle -n '__fish_seen_subcommand_from jobs; and not __wattle_jobs begin' -l format -d 'output format' -x -a 'text json csv'

complete -c wattle -n '__fish_seen_subcommand_from allow' -s h -l help -d 'show this help and exit'
complete -c wattle -n '__fish_seen_subcommand_from allow' -f -a '(__fish_complete_users)'

complete -c wattle -n '__fish_seen_subcommand_from deny' -s h -l help -d 'show this help and exit'
complete -c wattle -n '__fish_seen_subcommand_from deny' -f -a '(__fish_complete_users)'

complete -c wattle -n '__fish_seen_subcommand_from report' -s o -l output -d 'write to FILE, which appears only when it is complete' -r -F
complete -c wattle -n '__fish_seen_subcommand_from report' -l format -d 'html or json' -x -a 'html json'
complete -c wattle -n '__fish_seen_subcommand_from report' -l force -d 'overwrite an existing file'
complete -c wattle -n '__fish_seen_subcommand_from report' -l redact -d 'leave out what identifies people and machines'
complete -c wattle -n '__fish_seen_subcommand_from report' -l serve -d 'show the page at an address of this machine'
complete -c wattle -n '__fish_seen_subcommand_from report' -l port -x -d 'port for --serve'
complete -c wattle -n '__fish_seen_subcommand_from report' -l reference -d 'a line in the box plots of runs' -x -a '500W 1kW'
complete -c wattle -n '__fish_seen_subcommand_from report' -l plot -d 'write a figure for a paper instead of the page' -r -F
complete -c wattle -n '__fish_seen_subcommand_from report' -l figure -d 'what --plot shows' -x -a 'power energy distribution regions domains boxes nodes tags scaling'
complete -c wattle -n '__fish_seen_subcommand_from report' -l part -d 'only this part' -x -a 'total package dram gpu network'
complete -c wattle -n '__fish_seen_subcommand_from report' -l sort -d 'order of nodes' -x -a 'name energy'
complete -c wattle -n '__fish_seen_subcommand_from report' -l size -d 'size of the figure, WIDTHxHEIGHT in mm' -x -a '85 85x60 174x60'
complete -c wattle -n '__fish_seen_subcommand_from report' -l dpi -d 'resolution of a PNG in dpi' -x -a '300 600'
complete -c wattle -n '__fish_seen_subcommand_from report' -l title -d 'title above the figure' -x
complete -c wattle -n '__fish_seen_subcommand_from report' -s h -l help -d 'show this help and exit'
complete -c wattle -n '__fish_seen_subcommand_from report' -f -a '(__wattle_traces)'

complete -c wattle -n '__fish_seen_subcommand_from compare' -s a -l a -d 'a trace of side A, as are the traces after it' -r -F
complete -c wattle -n '__fish_seen_subcommand_from compare' -s b -l b -d 'a trace of side B, as are the traces after it' -r -F
complete -c wattle -n '__fish_seen_subcommand_from compare' -l format -d 'output format' -x -a 'text json csv'
complete -c wattle -n '__fish_seen_subcommand_from compare' -l paired -d 'run i of A and run i of B ran one right after the other'
complete -c wattle -n '__fish_seen_subcommand_from compare' -l regions -d 'also compare the regions that both sides have'
complete -c wattle -n '__fish_seen_subcommand_from compare' -l resolve -d 'the difference that matters' -x -a '0.5% 1% 2%'
complete -c wattle -n '__fish_seen_subcommand_from compare' -l noise -d 'a noise floor: the JSON of an earlier comparison' -r -F
complete -c wattle -n '__fish_seen_subcommand_from compare' -l warm-up -d 'drop the first N runs of each side' -x -a 'auto 1 2'
complete -c wattle -n '__fish_seen_subcommand_from compare' -l seed -d 'of the bootstrap' -x
complete -c wattle -n '__fish_seen_subcommand_from compare' -l plot -d 'also draw the comparison: FILE.svg, .pdf or .png' -r -F
complete -c wattle -n '__fish_seen_subcommand_from compare' -l redact -d 'leave out of the figure what identifies people and machines'
complete -c wattle -n '__fish_seen_subcommand_from compare' -l force -d 'overwrite an existing file'
complete -c wattle -n '__fish_seen_subcommand_from compare' -l details -d 'channels, other methods, each run'
complete -c wattle -n '__fish_seen_subcommand_from compare' -l exit-code -d 'exit with 3 if time or energy differs'
complete -c wattle -n '__fish_seen_subcommand_from compare' -s h -l help -d 'show this help and exit'
complete -c wattle -n '__fish_seen_subcommand_from compare' -f -a '(__wattle_traces)'

complete -c wattle -n '__fish_seen_subcommand_from ab' -s a -l command-a -d 'A as a line for sh -c' -x
complete -c wattle -n '__fish_seen_subcommand_from ab' -s b -l command-b -d 'B as a line for sh -c' -x
complete -c wattle -n '__fish_seen_subcommand_from ab' -s m -l metric -d 'what decides' -x -a 'energy time power edp'
complete -c wattle -n '__fish_seen_subcommand_from ab' -l resolve -d 'differences below PART do not matter' -x
complete -c wattle -n '__fish_seen_subcommand_from ab' -l min-pairs -d 'check the result from pair N on' -x
complete -c wattle -n '__fish_seen_subcommand_from ab' -l max-pairs -d 'stop after N pairs at the latest' -x
complete -c wattle -n '__fish_seen_subcommand_from ab' -l noise-pairs -d 'pairs of A against A at the start' -x
complete -c wattle -n '__fish_seen_subcommand_from ab' -l noise-floor -d 'read the noise floor from a file of --save' -r -F
complete -c wattle -n '__fish_seen_subcommand_from ab' -l seed -d 'seed of the random order' -x
complete -c wattle -n '__fish_seen_subcommand_from ab' -s o -l output -d 'keep the traces of all runs in DIR' -r -F
complete -c wattle -n '__fish_seen_subcommand_from ab' -l show-output -d 'show the output of the commands on stderr'
complete -c wattle -n '__fish_seen_subcommand_from ab' -l ignore-failure -d 'compare even if a command fails'
complete -c wattle -n '__fish_seen_subcommand_from ab' -l save -d 'also write the JSON document to FILE' -r -F
complete -c wattle -n '__fish_seen_subcommand_from ab' -l details -d 'channels, other methods, each run'
complete -c wattle -n '__fish_seen_subcommand_from ab' -l format -d 'output format' -x -a 'text json csv'
complete -c wattle -n '__fish_seen_subcommand_from ab' -s i -l interval -d 'sample every DUR' -x
complete -c wattle -n '__fish_seen_subcommand_from ab' -s s -l sensor -d 'use only these sensors: NAME[:key=value]' -x -a '(__wattle_sensors)'
complete -c wattle -n '__fish_seen_subcommand_from ab' -l warmup -d 'first run each command N times unmeasured' -x
complete -c wattle -n '__fish_seen_subcommand_from ab' -l cooldown -d 'pause DUR before each run' -x
complete -c wattle -n '__fish_seen_subcommand_from ab' -l require -d 'fail before the start if energy is only estimated' -x -a 'measured'
complete -c wattle -n '__fish_seen_subcommand_from ab' -l sampler-cpu -d 'pin the sampler to CPU N' -x
complete -c wattle -n '__fish_seen_subcommand_from ab' -l no-edges -d 'do not wait for counter updates at start and end'
complete -c wattle -n '__fish_seen_subcommand_from ab' -l force -d 'overwrite existing files'
complete -c wattle -n '__fish_seen_subcommand_from ab' -s q -l quiet -d 'print no progress and no warnings'
complete -c wattle -n '__fish_seen_subcommand_from ab' -s h -l help -d 'show this help and exit'
complete -c wattle -n '__fish_seen_subcommand_from ab' -a '(__wattle_turns)'

complete -c wattle -n '__fish_seen_subcommand_from check' -l max -d 'allowed change from the base' -x
complete -c wattle -n '__fish_seen_subcommand_from check' -l against -d 'a trace, a folder of traces, or a JSON result' -r -F
complete -c wattle -n '__fish_seen_subcommand_from check' -l save -d 'write the runs to FILE as a base' -r -F
complete -c wattle -n '__fish_seen_subcommand_from check' -s m -l metric -d 'quantity compared with the base' -x -a 'energy time power edp'
complete -c wattle -n '__fish_seen_subcommand_from check' -s r -l repeat -d 'run the command N times' -x
complete -c wattle -n '__fish_seen_subcommand_from check' -l strict -d 'pass only what is shown to be within the limit'
complete -c wattle -n '__fish_seen_subcommand_from check' -l allow-unknown -d 'also pass if the result is unknown'
complete -c wattle -n '__fish_seen_subcommand_from check' -l junit -d 'write a JUnit test report to FILE' -r -F
complete -c wattle -n '__fish_seen_subcommand_from check' -s o -l output -d 'keep the traces of the runs in DIR' -r -F
complete -c wattle -n '__fish_seen_subcommand_from check' -l show-output -d 'show the output of the command on stderr'
complete -c wattle -n '__fish_seen_subcommand_from check' -l ignore-failure -d 'continue if the command fails'
complete -c wattle -n '__fish_seen_subcommand_from check' -l details -d 'other methods, each run'
complete -c wattle -n '__fish_seen_subcommand_from check' -l format -d 'output format' -x -a 'text json'
complete -c wattle -n '__fish_seen_subcommand_from check' -s i -l interval -d 'sample every DUR' -x
complete -c wattle -n '__fish_seen_subcommand_from check' -s s -l sensor -d 'use only these sensors: NAME[:key=value]' -x -a '(__wattle_sensors)'
complete -c wattle -n '__fish_seen_subcommand_from check' -l warmup -d 'first run each command N times unmeasured' -x
complete -c wattle -n '__fish_seen_subcommand_from check' -l cooldown -d 'pause DUR before each run' -x
complete -c wattle -n '__fish_seen_subcommand_from check' -l require -d 'fail before the start if energy is only estimated' -x -a 'measured'
complete -c wattle -n '__fish_seen_subcommand_from check' -l sampler-cpu -d 'pin the sampler to CPU N' -x
complete -c wattle -n '__fish_seen_subcommand_from check' -l no-edges -d 'do not wait for counter updates at start and end'
complete -c wattle -n '__fish_seen_subcommand_from check' -l force -d 'overwrite existing files'
complete -c wattle -n '__fish_seen_subcommand_from check' -s q -l quiet -d 'print no progress and no warnings'
complete -c wattle -n '__fish_seen_subcommand_from check' -s h -l help -d 'show this help and exit'
complete -c wattle -n '__fish_seen_subcommand_from check' -a '(__fish_complete_subcommand --fcs-skip=2 $__wattle_check_takes)'

complete -c wattle -n '__fish_seen_subcommand_from export' -s t -l to -d 'format of the files' -x -a 'csv json moneq slurm-hdf5 paraver otf2 perfetto'
complete -c wattle -n '__fish_seen_subcommand_from export' -s o -l output -d 'write to FILE instead of standard output' -r -F
complete -c wattle -n '__fish_seen_subcommand_from export' -l force -d 'overwrite an existing file'
complete -c wattle -n '__fish_seen_subcommand_from export' -s w -l what -d 'samples' -x -a 'samples regions events gaps metadata tasks'
complete -c wattle -n '__fish_seen_subcommand_from export' -s c -l channel -d 'only these channels' -x
complete -c wattle -n '__fish_seen_subcommand_from export' -l from -d 'start at this time' -x
complete -c wattle -n '__fish_seen_subcommand_from export' -l until -d 'end at this time' -x
complete -c wattle -n '__fish_seen_subcommand_from export' -l long -d 'one row per value instead of one column per channel'
complete -c wattle -n '__fish_seen_subcommand_from export' -l interval -d 'moneq: minimum time between lines' -x
complete -c wattle -n '__fish_seen_subcommand_from export' -l acctg-freq -d 'slurm-hdf5: time between rows, as for srun' -x
complete -c wattle -n '__fish_seen_subcommand_from export' -l node -d 'export only this node of a run' -x
complete -c wattle -n '__fish_seen_subcommand_from export' -l comments -d 'start CSV with # lines'
complete -c wattle -n '__fish_seen_subcommand_from export' -l no-comments -d 'no # lines in CSV (default)'
complete -c wattle -n '__fish_seen_subcommand_from export' -s h -l help -d 'show this help and exit'
complete -c wattle -n '__fish_seen_subcommand_from export' -f -a '(__wattle_traces)'

complete -c wattle -n '__fish_seen_subcommand_from import' -l from -d 'format of the files' -x -a 'csv likwid moneq (wattle import --formats 2>/dev/null | string match -r "^ *[a-z0-9_]+" | string trim)'
complete -c wattle -n '__fish_seen_subcommand_from import' -l formats -d 'list the formats that are recognised'
complete -c wattle -n '__fish_seen_subcommand_from import' -s o -l output -d 'write this trace' -r -F
complete -c wattle -n '__fish_seen_subcommand_from import' -l force -d 'overwrite an existing trace'
complete -c wattle -n '__fish_seen_subcommand_from import' -s n -l dry-run -d 'show mapping and faults, write nothing'
complete -c wattle -n '__fish_seen_subcommand_from import' -l time -d 'time column' -x
complete -c wattle -n '__fish_seen_subcommand_from import' -s c -l column -d 'meaning of a column' -x
complete -c wattle -n '__fish_seen_subcommand_from import' -l ignore -d 'skip columns with this name or pattern' -x
complete -c wattle -n '__fish_seen_subcommand_from import' -l only -d 'use only columns with this name or pattern' -x
complete -c wattle -n '__fish_seen_subcommand_from import' -l cover -d 'column with the time that the energy of a row covers' -x
complete -c wattle -n '__fish_seen_subcommand_from import' -l shift -d 'shift a column by rows relative to the others' -x
complete -c wattle -n '__fish_seen_subcommand_from import' -l separator -d 'separator' -x -a 'comma semicolon tab bar blank'
complete -c wattle -n '__fish_seen_subcommand_from import' -l decimal -d 'decimal sign' -x -a 'point comma'
complete -c wattle -n '__fish_seen_subcommand_from import' -l split -d 'column that names what a row is about' -x
complete -c wattle -n '__fish_seen_subcommand_from import' -l thousands -d 'digits are grouped'
complete -c wattle -n '__fish_seen_subcommand_from import' -l time-format -d 'format of dates' -x -a 'iso dmy mdy ctime clock'
complete -c wattle -n '__fish_seen_subcommand_from import' -l zone -d 'time zone of dates that have none' -x
complete -c wattle -n '__fish_seen_subcommand_from import' -l spread-times -d 'spread rows of one time evenly'
complete -c wattle -n '__fish_seen_subcommand_from import' -s y -l yes -d 'assume what is likely, with the flag ASSUMED'
complete -c wattle -n '__fish_seen_subcommand_from import' -l save-format -d 'write the mapping to this file' -r -F
complete -c wattle -n '__fish_seen_subcommand_from import' -l node -d 'machine of the recording' -x
complete -c wattle -n '__fish_seen_subcommand_from import' -l meta -d 'fact about the run or machine' -x
complete -c wattle -n '__fish_seen_subcommand_from import' -l most-lost -d 'percentage that --lenient may leave out' -x
complete -c wattle -n '__fish_seen_subcommand_from import' -l no-header -d 'the first row holds values'
complete -c wattle -n '__fish_seen_subcommand_from import' -l start -d 'date of time 0' -x
complete -c wattle -n '__fish_seen_subcommand_from import' -s m -l mapping -d 'read options from FILE' -r -F
complete -c wattle -n '__fish_seen_subcommand_from import' -l lenient -d 'skip and count unreadable rows'
complete -c wattle -n '__fish_seen_subcommand_from import' -l strict -d 'fail if the data has faults'
complete -c wattle -n '__fish_seen_subcommand_from import' -l format -d 'output format' -x -a 'text json'
complete -c wattle -n '__fish_seen_subcommand_from import' -s h -l help -d 'show this help and exit'
complete -c wattle -n '__fish_seen_subcommand_from import' -F

complete -c wattle -n '__fish_seen_subcommand_from reduce' -s o -l output -d 'write run.wtl and the CSV files to this folder' -x -a '(__fish_complete_directories)'
complete -c wattle -n '__fish_seen_subcommand_from reduce' -l force -d 'overwrite existing files'
complete -c wattle -n '__fish_seen_subcommand_from reduce' -l partial -d 'continue when some traces are refused or missing'
complete -c wattle -n '__fish_seen_subcommand_from reduce' -l run -d 'run to reduce' -x
complete -c wattle -n '__fish_seen_subcommand_from reduce' -s g -l groups -d 'one output per group of MPI ranks' -x
complete -c wattle -n '__fish_seen_subcommand_from reduce' -l step -d 'time between CSV rows' -x
complete -c wattle -n '__fish_seen_subcommand_from reduce' -l format -d 'output format' -x -a 'text json csv'
complete -c wattle -n '__fish_seen_subcommand_from reduce' -s h -l help -d 'show this help and exit'
complete -c wattle -n '__fish_seen_subcommand_from reduce' -f -a '(__wattle_traces)'

complete -c wattle -n '__fish_seen_subcommand_from repair' -l format -d 'output format' -x -a 'text json csv'
complete -c wattle -n '__fish_seen_subcommand_from repair' -s h -l help -d 'show this help and exit'
complete -c wattle -n '__fish_seen_subcommand_from repair' -f -a '(__wattle_traces)'

complete -c wattle -n '__fish_seen_subcommand_from config' -l format -d 'output format' -x -a 'text json csv'
complete -c wattle -n '__fish_seen_subcommand_from config' -s h -l help -d 'show this help and exit'
complete -c wattle -n '__fish_seen_subcommand_from config' -a 'run control sensor jobs slurm wattled pm'

complete -c wattle -n '__fish_seen_subcommand_from sweep' -s F -l freq -d 'frequencies: values and ranges with a step' -x
complete -c wattle -n '__fish_seen_subcommand_from sweep' -l turbo -d 'with turbo, without, or both' -x -a 'on off both'
complete -c wattle -n '__fish_seen_subcommand_from sweep' -l power-limit -d 'power limits of each package' -x
complete -c wattle -n '__fish_seen_subcommand_from sweep' -l threads -d 'numbers of threads' -x
complete -c wattle -n '__fish_seen_subcommand_from sweep' -s r -l repeat -d 'blocks, each with every setting once' -x
complete -c wattle -n '__fish_seen_subcommand_from sweep' -l slowdown -d 'how much slower than the fastest' -x
complete -c wattle -n '__fish_seen_subcommand_from sweep' -s m -l metric -d 'one more goal' -x -a 'Et^1 Et^2 Et^3'
complete -c wattle -n '__fish_seen_subcommand_from sweep' -l seed -d 'seed of the random order' -x
complete -c wattle -n '__fish_seen_subcommand_from sweep' -s o -l output -d 'keep the plan and all traces in DIR' -r -F
complete -c wattle -n '__fish_seen_subcommand_from sweep' -l resume -d 'go on with the sweep in DIR' -r -F
complete -c wattle -n '__fish_seen_subcommand_from sweep' -l no-run -d 'run nothing, print what there is'
complete -c wattle -n '__fish_seen_subcommand_from sweep' -l block -d 'run only block N' -x
complete -c wattle -n '__fish_seen_subcommand_from sweep' -l slurm -d 'submit it as a job array to Slurm'
complete -c wattle -n '__fish_seen_subcommand_from sweep' -l sbatch -d 'an option for sbatch' -x
complete -c wattle -n '__fish_seen_subcommand_from sweep' -l plot -d 'draw energy against time to FILE' -r -F
complete -c wattle -n '__fish_seen_subcommand_from sweep' -l save -d 'also write the JSON document to FILE' -r -F
complete -c wattle -n '__fish_seen_subcommand_from sweep' -l show-output -d 'show the output of the command on stderr'
complete -c wattle -n '__fish_seen_subcommand_from sweep' -l ignore-failure -d 'count runs even if the command fails'
complete -c wattle -n '__fish_seen_subcommand_from sweep' -l details -d 'also print the curve of each sensor'
complete -c wattle -n '__fish_seen_subcommand_from sweep' -l format -d 'output format' -x -a 'text json csv'
complete -c wattle -n '__fish_seen_subcommand_from sweep' -s i -l interval -d 'sample every DUR' -x
complete -c wattle -n '__fish_seen_subcommand_from sweep' -s s -l sensor -d 'use only these sensors: NAME[:key=value]' -x -a '(__wattle_sensors)'
complete -c wattle -n '__fish_seen_subcommand_from sweep' -l warmup -d 'first run the command N times unmeasured' -x
complete -c wattle -n '__fish_seen_subcommand_from sweep' -l cooldown -d 'pause DUR before each run' -x
complete -c wattle -n '__fish_seen_subcommand_from sweep' -l require -d 'fail before the start if energy is only estimated' -x -a 'measured'
complete -c wattle -n '__fish_seen_subcommand_from sweep' -l sampler-cpu -d 'pin the sampler to CPU N' -x
complete -c wattle -n '__fish_seen_subcommand_from sweep' -l no-edges -d 'do not wait for counter updates at start and end'
complete -c wattle -n '__fish_seen_subcommand_from sweep' -l force -d 'overwrite existing files'
complete -c wattle -n '__fish_seen_subcommand_from sweep' -s q -l quiet -d 'print no progress and no warnings'
complete -c wattle -n '__fish_seen_subcommand_from sweep' -s h -l help -d 'show this help and exit'
complete -c wattle -n '__fish_seen_subcommand_from sweep' -a '(__fish_complete_subcommand --fcs-skip=2 $__wattle_sweep_takes)'

complete -c wattle -n '__fish_seen_subcommand_from pose' -l time -d 'run time of the code' -x
complete -c wattle -n '__fish_seen_subcommand_from pose' -l energy -d 'energy of the code' -x
complete -c wattle -n '__fish_seen_subcommand_from pose' -l label -d 'name of the code' -x
complete -c wattle -n '__fish_seen_subcommand_from pose' -l code -d 'the following traces are repeats of this code' -x
complete -c wattle -n '__fish_seen_subcommand_from pose' -s c -l channel -d 'use the energy of this channel or domain' -x
complete -c wattle -n '__fish_seen_subcommand_from pose' -l region -d 'use only this region of the code' -x
complete -c wattle -n '__fish_seen_subcommand_from pose' -s i -l input -d 'CSV of codes' -r -F
complete -c wattle -n '__fish_seen_subcommand_from pose' -l candidate -d 'another version of the code' -r -F
complete -c wattle -n '__fish_seen_subcommand_from pose' -l parameter -d 'column that distinguishes the versions' -x
complete -c wattle -n '__fish_seen_subcommand_from pose' -l system -d 'what the machine allows, for any code'
complete -c wattle -n '__fish_seen_subcommand_from pose' -l pmin -d 'minimum power of the busy machine' -x
complete -c wattle -n '__fish_seen_subcommand_from pose' -l pmax -d 'maximum power of the busy machine' -x
complete -c wattle -n '__fish_seen_subcommand_from pose' -l floor -d 'calibrated load used for Pmin' -x -a 'auto omp_serial omp_parallel mpi_parallel mpi_serial'
complete -c wattle -n '__fish_seen_subcommand_from pose' -l calibration -d 'use this calibration.conf' -r -F
complete -c wattle -n '__fish_seen_subcommand_from pose' -s m -l metric -d 'cost to minimise' -x -a 'E Et Et^2 Et^3 EDS: EDD:'
complete -c wattle -n '__fish_seen_subcommand_from pose' -l details -d 'show each code and metric in full'
complete -c wattle -n '__fish_seen_subcommand_from pose' -l format -d 'output format' -x -a 'text json csv'
complete -c wattle -n '__fish_seen_subcommand_from pose' -s o -l output -d 'write to FILE instead of standard output' -r -F
complete -c wattle -n '__fish_seen_subcommand_from pose' -l force -d 'overwrite existing files'
complete -c wattle -n '__fish_seen_subcommand_from pose' -l redact -d 'leave out what identifies people and machines'
complete -c wattle -n '__fish_seen_subcommand_from pose' -l plot -d 'also draw it: FILE.html, .svg, .pdf or .png' -r -F
complete -c wattle -n '__fish_seen_subcommand_from pose' -l layout -d 'of the charts' -x -a 'overlaid side-by-side'
complete -c wattle -n '__fish_seen_subcommand_from pose' -l size -d 'size of the figure, WIDTHxHEIGHT in mm' -x -a '85 85x60 174x60'
complete -c wattle -n '__fish_seen_subcommand_from pose' -l dpi -d 'resolution of a PNG in dpi' -x -a '300 600'
complete -c wattle -n '__fish_seen_subcommand_from pose' -l title -d 'title above the chart' -x
complete -c wattle -n '__fish_seen_subcommand_from pose' -l no-power -d 'do not draw the power over time'
complete -c wattle -n '__fish_seen_subcommand_from pose' -s h -l help -d 'show this help and exit'
complete -c wattle -n '__fish_seen_subcommand_from pose' -f -a '(__wattle_traces)'
complete -c wattle -n '__fish_seen_subcommand_from pose; and not __fish_seen_subcommand_from calibrate' -f -a calibrate -d 'measure the minimum and maximum power of this machine'
complete -c wattle -n '__fish_seen_subcommand_from pose; and __fish_seen_subcommand_from calibrate' -s n -l dry-run -d 'show the plan, run nothing'
complete -c wattle -n '__fish_seen_subcommand_from pose; and __fish_seen_subcommand_from calibrate' -l loads -d 'only these' -x -a 'omp_serial omp_parallel mpi_parallel mpi_serial fma stress_ng firestarter command'
complete -c wattle -n '__fish_seen_subcommand_from pose; and __fish_seen_subcommand_from calibrate' -s r -l runs -d 'measure each load N times' -x
complete -c wattle -n '__fish_seen_subcommand_from pose; and __fish_seen_subcommand_from calibrate' -s t -l time -d 'measure each run for DUR' -x
complete -c wattle -n '__fish_seen_subcommand_from pose; and __fish_seen_subcommand_from calibrate' -l settle -d 'maximum wait for power to settle' -x
complete -c wattle -n '__fish_seen_subcommand_from pose; and __fish_seen_subcommand_from calibrate' -l threads -d 'threads or ranks' -x
complete -c wattle -n '__fish_seen_subcommand_from pose; and __fish_seen_subcommand_from calibrate' -l wait -d 'how the threads of omp_serial wait' -x -a 'active passive'
complete -c wattle -n '__fish_seen_subcommand_from pose; and __fish_seen_subcommand_from calibrate' -l launcher -d 'command that starts MPI ranks' -x
complete -c wattle -n '__fish_seen_subcommand_from pose; and __fish_seen_subcommand_from calibrate' -l load-command -d 'another load for Pmax' -x
complete -c wattle -n '__fish_seen_subcommand_from pose; and __fish_seen_subcommand_from calibrate' -l seed -d 'seed of the random order' -x
complete -c wattle -n '__fish_seen_subcommand_from pose; and __fish_seen_subcommand_from calibrate' -s s -l sensor -d 'use only these sensors' -x -a '(__wattle_sensors)'
complete -c wattle -n '__fish_seen_subcommand_from pose; and __fish_seen_subcommand_from calibrate' -l require -d 'fail if energy is only estimated' -x -a measured
complete -c wattle -n '__fish_seen_subcommand_from pose; and __fish_seen_subcommand_from calibrate' -s q -l quiet -d 'print no plan, no progress and no warnings'
