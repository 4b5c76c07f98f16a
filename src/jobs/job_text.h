/* SPDX-License-Identifier: BSD-3-Clause */
/* Foreign texts in fields of a fixed size. */
#ifndef WTL_JOBS_JOB_TEXT_H
#define WTL_JOBS_JOB_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Set a text from a foreign string (NULL = ""): bytes that are not UTF-8 and control characters become "?", and what
 * does not fit is cut off at a character's border. True if all of it fits. A key that does not fit must not be used.
 */
bool wtl_job_text_set(char *field, size_t size, const char *text);

#endif
