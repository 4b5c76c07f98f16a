# SPDX-License-Identifier: BSD-3-Clause
# Completion of wattle for bash. Options stand in the tables of src/cli; a test compares.
# shellcheck shell=bash disable=SC2207 # completions are words

_wattle_sensors() {
    wattle sensors --no-probe --sensor all --format csv 2>/dev/null | sed '1d; s/,.*//' | sort -u
}

_wattle_counter_sets() {
    wattle counters 2>/dev/null | awk 'NF == 0 { exit } NR > 1 { print $1 }'
}

# The argument of option $1, or failure when it takes none.
_wattle_argument() {
    local verb=$1 option=$2

    case $option in
    --format)
        case $verb in
        report) COMPREPLY=($(compgen -W 'html json' -- "$cur")) ;;
        cite) COMPREPLY=($(compgen -W 'text json bibtex' -- "$cur")) ;;
        phases_graph) COMPREPLY=($(compgen -W 'svg dot json' -- "$cur")) ;;
        counters | doctor | check | import) COMPREPLY=($(compgen -W 'text json' -- "$cur")) ;;
        *) COMPREPLY=($(compgen -W 'text json csv' -- "$cur")) ;;
        esac
        ;;
    --sort) COMPREPLY=($(compgen -W 'power energy cpu name pid user' -- "$cur")) ;;
    --from)
        COMPREPLY=()
        [ "$verb" != jobs_import ] || COMPREPLY=($(compgen -W sacct -- "$cur"))
        [ "$verb" != import ] || COMPREPLY=($(compgen -W "csv likwid moneq $(wattle import --formats 2>/dev/null | awk 'NR > 1 { print $1 }')" -- "$cur"))
        ;;
    --separator) COMPREPLY=($(compgen -W 'comma semicolon tab bar blank' -- "$cur")) ;;
    --time-format) COMPREPLY=($(compgen -W 'iso dmy mdy ctime clock' -- "$cur")) ;;
    --save-format) COMPREPLY=($(compgen -f -- "$cur")) ;;
    --kind) COMPREPLY=($(compgen -W 'any slurm run job' -- "$cur")) ;;
    --state) COMPREPLY=($(compgen -W 'any unknown ended cut' -- "$cur")) ;;
    --by) COMPREPLY=($(compgen -W 'user account program partition cluster node day week month all' -- "$cur")) ;;
    --budgets) COMPREPLY=($(compgen -f -- "$cur")) ;;
    --decimal) COMPREPLY=($(compgen -W 'point comma' -- "$cur")) ;;
    --to) COMPREPLY=($(compgen -W 'csv json moneq slurm-hdf5 paraver otf2 perfetto' -- "$cur")) ;;
    --what | -w) COMPREPLY=($(compgen -W 'samples regions events gaps metadata tasks' -- "$cur")) ;;
    -i)
        [ "$verb" = pose ] || { COMPREPLY=(); return; }
        COMPREPLY=($(compgen -f -- "$cur"))
        ;;
    --metric | -m)
        [ "$verb" != import ] || { COMPREPLY=($(compgen -f -- "$cur")); return; }
        [ "$verb" != pose ] || { COMPREPLY=($(compgen -W 'E Et Et^2 Et^3 EDS: EDD:' -- "$cur")); return; }
        COMPREPLY=($(compgen -W 'energy time power edp' -- "$cur"))
        ;;
    --loads) COMPREPLY=($(compgen -W 'omp_serial omp_parallel mpi_parallel mpi_serial fma stress_ng firestarter command' -- "$cur")) ;;
    --wait) COMPREPLY=($(compgen -W 'active passive' -- "$cur")) ;;
    --launcher) COMPREPLY=($(compgen -W 'mpirun srun' -- "$cur")) ;;
    -t)
        [[ $verb == @(export|pose_calibrate) ]] || return 1
        COMPREPLY=()
        [ "$verb" = pose_calibrate ] || COMPREPLY=($(compgen -W 'csv json' -- "$cur"))
        ;;
    --against | --save | --junit | --noise-floor) COMPREPLY=($(compgen -f -- "$cur")) ;;
    --counters) COMPREPLY=($(compgen -W "$(_wattle_counter_sets)" -- "$cur")) ;;
    --counters-scope) COMPREPLY=($(compgen -W 'auto machine tree cgroup' -- "$cur")) ;;
    --mpi) COMPREPLY=($(compgen -W 'auto on off' -- "$cur")) ;;
    --tasks) COMPREPLY=($(compgen -W 'all summary' -- "$cur")) ;;
    --tasks-counters) COMPREPLY=($(compgen -W "$(_wattle_counter_sets)" -- "$cur")) ;;
    --tasks-runtime) COMPREPLY=($(compgen -W 'auto none' -- "$cur") $(compgen -f -- "$cur")) ;;
    --tasks-limit) COMPREPLY=($(compgen -W '100M 1G 10G 0' -- "$cur")) ;;
    --require) COMPREPLY=($(compgen -W 'measured' -- "$cur")) ;;
    --sensor | -s) COMPREPLY=($(compgen -W "all $(_wattle_sensors)" -- "$cur")) ;;
    --figure) COMPREPLY=($(compgen -W 'power energy distribution regions domains boxes nodes tags scaling' -- "$cur")) ;;
    --floor) COMPREPLY=($(compgen -W 'auto omp_serial omp_parallel mpi_parallel mpi_serial' -- "$cur")) ;;
    --layout) COMPREPLY=($(compgen -W 'overlaid side-by-side' -- "$cur")) ;;
    --input | --candidate | --calibration) COMPREPLY=($(compgen -f -- "$cur")) ;;
    --size) COMPREPLY=($(compgen -W '85 85x60 174x60' -- "$cur")) ;;
    --dpi) COMPREPLY=($(compgen -W '300 600' -- "$cur")) ;;
    --output | -o | --result | --plot | --mapping) COMPREPLY=($(compgen -f -- "$cur")) ;;
    -a | -b)
        # ab: a line of shell; compare: a trace; run has a -a without argument.
        [[ $verb == @(ab|compare) ]] || return 1
        COMPREPLY=()
        [ "$verb" = ab ] || COMPREPLY=($(compgen -f -- "$cur"))
        ;;
    --noise | --a | --b) COMPREPLY=($(compgen -f -- "$cur")) ;;
    --freq | --uncore) COMPREPLY=($(compgen -W 'min max' -- "$cur")) ;;
    --turbo) COMPREPLY=($(compgen -W 'on off both' -- "$cur")) ;;
    --governor) COMPREPLY=($(compgen -W 'performance powersave userspace ondemand schedutil' -- "$cur")) ;;
    --epp) COMPREPLY=($(compgen -W 'performance balance_performance balance_power power default' -- "$cur")) ;;
    --power-limit | --cpus) COMPREPLY=() ;;
    --method)
        COMPREPLY=($(compgen -W 'focus np-focus pelt paper' -- "$cur"))
        [ "$verb" != tasks ] || COMPREPLY=($(compgen -W 'nnls ols paper' -- "$cur"))
        ;;
    --by)
        [ "$verb" = tasks ] || return 1
        COMPREPLY=($(compgen -W 'task region' -- "$cur"))
        ;;
    --idle-power | --static-power) COMPREPLY=() ;;
    --model | --on-phase-model | --calibrate-idle) COMPREPLY=($(compgen -f -- "$cur")) ;;
    --on-phase) COMPREPLY=($(compgen -c -f -- "$cur")) ;;
    --row | --min-length | --window | --top | --significance | --step | --on-phase-interval | --on-phase-ahead) COMPREPLY=() ;;
    --resolve) COMPREPLY=($(compgen -W '0.5% 1% 2%' -- "$cur")) ;;
    --warm-up) COMPREPLY=($(compgen -W 'auto 1 2' -- "$cur")) ;;
    --host | --cgroup | --resume) COMPREPLY=($(compgen -d -- "$cur")) ;;
    --pid | -p | --watch) COMPREPLY=($(compgen -W "$(ps -eo pid= 2>/dev/null)" -- "$cur")) ;;
    --title | --interval | --repeat | --passes | -r | --warmup | --cooldown | --idle | --duration | --print | -I | \
        --delay | -D | --counters-interval | --work | --label | --sampler-cpu | --count | -n | --filter | --processes | --sample | --channel | -c | --until | \
        --min-pairs | --max-pairs | --noise-pairs | --seed | --max | --command-a | --command-b | \
        --energy | --pmin | --pmax | --label | --code | --region | --parameter | --time | --runs | --settle | --threads | --load-command | --column | --ignore | --only | --cover | --shift | --start | \
        -F | --slowdown | --block | --sbatch)
        COMPREPLY=() ;;
    *) return 1 ;;
    esac
}

_wattle() {
    local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]} i j
    [[ $verb != pose || ${COMP_WORDS[2]} != calibrate || $COMP_CWORD -le 2 ]] || verb=pose_calibrate
    [[ $verb != tasks || ${COMP_WORDS[2]} != calibrate || $COMP_CWORD -le 2 ]] || verb=tasks_calibrate
    [[ $verb != phases || $COMP_CWORD -le 2 || ${COMP_WORDS[2]} != @(learn|graph) ]] || verb=phases_${COMP_WORDS[2]}
    [[ $verb != jobs || $COMP_CWORD -le 2 || ${COMP_WORDS[2]} == -* ]] || verb=jobs_${COMP_WORDS[2]}
    local -A options=(
        [run]='--interval --sensor --output --force --no-trace --sync --record --result --format --repeat --passes
            --ignore-failure --warmup --cooldown --idle --require --pid --cgroup --all --duration --print --delay
            --work --label --counters --counters-interval --counters-scope --sampler-cpu --no-edges --freq --governor
            --epp --turbo --power-limit --uncore --cpus --on-phase --on-phase-interval --on-phase-ahead --on-phase-model --mpi
            --tasks --tasks-limit --tasks-runtime --tasks-counters --verbose --quiet --host --help'
        [start]='--interval --sensor --output --force --sync --label --format --require --sampler-cpu --no-edges
            --export --watch --quiet --help'
        [mark]='--end --help'
        [stop]='--format --verbose --help'
        [sensors]='--sensor --format --no-probe --host --help'
        [counters]='--format --host --help'
        [doctor]='--all --format --host --help'
        [characterize]='--channel --load-shape --device --period --hold --output --no-store --format --help'
        [gather]='--output --force --list --yes --host --help'
        [top]='--interval --count --batch --format --sort --filter --processes --no-processes --idle
            --sensor --sample --output --force --ascii --host --help'
        [stats]='--format --regions --repeats --verbose --help'
        [report]='--output --format --force --redact --serve --port --reference --plot --figure --part --sort --size --dpi --title --help'
        [phases]='--method --row --min-length --window --sliding --top --significance --node --model --idle --dna --step --sorted
            --plot --size --dpi --title --force --format --verbose --help'
        [phases_learn]='--output --force --name --platform --method --row --step --alike --idle --calibrate-idle --help'
        [phases_graph]='--output --format --node --force --help'
        [tasks]='--by --method --channel --idle-power --static-power --calibration --no-lag --no-intervals --cap --cores --exponent --slowest
            --workers --active --format --verbose --help'
        [tasks_calibrate]='--dry-run --time --settle --runs --threads --output --force --sensor --format --quiet --help'
        [predict]='--partial --follow --every --platform --here --derive --idle --plot --force --format --verbose --help'
        [cite]='--format --help'
        [compare]='--a --b --format --paired --regions --resolve --noise --warm-up --seed --plot --redact --force --details --exit-code --help'
        [ab]='--command-a --command-b --metric --resolve --min-pairs --max-pairs --noise-pairs
            --noise-floor --seed --output --show-output --ignore-failure --save --details --format --interval
            --sensor --warmup --cooldown --require --sampler-cpu --no-edges --force --quiet --help'
        [check]='--max --against --save --metric --repeat --strict --allow-unknown --junit --output
            --show-output --ignore-failure --details --format --interval --sensor --warmup --cooldown
            --require --sampler-cpu --no-edges --force --quiet --help'
        [sweep]='--freq --turbo --power-limit --threads --repeat --slowdown --metric --seed --output --resume
            --no-run --block --slurm --sbatch --plot --save --show-output --ignore-failure --details
            --format --interval --sensor --warmup --cooldown --require --sampler-cpu --no-edges --force
            --quiet --help'
        [pose]='--time --energy --label --code --channel --region --input --candidate --parameter --system
            --pmin --pmax --floor --calibration --metric --details --format --output --force --redact
            --plot --layout --size --dpi --title --no-power --help'
        [pose_calibrate]='--dry-run --loads --runs --time --settle --threads --wait --launcher --load-command
            --output --seed --format --sensor --require --quiet --help'
        [export]='--to --output --force --what --channel --from --until --long --interval --acctg-freq --node --comments --no-comments --help'
        [import]='--from --output --force --dry-run --formats --time --column --ignore --only --cover --split
            --shift --separator --decimal --thousands --time-format --zone --spread-times --no-header --start --mapping --yes --save-format --node --meta
            --lenient --most-lost --strict --format --help'
        [reduce]='--output --force --partial --run --groups --step --format --help'
        [repair]='--format --help'
        [jobs]='--from --to --user --account --partition --name --node --kind --cluster --database --format --state --limit --help'
        [jobs_list]='--from --to --user --account --partition --name --node --kind --cluster --database --format --state --limit --help'
        [jobs_show]='--cluster --database --format --help'
        [jobs_top]='--from --to --user --account --partition --name --node --kind --cluster --database --format --state --limit --help'
        [jobs_report]='--by --from --to --user --account --partition --name --node --kind --cluster --database --format --limit --help'
        [jobs_energy]='--nodes --from --to --cluster --database --format --help'
        [jobs_budget]='--budgets --at --exit-code --cluster --database --format --help'
        [jobs_import]='--from --begin --end --cluster --dry-run --all --database --format --help'
        [jobs_post]='--from --to --dry-run --all --comment --simulated --cluster --database --format --help'
        [jobs_verify]='--from --to --all --comment --simulated --cluster --database --format --help'
        [jobs_send]='--once --follow --interval --database --help'
        [jobs_health]='--silent --unknown --database --format --help'
        [jobs_init]='--database --print --help'
        [jobs_purge]='--before --yes --database --help'
        [jobs_anonymise]='--before --yes --database --help'
        [jobs_open]='--format --help'
        [jobs_begin]='--slurm --cgroup --pid --cpus --gpus --reserved --parent --record --user --account --name --help'
        [jobs_end]='--slurm --left --format --help'
        [knobs]='--format --verbose --host --help'
        [hold]='--freq --governor --epp --turbo --power-limit --uncore --cpus --pid --background --verbose --help'
        [restore]='--list --force --format --help'
        [allow]='--help'
        [deny]='--help'
        [config]='--format --help'
    )

    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ]; then
        COMPREPLY=($(compgen -W 'run start mark stop sensors counters doctor gather top stats report phases predict tasks cite compare ab check sweep pose reduce export import repair knobs hold restore jobs allow deny config characterize help --help --version' -- "$cur"))
        return
    fi
    if [ "$verb" = help ]; then
        COMPREPLY=($(compgen -W 'run start mark stop sensors counters doctor gather top stats report phases predict tasks cite compare ab check sweep pose reduce export import repair knobs hold restore jobs allow deny config characterize' -- "$cur"))
        return
    fi
    if [[ $verb == @(run|hold|ab|check|sweep) ]]; then
        # From the command on, complete as if it stood alone.
        i=2
        while [ "$i" -lt "$COMP_CWORD" ]; do
            case ${COMP_WORDS[i]} in
            --) i=$((i + 1)); break ;;
            -i | -s | -o | -r | -p | -I | -D | --interval | --sensor | --output | --result | --format | \
                --repeat | --warmup | --cooldown | --idle | --require | --pid | --cgroup | --duration | \
                --print | --delay | --work | --label | --sampler-cpu | --freq | --governor | --epp | --turbo | --power-limit | \
                --uncore | --cpus | --mpi | --tasks-limit | --tasks-runtime | --tasks-counters | --host | -m | --metric | --resolve | \
                --min-pairs | --max-pairs | --noise-pairs | --noise-floor | --seed | --save | --max | \
                --against | --junit | -F | --threads | --slowdown | --resume | --block | \
                --on-phase | --on-phase-interval | --on-phase-ahead | --on-phase-model | \
                --sbatch | --plot | -b | --command-a | --command-b) i=$((i + 2)) ;;
            -a) if [ "$verb" = ab ]; then i=$((i + 2)); else i=$((i + 1)); fi ;;
            -*) i=$((i + 1)) ;;
            *) break ;;
            esac
        done
        if [ "$verb" = ab ]; then # behind the inner -- stands the second command
            for ((j = i; j < COMP_CWORD; j++)); do
                if [ "${COMP_WORDS[j]}" = -- ]; then i=$((j + 1)); fi
            done
        fi
        if [ "$i" -le "$COMP_CWORD" ] && [[ $cur != -* || ${COMP_WORDS[i - 1]} == -- ]] &&
            ! _wattle_argument "$verb" "$previous"; then
            if declare -F _command_offset >/dev/null; then
                _command_offset "$i"
            elif [ "$i" = "$COMP_CWORD" ]; then
                COMPREPLY=($(compgen -c -f -- "$cur"))
            else
                COMPREPLY=($(compgen -f -- "$cur"))
            fi
            return
        fi
        [ "$i" -lt "$COMP_CWORD" ] && return
    fi
    _wattle_argument "$verb" "$previous" && return
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "${options[$verb]-}" -- "$cur"))
        return
    fi
    case $verb in
    pose) COMPREPLY=($(compgen -f -X '!*.wtl' -- "$cur") $(compgen -d -- "$cur"))
        [ "$COMP_CWORD" != 2 ] || COMPREPLY+=($(compgen -W calibrate -- "$cur")) ;;
    tasks) COMPREPLY=($(compgen -f -X '!*.wtl' -- "$cur") $(compgen -d -- "$cur"))
        [ "$COMP_CWORD" != 2 ] || COMPREPLY+=($(compgen -W calibrate -- "$cur")) ;;
    phases) COMPREPLY=($(compgen -f -X '!*.wtl' -- "$cur") $(compgen -d -- "$cur"))
        [ "$COMP_CWORD" != 2 ] || COMPREPLY+=($(compgen -W 'learn graph' -- "$cur")) ;;
    top | stats | report | cite | compare | reduce | export | repair | phases_learn) COMPREPLY=($(compgen -f -X '!*.wtl' -- "$cur") $(compgen -d -- "$cur")) ;;
    characterize) COMPREPLY=($(compgen -f -- "$cur"))
        [ "$COMP_CWORD" != 2 ] || COMPREPLY=(gpu) ;;
    predict | phases_graph | import) COMPREPLY=($(compgen -f -- "$cur")) ;;
    jobs) COMPREPLY=($(compgen -W 'list show top report energy budget import post verify open begin end send health init purge anonymise' -- "$cur")) ;;
    jobs_top) COMPREPLY=($(compgen -W 'jobs users programs accounts nodes' -- "$cur")) ;;
    jobs_import) COMPREPLY=($(compgen -f -- "$cur")) ;;
    counters) COMPREPLY=($(compgen -W "$(_wattle_counter_sets)" -- "$cur") $(compgen -f -X '!*.ini' -- "$cur")) ;;
    config) COMPREPLY=($(compgen -W 'run control sensor jobs slurm wattled pm' -- "$cur")) ;;
    allow | deny) COMPREPLY=($(compgen -u -- "$cur")) ;;
    esac
}

complete -o filenames -F _wattle wattle
