/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Secrets: command lines in a form that may be recorded. Passwords, tokens and keys among the arguments are
 * replaced by "(hidden)" before anything is written or shown:
 *
 *     KEY=VALUE, --KEY=VALUE, --KEY VALUE     if KEY names a password, token, key or credential
 *     ...?KEY=VALUE&..., KEY=VALUE,KEY=...    each pair within a word: JDBC URLs, mount options
 *     --OPTION=KEY=VALUE, KEY = VALUE         the same
 *     "KEY": VALUE                            JSON
 *     ghp_..., sk-..., AKIA..., eyJ...        keys of services, recognised by their prefix
 *     NAME: VALUE                             headers, to the end of the argument
 *     -u USER:PASS, --user USER:PASS          the part after the colon
 *     Bearer VALUE, Basic VALUE               whatever precedes them
 *     SCHEME://USER:PASS@HOST                 the part before the @; jdbc:oracle:thin:USER/PASS@HOST
 *     -uUSER:PASS                             the part after the colon
 *     -pPASS                                  for known programs: mysql, 7z, sshpass, ipmitool, ...
 *
 * also within an argument that is a script ("sh -c 'curl -u a:b ...'"). A secret in any other form (a
 * password that is an operand, or attached to a short option of another program) cannot be recognised.
 */
#ifndef WTL_BASE_SECRETS_H
#define WTL_BASE_SECRETS_H

#include <stdbool.h>
#include <stddef.h>

/* What the arguments so far imply for the next one; {0} before the first. */
struct wtl_secrets {
    bool next;  /* it is a secret */
    bool count; /* unless it is a small number: --max-tokens 128 */
    bool login; /* it is USER:PASS */
    /* The program whose options these are, if it is one that takes a password in a short option. */
    const struct wtl_secrets_program *program;
};

/* Copy one argument with secrets hidden: at most n bytes including the NUL. Returns its length. */
size_t wtl_secrets_argument(struct wtl_secrets *secrets, const char *argument, char *out, size_t n);

/* Size sufficient for this argument, hidden or not. */
size_t wtl_secrets_room(const char *argument);

/* Format the arguments of /proc/PID/cmdline, n bytes with a NUL after each argument, as one line in out.
 * Returns its length. */
size_t wtl_secrets_arguments(const char *text, size_t n, char *out, size_t room);

/* The same for a line of arguments separated by blanks and possibly quoted. */
void wtl_secrets_line(const char *line, char *out, size_t n);

#endif
