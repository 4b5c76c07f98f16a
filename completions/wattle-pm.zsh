#compdef wattle-pm
# SPDX-License-Identifier: BSD-3-Clause
# Completion of wattle-pm for zsh.

_arguments \
    '--config[read FILE instead of /etc/wattle/wattle.conf]:file:_files' \
    '--listen[addresses to serve on]:addresses:(127.0.0.1)' \
    '--test[check the configuration and exit]' \
    '(- *)'{-h,--help}'[show help and exit]' \
    '(- *)--version[show the version and exit]'
