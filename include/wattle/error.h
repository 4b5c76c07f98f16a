/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors. Every function of libwattle that can fail returns 0 (or a count >= 0) on success and a
 * negative errno value on failure; the global errno is not used. On failure no output parameter has
 * been touched, and a last parameter struct wattle_error *err (may be NULL, need not be initialised)
 * has received one sentence with the remedy. On success err is not touched.
 *
 *   -ENODEV   the hardware is not there            -EBADMSG   malformed input (file, packet, text)
 *   -EACCES   there, but forbidden                 -EOVERFLOW a value does not fit
 *   -ENOTSUP  not in this build or on this system  -ESTALE    a value is too old to be used
 *   -EINVAL   the caller's mistake                 -ENODATA  nothing that may be added up
 *   -EALREADY, -EBUSY, -EEXIST, -ENOENT, -ETIMEDOUT, -EAGAIN, -EIO, -ENOMEM as usual; a call that
 *   reads or writes files passes on the errno of the file
 */
#ifndef WATTLE_ERROR_H
#define WATTLE_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/* One sentence for a person, in UTF-8, always NUL terminated. Its size never changes. */
struct wattle_error {
    char text[512];
};

#ifdef __cplusplus
}
#endif
#endif
