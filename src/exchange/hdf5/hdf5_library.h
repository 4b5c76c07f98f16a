/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libhdf5, loaded when a file is read or written: wattle runs on machines without it and is built on machines without
 * its headers. The declarations here are the part of its interface that did not change from 1.10 (2016) on, documented
 * at https://docs.hdfgroup.org; tests/unit/exchange/test_hdf5_library.c compares them with the real headers.
 */
#ifndef WTL_EXCHANGE_HDF5_LIBRARY_H
#define WTL_EXCHANGE_HDF5_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

typedef int64_t wtl_hid;    /* hid_t */
typedef uint64_t wtl_hsize; /* hsize_t */

/* Values of its enumerations and macros. */
enum {
    WTL_H5F_TRUNCATE = 2,
    WTL_H5P_DEFAULT = 0,
    WTL_H5S_ALL = 0,
    WTL_H5S_SELECT_SET = 0,
    WTL_H5T_COMPOUND = 6
};
#define WTL_H5S_UNLIMITED UINT64_MAX

/* X(return type, name without H5, parameters): each becomes a pointer of struct wtl_hdf5. Identifiers are negative, and
 * so are results, on failure. */
#define WTL_HDF5_FUNCTIONS(X)                                                                      \
    X(int, dont_atexit, (void))                                                                    \
    X(int, get_libversion, (unsigned *major, unsigned *minor, unsigned *release))                  \
    X(int, Eset_auto2, (wtl_hid stack, void *function, void *data))                                \
    X(wtl_hid, Fcreate, (const char *path, unsigned flags, wtl_hid creation, wtl_hid access))      \
    X(int, Fflush, (wtl_hid file, int scope))                                                      \
    X(int, Fclose, (wtl_hid))                                                                      \
    X(wtl_hid, Gcreate2,                                                                           \
      (wtl_hid where, const char *name, wtl_hid link, wtl_hid creation, wtl_hid access))           \
    X(int, Gclose, (wtl_hid))                                                                      \
    X(wtl_hid, Screate_simple, (int rank, const wtl_hsize *sizes, const wtl_hsize *limits))        \
    X(int, Sselect_hyperslab,                                                                      \
      (wtl_hid, int how, const wtl_hsize *start, const wtl_hsize *stride, const wtl_hsize *count,  \
       const wtl_hsize *block))                                                                    \
    X(int, Sclose, (wtl_hid))                                                                      \
    X(wtl_hid, Tcreate, (int kind, size_t size))                                                   \
    X(wtl_hid, Tcopy, (wtl_hid))                                                                   \
    X(int, Tset_size, (wtl_hid, size_t size))                                                      \
    X(int, Tinsert, (wtl_hid, const char *name, size_t offset, wtl_hid type))                      \
    X(int, Tclose, (wtl_hid))                                                                      \
    X(wtl_hid, Acreate2,                                                                           \
      (wtl_hid where, const char *name, wtl_hid type, wtl_hid space, wtl_hid creation,             \
       wtl_hid access))                                                                            \
    X(int, Awrite, (wtl_hid, wtl_hid type, const void *value))                                     \
    X(int, Aclose, (wtl_hid))                                                                      \
    X(wtl_hid, Pcreate, (wtl_hid kind))                                                            \
    X(int, Pset_chunk, (wtl_hid, int rank, const wtl_hsize *sizes))                                \
    X(int, Pset_deflate, (wtl_hid, unsigned level))                                                \
    X(int, Pclose, (wtl_hid))                                                                      \
    X(wtl_hid, Dcreate2,                                                                           \
      (wtl_hid where, const char *name, wtl_hid type, wtl_hid space, wtl_hid link,                 \
       wtl_hid creation, wtl_hid access))                                                          \
    X(wtl_hid, Dget_space, (wtl_hid))                                                              \
    X(int, Dset_extent, (wtl_hid, const wtl_hsize *sizes))                                         \
    X(int, Dwrite,                                                                                 \
      (wtl_hid, wtl_hid type, wtl_hid memory, wtl_hid file, wtl_hid transfer, const void *values)) \
    X(int, Dclose, (wtl_hid))

/* Identifiers of types and classes: variables of the library. */
#define WTL_HDF5_VALUES(X)                  \
    X(native_int, "H5T_NATIVE_INT_g")       \
    X(native_uint64, "H5T_NATIVE_UINT64_g") \
    X(native_double, "H5T_NATIVE_DOUBLE_g") \
    X(c_string, "H5T_C_S1_g")               \
    X(dataset_creation, "H5P_CLS_DATASET_CREATE_ID_g")

struct wtl_hdf5 {
/* A declarator takes no parentheses around its parts: NOLINTNEXTLINE(bugprone-macro-parentheses) */
#define WTL_HDF5_MEMBER(result, name, parameters) result(*name) parameters;
    WTL_HDF5_FUNCTIONS(WTL_HDF5_MEMBER)
#undef WTL_HDF5_MEMBER
#define WTL_HDF5_VALUE(name, symbol) wtl_hid name;
    WTL_HDF5_VALUES(WTL_HDF5_VALUE)
#undef WTL_HDF5_VALUE
};

/* Load the library, version 1.10 or later: 0, or -ENOTSUP with the remedy. It stays loaded, and no longer prints its
 * own messages. */
int wtl_hdf5_load(struct wtl_hdf5 *ret_hdf5, struct wattle_error *err);

#endif
