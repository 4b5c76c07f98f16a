/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors. Every function of libwattle that can fail returns 0 (or a count >= 0) on success and a
 * negative errno value on failure; it does not set the global errno. On failure, output parameters
 * are unchanged, and the last parameter, struct wattle_error *err (may be NULL, need not be
 * initialised), receives one sentence that includes the remedy. On success err is unchanged.
 *
 *   -ENODEV   hardware not present                -EBADMSG   malformed input (file, packet, text)
 *   -EACCES   present, but permission denied      -EOVERFLOW value does not fit
 *   -ENOTSUP  not in this build or on this system -ESTALE    value too old to be used
 *   -EINVAL   invalid use by the caller           -ENODATA   nothing that may be added up
 *   -EALREADY, -EBUSY, -EEXIST, -ENOENT, -ETIMEDOUT, -EAGAIN, -EIO, -ENOMEM as usual; calls that
 *   read or write files pass on the errno of the file operation
 */
#ifndef WATTLE_ERROR_H
#define WATTLE_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/* One sentence for the user, in UTF-8, always NUL-terminated. Its size never changes. */
struct wattle_error {
    char text[512];
};

#ifdef __cplusplus
}
#endif
#endif
