/* SPDX-License-Identifier: BSD-3-Clause */
/* The version of the library at run time: see <wattle/version.h>, which CMake also reads. */
#include <wattle/version.h>

int wattle_version(void)
{
    return WATTLE_VERSION_NUMBER;
}

const char *wattle_version_text(void)
{
    return WATTLE_VERSION;
}
