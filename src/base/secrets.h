/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Secrets: command lines as they may be recorded. Passwords, tokens and keys among the arguments are
 * replaced by "(hidden)" before anything is written or shown:
 *
 *     KEY=VALUE, --KEY=VALUE, --KEY VALUE     where KEY speaks of a password, token, key, credential
 *     ...?KEY=VALUE&..., KEY=VALUE,KEY=...    the same of each pair within a word: URLs of jdbc, options of mount
 *     --OPTION=KEY=VALUE, KEY = VALUE         the same
 *     "KEY": VALUE                            the same of JSON
 *     ghp_..., sk-..., AKIA..., eyJ...        keys of services that are known by how they begin
 *     NAME: VALUE                             the same of headers, to the end of the argument
 *     -u USER:PASS, --user USER:PASS          what follows the colon
 *     Bearer VALUE, Basic VALUE               whatever stands before
 *     SCHEME://USER:PASS@HOST                 what stands before the @; jdbc:oracle:thin:USER/PASS@HOST
 *     -uUSER:PASS                             what follows the colon
 *     -pPASS                                  of programs of which it is known: mysql, 7z, sshpass, ipmitool, ...
 *
 * also within an argument that is a script ("sh -c 'curl -u a:b ...'"). What has none of these forms
 * (a password that is an operand, or glued to a short option of another program) cannot be recognized.
 */
#ifndef WTL_BASE_SECRETS_H
#define WTL_BASE_SECRETS_H

#include <stdbool.h>
#include <stddef.h>

/* What the arguments so far say of the next one; {0} before the first. */
struct wtl_secrets {
    bool next;  /* it is a secret */
    bool count; /* unless it is a short number: --max-tokens 128 */
    bool login; /* it is USER:PASS */
    /* The program whose options these are, where it is one that takes a password by a short one. */
    const struct wtl_secrets_program *program;
};

/* One argument, with secrets hidden: at most n bytes with the NUL. Returns its length. */
size_t wtl_secrets_argument(struct wtl_secrets *secrets, const char *argument, char *out, size_t n);

/* Bytes in which any argument fits, hidden or not. */
size_t wtl_secrets_room(const char *argument);

/* The arguments of /proc/PID/cmdline, n bytes with a NUL behind each, as one line in out. Returns its
 * length. */
size_t wtl_secrets_arguments(const char *text, size_t n, char *out, size_t room);

/* The same of a line of arguments with blanks between them, which may be quoted. */
void wtl_secrets_line(const char *line, char *out, size_t n);

#endif
