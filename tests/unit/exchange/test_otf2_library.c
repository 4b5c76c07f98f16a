/* SPDX-License-Identifier: BSD-3-Clause */
/* Our declarations of libotf2 are those of its headers: a wrong one would pass wrong arguments, unnoticed. */
#if __has_include(<otf2/otf2.h>)
#    include <otf2/otf2.h>
#    define HEADERS 1
#endif

#include "exchange/otf2/otf2_library.h"

#include "tap.h"

#ifdef HEADERS

_Static_assert(sizeof(OTF2_ErrorCode) == sizeof(int), "error codes");
_Static_assert(sizeof(OTF2_CallbackCode) == sizeof(int), "callback codes");
_Static_assert(sizeof(union wtl_otf2_value) == sizeof(OTF2_MetricValue), "values of metrics");
_Static_assert(sizeof(struct wtl_otf2_flush) == sizeof(OTF2_FlushCallbacks) &&
                   sizeof(struct wtl_otf2_memory) == sizeof(OTF2_MemoryCallbacks),
               "callbacks");
_Static_assert(sizeof(OTF2_Type) == 1 && sizeof(OTF2_LocationType) == 1 &&
                   sizeof(OTF2_RegionRole) == 1 && sizeof(OTF2_Paradigm) == 1 &&
                   sizeof(OTF2_MetricMode) == 1 && sizeof(OTF2_MetricScope) == 1 &&
                   sizeof(OTF2_RegionFlag) == 4 && sizeof(OTF2_GroupFlag) == 4 &&
                   sizeof(OTF2_CommFlag) == 4 && sizeof(OTF2_LocationRef) == 8 &&
                   sizeof(OTF2_TimeStamp) == 8,
               "types");

static void test_values(void)
{
    static const struct {
        int line;
        long long ours, theirs;
    } values[] = {{__LINE__, WTL_OTF2_WRITE, OTF2_FILEMODE_WRITE},
                  {__LINE__, WTL_OTF2_POSIX, OTF2_SUBSTRATE_POSIX},
                  {__LINE__, WTL_OTF2_UNCOMPRESSED, OTF2_COMPRESSION_NONE},
                  {__LINE__, WTL_OTF2_FLUSH, OTF2_FLUSH},
                  {__LINE__, WTL_OTF2_FILE_EVENTS, OTF2_FILETYPE_EVENTS},
                  {__LINE__, WTL_OTF2_CHUNK, OTF2_CHUNK_SIZE_MIN},
                  {__LINE__, WTL_OTF2_CHUNK_DEFINITIONS, OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT},
                  {__LINE__, WTL_OTF2_GROUP_PROCESS, OTF2_LOCATION_GROUP_TYPE_PROCESS},
                  {__LINE__, WTL_OTF2_CPU_THREAD, OTF2_LOCATION_TYPE_CPU_THREAD},
                  {__LINE__, WTL_OTF2_METRIC_LOCATION, OTF2_LOCATION_TYPE_METRIC},
                  {__LINE__, WTL_OTF2_TYPE_DOUBLE, OTF2_TYPE_DOUBLE},
                  {__LINE__, WTL_OTF2_TYPE_INT64, OTF2_TYPE_INT64},
                  {__LINE__, WTL_OTF2_TYPE_UINT64, OTF2_TYPE_UINT64},
                  {__LINE__, WTL_OTF2_METRIC_OTHER, OTF2_METRIC_TYPE_OTHER},
                  {__LINE__, WTL_OTF2_ABSOLUTE | WTL_OTF2_NEXT, OTF2_METRIC_ABSOLUTE_NEXT},
                  {__LINE__, WTL_OTF2_ABSOLUTE | WTL_OTF2_LAST, OTF2_METRIC_ABSOLUTE_LAST},
                  {__LINE__, WTL_OTF2_ABSOLUTE | WTL_OTF2_POINT, OTF2_METRIC_ABSOLUTE_POINT},
                  {__LINE__, WTL_OTF2_ACCUMULATED | WTL_OTF2_START, OTF2_METRIC_ACCUMULATED_START},
                  {__LINE__, WTL_OTF2_RELATIVE | WTL_OTF2_LAST, OTF2_METRIC_RELATIVE_LAST},
                  {__LINE__, WTL_OTF2_MODE_VALUE, OTF2_METRIC_VALUE_MASK},
                  {__LINE__, WTL_OTF2_MODE_TIMING, OTF2_METRIC_TIMING_MASK},
                  {__LINE__, WTL_OTF2_BINARY, OTF2_BASE_BINARY},
                  {__LINE__, WTL_OTF2_DECIMAL, OTF2_BASE_DECIMAL},
                  {__LINE__, WTL_OTF2_ASYNCHRONOUS, OTF2_METRIC_ASYNCHRONOUS},
                  {__LINE__, WTL_OTF2_ABSTRACT, OTF2_RECORDER_KIND_ABSTRACT},
                  {__LINE__, WTL_OTF2_GROUP_COMM_LOCATIONS, OTF2_GROUP_TYPE_COMM_LOCATIONS},
                  {__LINE__, WTL_OTF2_GROUP_COMM_GROUP, OTF2_GROUP_TYPE_COMM_GROUP},
                  {__LINE__, WTL_OTF2_PARADIGM_UNKNOWN, OTF2_PARADIGM_UNKNOWN},
                  {__LINE__, WTL_OTF2_PARADIGM_USER, OTF2_PARADIGM_USER},
                  {__LINE__, WTL_OTF2_PARADIGM_OPENMP, OTF2_PARADIGM_OPENMP},
                  {__LINE__, WTL_OTF2_PARADIGM_MPI, OTF2_PARADIGM_MPI},
                  {__LINE__, WTL_OTF2_ROLE_FUNCTION, OTF2_REGION_ROLE_FUNCTION},
                  {__LINE__, WTL_OTF2_ROLE_WRAPPER, OTF2_REGION_ROLE_WRAPPER},
                  {__LINE__, WTL_OTF2_ROLE_CODE, OTF2_REGION_ROLE_CODE},
                  {__LINE__, WTL_OTF2_ROLE_PARALLEL, OTF2_REGION_ROLE_PARALLEL},
                  {__LINE__, WTL_OTF2_ROLE_WORKSHARE, OTF2_REGION_ROLE_WORKSHARE},
                  {__LINE__, WTL_OTF2_ROLE_CRITICAL, OTF2_REGION_ROLE_CRITICAL},
                  {__LINE__, WTL_OTF2_ROLE_BARRIER, OTF2_REGION_ROLE_BARRIER},
                  {__LINE__, WTL_OTF2_ROLE_TASK, OTF2_REGION_ROLE_TASK},
                  {__LINE__, WTL_OTF2_ROLE_FILE_IO, OTF2_REGION_ROLE_FILE_IO},
                  {__LINE__, WTL_OTF2_ROLE_ARTIFICIAL, OTF2_REGION_ROLE_ARTIFICIAL},
                  {__LINE__, WTL_OTF2_ROLE_THREAD_WAIT, OTF2_REGION_ROLE_THREAD_WAIT},
                  {__LINE__, WTL_OTF2_PARAMETER_STRING, OTF2_PARAMETER_TYPE_STRING},
                  {__LINE__, WTL_OTF2_PARAMETER_INT64, OTF2_PARAMETER_TYPE_INT64},
                  {__LINE__, WTL_OTF2_UNDEFINED_32, OTF2_UNDEFINED_LOCATION_GROUP}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        is_int(values[i].ours, values[i].theirs, "value of line %d", values[i].line);
}

/* The number of parameters, and those without handles, by calls that are compiled but not made. */
__attribute__((unused)) static void call_all(const struct wtl_otf2 *otf2, void *h)
{
#    define BOTH(name, ...) \
        ((void)sizeof(OTF2_##name(__VA_ARGS__)), (void)sizeof(otf2->name(__VA_ARGS__)))
    BOTH(Archive_Open, "", "", 0, 0, 0, 0, 0);
    BOTH(EvtWriter_Enter, h, h, 0, 0);
    BOTH(EvtWriter_Leave, h, h, 0, 0);
    BOTH(EvtWriter_MpiSend, h, h, 0, 0, 0, 0, 0);
    BOTH(EvtWriter_MpiRecv, h, h, 0, 0, 0, 0, 0);
    BOTH(EvtWriter_ParameterString, h, h, 0, 0, 0);
    BOTH(EvtWriter_ParameterInt, h, h, 0, 0, 0);
    BOTH(GlobalDefWriter_WriteClockProperties, h, 0, 0, 0, 0);
    BOTH(GlobalDefWriter_WriteString, h, 0, "");
    BOTH(GlobalDefWriter_WriteSystemTreeNode, h, 0, 0, 0, 0);
    BOTH(GlobalDefWriter_WriteLocationGroup, h, 0, 0, 0, 0, 0);
    BOTH(GlobalDefWriter_WriteLocation, h, 0, 0, 0, 0, 0);
    BOTH(GlobalDefWriter_WriteRegion, h, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    BOTH(GlobalDefWriter_WriteMetricMember, h, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    BOTH(GlobalDefWriter_WriteMetricClass, h, 0, 0, NULL, 0, 0);
    BOTH(GlobalDefWriter_WriteMetricInstance, h, 0, 0, 0, 0, 0);
    BOTH(GlobalDefWriter_WriteGroup, h, 0, 0, 0, 0, 0, 0, NULL);
    BOTH(GlobalDefWriter_WriteComm, h, 0, 0, 0, 0, 0);
    BOTH(GlobalDefWriter_WriteParameter, h, 0, 0, 0);
    BOTH(Reader_Open, "");
    BOTH(Reader_SelectLocation, h, 0);
    BOTH(Reader_ReadGlobalEvents, h, h, 0, NULL);
#    undef BOTH
}

#else

static void test_values(void)
{
    skip("the headers of libotf2 are not installed");
}

#endif

int main(void)
{
    struct wtl_otf2 otf2;
    struct wattle_error err = {""};
    test_values();
    if (wtl_otf2_load(&otf2, &err) < 0)
        ok(strstr(err.text, "libotf2"), "%s", err.text);
    else
        ok(otf2.Error_GetDescription(0), "it loads");
    return done_testing();
}
