/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libotf2, loaded when an archive is read or written: wattle runs on machines without it and is built on machines without its
 * headers. The declarations here are the part of its interface that is the same in all versions 3.x;
 * tests/unit/exchange/test_otf2_library.c compares them with the real headers. Handles are void *, enumerations have the
 * types of the library (uint8_t, mostly).
 */
#ifndef WTL_EXCHANGE_OTF2_LIBRARY_H
#define WTL_EXCHANGE_OTF2_LIBRARY_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include <wattle/error.h>

/* Values of its enumerations. */
enum {
    WTL_OTF2_WRITE = 0,
    WTL_OTF2_POSIX = 1,
    WTL_OTF2_UNCOMPRESSED = 1,
    WTL_OTF2_FLUSH = 1,
    WTL_OTF2_FILE_EVENTS = 3,
    WTL_OTF2_GROUP_UNKNOWN = 0,
    WTL_OTF2_GROUP_PROCESS = 1,
    WTL_OTF2_CPU_THREAD = 1,
    WTL_OTF2_METRIC_LOCATION = 3,
    WTL_OTF2_TYPE_UINT64 = 4,
    WTL_OTF2_TYPE_INT64 = 8,
    WTL_OTF2_TYPE_DOUBLE = 10,
    WTL_OTF2_METRIC_OTHER = 0,
    WTL_OTF2_MODE_VALUE = 0x0F, /* modes of metrics: what they count, */
    WTL_OTF2_ACCUMULATED = 0,
    WTL_OTF2_ABSOLUTE = 1,
    WTL_OTF2_RELATIVE = 2,
    WTL_OTF2_MODE_TIMING = 0xF0, /* and for when they hold */
    WTL_OTF2_START = 0x00,
    WTL_OTF2_POINT = 0x10,
    WTL_OTF2_LAST = 0x20,
    WTL_OTF2_NEXT = 0x30,
    WTL_OTF2_BINARY = 0,
    WTL_OTF2_DECIMAL = 1,
    WTL_OTF2_ASYNCHRONOUS = 2,
    WTL_OTF2_ABSTRACT = 1,
    WTL_OTF2_GROUP_COMM_LOCATIONS = 4,
    WTL_OTF2_GROUP_COMM_GROUP = 5,
    WTL_OTF2_PARADIGM_UNKNOWN = 0,
    WTL_OTF2_PARADIGM_USER = 1,
    WTL_OTF2_PARADIGM_OPENMP = 3,
    WTL_OTF2_PARADIGM_MPI = 4,
    WTL_OTF2_ROLE_UNKNOWN = 0,
    WTL_OTF2_ROLE_FUNCTION = 1,
    WTL_OTF2_ROLE_WRAPPER = 2,
    WTL_OTF2_ROLE_CODE = 4,
    WTL_OTF2_ROLE_PARALLEL = 5,
    WTL_OTF2_ROLE_WORKSHARE = 8,
    WTL_OTF2_ROLE_CRITICAL = 12,
    WTL_OTF2_ROLE_BARRIER = 15,
    WTL_OTF2_ROLE_TASK = 20,
    WTL_OTF2_ROLE_FILE_IO = 27,
    WTL_OTF2_ROLE_ARTIFICIAL = 31,
    WTL_OTF2_ROLE_THREAD_WAIT = 33,
    WTL_OTF2_PARAMETER_STRING = 0,
    WTL_OTF2_PARAMETER_INT64 = 1,
    WTL_OTF2_CHUNK = 256 * 1024,         /* the least it takes; */
    WTL_OTF2_CHUNK_DEFINITIONS = 4 << 20 /* its default */
};
#define WTL_OTF2_UNDEFINED_32 UINT32_MAX

struct wtl_otf2_flush {
    uint8_t (*pre)(void *data, uint8_t file, uint64_t location, void *caller, bool final);
    uint64_t (*post)(void *data, uint8_t file, uint64_t location);
};

struct wtl_otf2_memory {
    void *(*allocate)(void *data, uint8_t file, uint64_t location, void **buffer, uint64_t size);
    void (*free_all)(void *data, uint8_t file, uint64_t location, void **buffer, bool final);
};

union wtl_otf2_value {
    int64_t i64;
    uint64_t u64;
    double f64;
};

typedef int wtl_otf2_error_fn(void *data,
                              const char *file,
                              uint64_t line,
                              const char *function,
                              int code,
                              const char *format,
                              va_list arguments);

/* X(result, name without OTF2_, parameters). Results of type int are error codes, 0 = good. */
#define WTL_OTF2_WRITE_FUNCTIONS(X)                                                                \
    X(void *, Archive_Open,                                                                        \
      (const char *folder, const char *name, uint8_t mode, uint64_t event_chunk,                   \
       uint64_t definition_chunk, uint8_t substrate, uint8_t compression))                         \
    X(int, Archive_Close, (void *archive))                                                         \
    X(int, Archive_SetCreator, (void *archive, const char *creator))                               \
    X(int, Archive_SetDescription, (void *archive, const char *description))                       \
    X(int, Archive_SetFlushCallbacks,                                                              \
      (void *archive, const struct wtl_otf2_flush *callbacks, void *data))                         \
    X(int, Archive_SetMemoryCallbacks,                                                             \
      (void *archive, const struct wtl_otf2_memory *callbacks, void *data))                        \
    X(int, Archive_SetSerialCollectiveCallbacks, (void *archive))                                  \
    X(int, Archive_OpenEvtFiles, (void *archive))                                                  \
    X(int, Archive_CloseEvtFiles, (void *archive))                                                 \
    X(int, Archive_OpenDefFiles, (void *archive))                                                  \
    X(int, Archive_CloseDefFiles, (void *archive))                                                 \
    X(void *, Archive_GetEvtWriter, (void *archive, uint64_t location))                            \
    X(int, Archive_CloseEvtWriter, (void *archive, void *writer))                                  \
    X(void *, Archive_GetDefWriter, (void *archive, uint64_t location))                            \
    X(int, Archive_CloseDefWriter, (void *archive, void *writer))                                  \
    X(void *, Archive_GetGlobalDefWriter, (void *archive))                                         \
    X(int, Archive_CloseGlobalDefWriter, (void *archive, void *writer))                            \
    X(int, EvtWriter_GetNumberOfEvents, (void *writer, uint64_t *ret_count))                       \
    X(int, EvtWriter_Enter, (void *writer, void *attributes, uint64_t time, uint32_t region))      \
    X(int, EvtWriter_Leave, (void *writer, void *attributes, uint64_t time, uint32_t region))      \
    X(int, EvtWriter_Metric,                                                                       \
      (void *writer, void *attributes, uint64_t time, uint32_t metric, uint8_t count,              \
       const uint8_t *types, const union wtl_otf2_value *values))                                  \
    X(int, EvtWriter_MpiSend,                                                                      \
      (void *writer, void *attributes, uint64_t time, uint32_t receiver, uint32_t communicator,    \
       uint32_t tag, uint64_t length))                                                             \
    X(int, EvtWriter_MpiRecv,                                                                      \
      (void *writer, void *attributes, uint64_t time, uint32_t sender, uint32_t communicator,      \
       uint32_t tag, uint64_t length))                                                             \
    X(int, EvtWriter_ParameterString,                                                              \
      (void *writer, void *attributes, uint64_t time, uint32_t parameter, uint32_t text))          \
    X(int, EvtWriter_ParameterInt,                                                                 \
      (void *writer, void *attributes, uint64_t time, uint32_t parameter, int64_t value))          \
    X(int, GlobalDefWriter_WriteClockProperties,                                                   \
      (void *writer, uint64_t resolution, uint64_t offset, uint64_t length, uint64_t realtime))    \
    X(int, GlobalDefWriter_WriteString, (void *writer, uint32_t self, const char *text))           \
    X(int, GlobalDefWriter_WriteSystemTreeNode,                                                    \
      (void *writer, uint32_t self, uint32_t name, uint32_t of_class, uint32_t parent))            \
    X(int, GlobalDefWriter_WriteLocationGroup,                                                     \
      (void *writer, uint32_t self, uint32_t name, uint8_t type, uint32_t node, uint32_t creator)) \
    X(int, GlobalDefWriter_WriteLocation,                                                          \
      (void *writer, uint64_t self, uint32_t name, uint8_t type, uint64_t events, uint32_t group)) \
    X(int, GlobalDefWriter_WriteRegion,                                                            \
      (void *writer, uint32_t self, uint32_t name, uint32_t canonical, uint32_t description,       \
       uint8_t role, uint8_t paradigm, uint32_t flags, uint32_t file, uint32_t begin_line,         \
       uint32_t end_line))                                                                         \
    X(int, GlobalDefWriter_WriteMetricMember,                                                      \
      (void *writer, uint32_t self, uint32_t name, uint32_t description, uint8_t type,             \
       uint8_t mode, uint8_t value_type, uint8_t base, int64_t exponent, uint32_t unit))           \
    X(int, GlobalDefWriter_WriteMetricClass,                                                       \
      (void *writer, uint32_t self, uint8_t count, const uint32_t *members, uint8_t occurrence,    \
       uint8_t recorder))                                                                          \
    X(int, GlobalDefWriter_WriteMetricInstance,                                                    \
      (void *writer, uint32_t self, uint32_t of_class, uint64_t recorder, uint8_t scope_kind,      \
       uint64_t scope))                                                                            \
    X(int, GlobalDefWriter_WriteGroup,                                                             \
      (void *writer, uint32_t self, uint32_t name, uint8_t type, uint8_t paradigm, uint32_t flags, \
       uint32_t count, const uint64_t *members))                                                   \
    X(int, GlobalDefWriter_WriteComm,                                                              \
      (void *writer, uint32_t self, uint32_t name, uint32_t group, uint32_t parent,                \
       uint32_t flags))                                                                            \
    X(int, GlobalDefWriter_WriteParameter,                                                         \
      (void *writer, uint32_t self, uint32_t name, uint8_t type))

/* Reading. */
#define WTL_OTF2_READ_FUNCTIONS(X)                                                                 \
    X(void *, Reader_Open, (const char *anchor))                                                   \
    X(int, Reader_Close, (void *reader))                                                           \
    X(int, Reader_SetSerialCollectiveCallbacks, (void *reader))                                    \
    X(void *, Reader_GetGlobalDefReader, (void *reader))                                           \
    X(int, Reader_RegisterGlobalDefCallbacks,                                                      \
      (void *reader, void *definitions, const void *callbacks, void *data))                        \
    X(int, Reader_ReadAllGlobalDefinitions, (void *reader, void *definitions, uint64_t *ret_n))    \
    X(int, Reader_SelectLocation, (void *reader, uint64_t location))                               \
    X(int, Reader_OpenDefFiles, (void *reader))                                                    \
    X(int, Reader_CloseDefFiles, (void *reader))                                                   \
    X(void *, Reader_GetDefReader, (void *reader, uint64_t location))                              \
    X(int, Reader_ReadAllLocalDefinitions, (void *reader, void *definitions, uint64_t *ret_n))     \
    X(int, Reader_CloseDefReader, (void *reader, void *definitions))                               \
    X(int, Reader_OpenEvtFiles, (void *reader))                                                    \
    X(void *, Reader_GetEvtReader, (void *reader, uint64_t location))                              \
    X(void *, Reader_GetGlobalEvtReader, (void *reader))                                           \
    X(int, Reader_RegisterGlobalEvtCallbacks,                                                      \
      (void *reader, void *events, const void *callbacks, void *data))                             \
    X(int, Reader_ReadGlobalEvents, (void *reader, void *events, uint64_t n, uint64_t *ret_n))     \
    X(void *, GlobalDefReaderCallbacks_New, (void))                                                \
    X(void, GlobalDefReaderCallbacks_Delete, (void *callbacks))                                    \
    X(int, GlobalDefReaderCallbacks_SetClockPropertiesCallback,                                    \
      (void *callbacks, int (*take)(void *data, uint64_t resolution, uint64_t offset,              \
                                    uint64_t length, uint64_t realtime)))                          \
    X(int, GlobalDefReaderCallbacks_SetStringCallback,                                             \
      (void *callbacks, int (*take)(void *data, uint32_t self, const char *text)))                 \
    X(int, GlobalDefReaderCallbacks_SetSystemTreeNodeCallback,                                     \
      (void *callbacks,                                                                            \
       int (*take)(void *data, uint32_t self, uint32_t name, uint32_t of_class, uint32_t parent))) \
    X(int, GlobalDefReaderCallbacks_SetLocationGroupCallback,                                      \
      (void *callbacks, int (*take)(void *data, uint32_t self, uint32_t name, uint8_t type,        \
                                    uint32_t node, uint32_t creator)))                             \
    X(int, GlobalDefReaderCallbacks_SetLocationCallback,                                           \
      (void *callbacks, int (*take)(void *data, uint64_t self, uint32_t name, uint8_t type,        \
                                    uint64_t events, uint32_t group)))                             \
    X(int, GlobalDefReaderCallbacks_SetRegionCallback,                                             \
      (void *callbacks,                                                                            \
       int (*take)(void *data, uint32_t self, uint32_t name, uint32_t canonical,                   \
                   uint32_t description, uint8_t role, uint8_t paradigm, uint32_t flags,           \
                   uint32_t file, uint32_t begin_line, uint32_t end_line)))                        \
    X(int, GlobalDefReaderCallbacks_SetMetricMemberCallback,                                       \
      (void *callbacks,                                                                            \
       int (*take)(void *data, uint32_t self, uint32_t name, uint32_t description, uint8_t type,   \
                   uint8_t mode, uint8_t value_type, uint8_t base, int64_t exponent,               \
                   uint32_t unit)))                                                                \
    X(int, GlobalDefReaderCallbacks_SetMetricClassCallback,                                        \
      (void *callbacks,                                                                            \
       int (*take)(void *data, uint32_t self, uint8_t count, const uint32_t *members,              \
                   uint8_t occurrence, uint8_t recorder)))                                         \
    X(int, GlobalDefReaderCallbacks_SetMetricInstanceCallback,                                     \
      (void *callbacks, int (*take)(void *data, uint32_t self, uint32_t of_class,                  \
                                    uint64_t recorder, uint8_t scope_kind, uint64_t scope)))       \
    X(void *, GlobalEvtReaderCallbacks_New, (void))                                                \
    X(void, GlobalEvtReaderCallbacks_Delete, (void *callbacks))                                    \
    X(int, GlobalEvtReaderCallbacks_SetEnterCallback,                                              \
      (void *callbacks, int (*take)(uint64_t location, uint64_t time, void *data,                  \
                                    void *attributes, uint32_t region)))                           \
    X(int, GlobalEvtReaderCallbacks_SetLeaveCallback,                                              \
      (void *callbacks, int (*take)(uint64_t location, uint64_t time, void *data,                  \
                                    void *attributes, uint32_t region)))                           \
    X(int, GlobalEvtReaderCallbacks_SetMetricCallback,                                             \
      (void *callbacks, int (*take)(uint64_t location, uint64_t time, void *data,                  \
                                    void *attributes, uint32_t metric, uint8_t count,              \
                                    const uint8_t *types, const union wtl_otf2_value *values)))

/* The callback returns its argument; the previous one is returned. */
#define WTL_OTF2_FUNCTIONS(X)                                                              \
    X(wtl_otf2_error_fn *, Error_RegisterCallback, (wtl_otf2_error_fn * take, void *data)) \
    X(const char *, Error_GetDescription, (int code))                                      \
    WTL_OTF2_WRITE_FUNCTIONS(X)                                                            \
    WTL_OTF2_READ_FUNCTIONS(X)

struct wtl_otf2 {
/* A declarator takes no parentheses around its parts: NOLINTNEXTLINE(bugprone-macro-parentheses) */
#define WTL_OTF2_MEMBER(result, name, parameters) result(*name) parameters;
    WTL_OTF2_FUNCTIONS(WTL_OTF2_MEMBER)
#undef WTL_OTF2_MEMBER
};

/* Load the library, version 3: 0, or -ENOTSUP with the remedy. It stays loaded, and no longer prints its own messages. */
int wtl_otf2_load(struct wtl_otf2 *ret_otf2, struct wattle_error *err);

#endif
