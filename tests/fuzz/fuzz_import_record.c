/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a recording of each shape: refused with a message, or read twice with the same values. The second byte chooses. */
#define _GNU_SOURCE
#include "import_fuzz.h"

static const char *const texts[] = {
    ("[format]\nname = f\nabout = f\nshape = table\nknow = *PkgWatt*\nsamples = yes\nfirst = "
     "yes\nsplit = Package\nskip = CPU=-\n"
     "column = PkgWatt=package-{Package}:power:W:average\nrest = yes\n"),
    ("[format]\nname = f\nabout = f\nshape = json\nknow = *\nrecord = a.e[] .\ntime = "
     "a.t:s:1970\nsplit = a.e.id\n"
     "column = a.e.v=package-{a.e.id}:energy:J:delta\nsorted = yes\n"),
    ("[format]\nname = f\nabout = f\nshape = lines\nknow = *\nline = "
     "{time#},{part},{n#},{value},{unit},{event},*\n"
     "line = ** {event}:{value}mW\ntime = time:s:start\nkey = event\nvalue = value\nsplit = "
     "part\nthousands = yes\nfrom-zero = yes\n"
     "column = power/*=package-{part}:energy:J:delta\ncolumn = *=other-0:count:1:delta\n"),
    ("[format]\nname = f\nabout = f\nshape = labels\nknow = *\ntime = time:ms:1970\nsplit = zone\n"
     "column = energy*={zone}-{path}:energy:J:counter\nrest = yes\n"),
    ("[format]\nname = f\nabout = f\nshape = json\nknow = *\nrecord = [] .\nexpect = *{*\ntime = "
     "t:iso:1970\nzone = Europe/Berlin\ncover = d:ms\n"
     "column = v=package-0:energy:J:counter\ncolumn = w=node-0:power:W:average\n"),
    ("[format]\nname = f\nabout = f\nshape = lines\nknow = *\nexpect = *:*\nstop = --*\nunit = "
     "unit\n"
     "line = {clock} {value#} {unit} {event}\ntime = clock:clock:start\nkey = event\nvalue = "
     "value\n"
     "column = e*=package-0:energy:J:counter\ncolumn = *=node-0:power:W:gauge\n")};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wtl_file_format format;
    struct wattle_error err;
    if (size < 2)
        return 0;
    const char *text = texts[data[1] % 6];
    demand(wtl_format_parse("f.ini", text, strlen(text), &format, &err) == 0);
    const struct wtl_formats formats = {.items = &format, .count = 1};
    uint8_t *rest = malloc(size);
    demand(rest != NULL);
    memcpy(rest, data, 1);
    memcpy(rest + 1, data + 2, size - 2);
    int rc = import_fuzz("f", &formats, rest, size - 1);
    free(rest);
    wtl_format_fini(&format);
    return rc;
}
