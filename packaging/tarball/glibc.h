/* SPDX-License-Identifier: BSD-3-Clause */
/* Included first in every file of the archive's build (scripts/tarball): of functions that a newer glibc has in a new version, the
 * older one, so that the programs start with the glibc that the documentation names. */
#if defined(__x86_64__)
__asm__(".symver hypot,hypot@GLIBC_2.2.5"); /* 2.35: does not set errno, which we do not look at */
__asm__(".symver hypotf,hypotf@GLIBC_2.2.5");
#endif
