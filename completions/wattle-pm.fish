# SPDX-License-Identifier: BSD-3-Clause
# Completion of wattle-pm for fish.

complete -c wattle-pm -f
complete -c wattle-pm -l config -r -F -d 'Read this file instead of /etc/wattle/wattle.conf'
complete -c wattle-pm -l listen -x -a '127.0.0.1 127.0.0.1:0' -d 'Addresses to serve on'
complete -c wattle-pm -l test -d 'Check the configuration and exit'
complete -c wattle-pm -s h -l help -d 'Show help and exit'
complete -c wattle-pm -l version -d 'Show the version and exit'
