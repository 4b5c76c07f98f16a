# SPDX-License-Identifier: BSD-3-Clause
# Completion of wattle-pm for bash.

_wattle_pm() {
    local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    case $previous in
    --config) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    --listen) mapfile -t COMPREPLY < <(compgen -W '127.0.0.1 127.0.0.1:0' -- "$cur") ;;
    *) mapfile -t COMPREPLY < <(compgen -W '--config --listen --test --help --version' -- "$cur") ;;
    esac
}

complete -o filenames -F _wattle_pm wattle-pm
