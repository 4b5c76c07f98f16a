/* SPDX-License-Identifier: BSD-3-Clause */
/* Our declarations of libhdf5 are those of its headers: a wrong one would pass wrong arguments, unnoticed. */
#if __has_include(<hdf5.h>)
#    include <hdf5.h>
#endif

#include "exchange/hdf5/hdf5_library.h"

#include "tap.h"

#ifdef H5_VERS_MAJOR

_Static_assert(sizeof(hid_t) == sizeof(wtl_hid) && (hid_t)-1 < 0, "hid_t");
_Static_assert(sizeof(hsize_t) == sizeof(wtl_hsize) && (hsize_t)-1 > 0, "hsize_t");
_Static_assert(sizeof(herr_t) == sizeof(int), "herr_t");
_Static_assert(sizeof(H5F_scope_t) == sizeof(int) && sizeof(H5S_seloper_t) == sizeof(int) &&
                   sizeof(H5T_class_t) == sizeof(int),
               "enumerations");

static void test_values(void)
{
    is_int(WTL_H5P_DEFAULT, H5P_DEFAULT, "H5P_DEFAULT");
    is_int(WTL_H5S_ALL, H5S_ALL, "H5S_ALL");
    is_int(WTL_H5S_SELECT_SET, H5S_SELECT_SET, "H5S_SELECT_SET");
    is_int(WTL_H5T_COMPOUND, H5T_COMPOUND, "H5T_COMPOUND");
    ok(WTL_H5S_UNLIMITED == H5S_UNLIMITED, "H5S_UNLIMITED");
}

/* Functions without sizes, which are of another type of 64 bits in 1.10. */
#    define SAME(name)                                                                         \
        _Static_assert(__builtin_types_compatible_p(__typeof__(&H5##name),                     \
                                                    __typeof__(((struct wtl_hdf5 *)0)->name)), \
                       #name)
SAME(dont_atexit);
SAME(get_libversion);
SAME(Fcreate);
SAME(Fclose);
SAME(Gcreate2);
SAME(Gclose);
SAME(Sclose);
SAME(Tcopy);
SAME(Tset_size);
SAME(Tinsert);
SAME(Tclose);
SAME(Acreate2);
SAME(Awrite);
SAME(Aclose);
SAME(Pcreate);
SAME(Pset_deflate);
SAME(Pclose);
SAME(Dcreate2);
SAME(Dget_space);
SAME(Dwrite);
SAME(Dclose);

#else

static void test_values(void)
{
    skip("the headers of libhdf5 are not installed");
}

#endif

static void test_load(void)
{
    struct wattle_error err = {""};
    struct wtl_hdf5 h5;
    int rc = wtl_hdf5_load(&h5, &err);
    if (rc < 0)
        ok(err.text[0] != '\0', "without the library: %s", err.text);
    else
        ok(h5.native_int > 0 && h5.native_uint64 > 0 && h5.native_double > 0 && h5.c_string > 0 &&
               h5.dataset_creation > 0,
           "its types are there");
}

int main(void)
{
    test_values();
    test_load();
    return done_testing();
}
