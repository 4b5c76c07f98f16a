/* SPDX-License-Identifier: BSD-3-Clause */
/* The name of extrae_user_events.h in newer versions of Extrae. */
#include "extrae_user_events.h"
