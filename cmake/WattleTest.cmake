# Tests: one TAP program per source file; exit 0 passed, 1 failed, 77 skipped.

# The environment of every test.
set(WATTLE_TEST_ENV
  "SRC=${PROJECT_SOURCE_DIR}" "BUILD=${PROJECT_BINARY_DIR}" "PEERS=${PROJECT_SOURCE_DIR}/build/peers"
  "WATTLE=${PROJECT_BINARY_DIR}/bin/wattle" "WATTLE_SIM=${PROJECT_BINARY_DIR}/bin/wattle-sim"
  "ASAN_OPTIONS=detect_stack_use_after_return=1:abort_on_error=0"
  "LSAN_OPTIONS=suppressions='${PROJECT_SOURCE_DIR}/tests/lsan.supp':print_suppressions=0"
  "UBSAN_OPTIONS=print_stacktrace=1"
  "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1")

# Duration of the longest tests in seconds, so that a first run in parallel starts with these; ctest learns the others.
set(WATTLE_TEST_SECONDS
  unit/control/killed-1000 200 faults/killed/1000 170 browser/report 163 integration/import/many-mutants/10500 160
  worlds/check 156 browser/pages 153 integration/jobs/chain 125 integration/pm/hostile 122 unit/record/page_torn/120 120
  browser/pose 117 integration/run/launchers-more 95 unit/control/killed-300 94 browser/run 92 unit/trace/room 83
  integration/slurm/faults 75 torture/drivers 75 integration/slurm/posting 73 unit/trace/repair 70 bindings/names-large 67
  check/checks 63 integration/slurm/energy 62 integration/slurm/lifecycle 57 check/new-driver 54 integration/slurm/failures 53
  check/style 52 integration/sim/passes 51 unit/record/session 51 faults/killed/120 48 browser/lanes 44
  unit/record/fault_mix/2000 43 docs/first-steps 40 cli/compare-widths 39 check/shell 35 integration/sim/characterize 35
  integration/pose/calibrate-ends 34 faults/soak 33 browser/stats 32 python/damage 31 integration/wattled/shared 31
  integration/wattled/hang 31 unit/control/killed 30 cli/output-closed-pipe 30 unit/trace/region_random/60000 29
  integration/wattled/gpus 29 integration/run/launchers 27 integration/run/zen3/launchers 27 faults/matrix 27
  integration/run/edges 27 integration/run/truth 26 integration/run/zen3/truth 26 integration/slurm/gres 26
  integration/slurm/jobs 26 integration/schemas/documents 26 integration/jobs/load 25 integration/import/many-mutants 25
  examples/study 25 faults/sensor 25 browser/pose_command 25 integration/wattled/reader 24 cli/output-labels 24 faults/hang 23
  unit/daemon/divider 23 terminal/top 21 python/fixtures 21 unit/record/edges 21 integration/mpi/tools 20
  integration/pose/calibrate-mpi 20 check/uninstall 20 browser/lanes_served 20 unit/analysis/task_study 20
  integration/profiler/ranks 19 integration/mpi/alone 19 integration/sim/likwid 19 browser/figures 19 check/install 18
  integration/sweep/live 18 unit/jobs/store 18 integration/moneq/programs 17 bindings/scope 17 unit/record/page_torn/15 17
  integration/run/ab 17 unit/record/fault_mix 17 integration/pm/driver 16 integration/mpi/languages 16 faults/mix 16
  integration/gpu/errors 16 integration/run/zen3/ab 16 integration/mpi/aligned 16 unit/trace/writer 16
  integration/gather/round-trip 16 integration/mpi/parts 15 integration/mpi/ends 15 unit/trace/reader 15 torture/measure 15
  faults/disk 12 examples/steer 12 integration/pose/calibrate 10 integration/sim/likwid/user 10)

function(wattle_test_properties name)
  cmake_parse_arguments(arg "SERIAL" "TIMEOUT" "LABELS" ${ARGN})
  # A limit only ends a test that hangs; on a machine with other work everything takes ten times as long. Shorter ones are raised.
  if(NOT arg_TIMEOUT OR arg_TIMEOUT LESS 1200)
    set(arg_TIMEOUT 1200)
  endif()
  if(WATTLE_SANITIZE)
    math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 3")
  endif()
  set(without "${arg_LABELS}")
  list(FILTER without INCLUDE REGEX "^(slow|hardware|machine|check|noasan|plain|browser|integration|python|bindings|examples)$")
  if("sanitize" IN_LIST arg_LABELS OR NOT without)
    list(APPEND arg_LABELS asan)
  endif()
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${arg_TIMEOUT}
    LABELS "${arg_LABELS}" ENVIRONMENT "${WATTLE_TEST_ENV}")
  list(FIND WATTLE_TEST_SECONDS "${name}" at)
  if(at GREATER -1)
    math(EXPR at "${at} + 1")
    list(GET WATTLE_TEST_SECONDS ${at} seconds)
    set_tests_properties(${name} PROPERTIES COST ${seconds})
  endif()
  if(arg_SERIAL)
    set_tests_properties(${name} PROPERTIES RUN_SERIAL TRUE)
  endif()
endfunction()

# The target `all_of_them` includes this one; it can also be built by itself.
function(wattle_built_by all_of_them target)
  if(NOT TARGET ${all_of_them})
    add_custom_target(${all_of_them})
  endif()
  add_dependencies(${all_of_them} ${target})
endfunction()

# wattle_test(layer/file [SOURCES extra...] [DEPENDS layer...] [LIBS target...] [LABELS label...]
#             [TIMEOUT s] [SERIAL])
# The program is tests/unit/<layer>/test_<file>.c, linked with the layer; the test is unit/<layer>/<file>.
# Labels with a meaning: slow, hardware and machine are left out of `make test`, slow runs in `make check-all`, but not if also long
# (the same with many more repetitions: `make check-long`),
# page marks what needs the HTML page (see wattle_script_test), tsan what also runs under the thread sanitizer, noasan what cannot run under asan, plain what
# computes so much that only `make check-long` runs it under asan, sanitize the tests of whole
# programs that run under asan in `make check-all` (of the others, integration, python, bindings and examples do not).
# From these follows the label asan, of all that does, and does not run without sanitizers as well in `make check-all`.
function(wattle_test path)
  if(NOT WATTLE_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "SERIAL" "TIMEOUT" "SOURCES;DEPENDS;LIBS;LABELS" ${ARGN})
  get_filename_component(layer "${path}" DIRECTORY)
  get_filename_component(file "${path}" NAME)
  string(REGEX REPLACE "^test_" "" file "${file}")
  set(target test_${layer}_${file})
  add_executable(${target} "${PROJECT_SOURCE_DIR}/tests/unit/${layer}/test_${file}.c" ${arg_SOURCES})
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/unit/${layer}")
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_compile_definitions(${target} PRIVATE "WATTLE_SOURCE_DIR=\"${PROJECT_SOURCE_DIR}\"")
  list(TRANSFORM arg_DEPENDS PREPEND wattle_ OUTPUT_VARIABLE layers)
  target_link_libraries(${target} PRIVATE wattle_${layer} ${layers} ${arg_LIBS})
  if("tsan" IN_LIST arg_LABELS)
    wattle_built_by(tsan_tests ${target})
  endif()
  if(NOT "noasan" IN_LIST arg_LABELS AND NOT "plain" IN_LIST arg_LABELS AND NOT "slow" IN_LIST arg_LABELS)
    set_property(GLOBAL APPEND PROPERTY WATTLE_SANITIZED_TARGETS ${target})
  endif()
  add_test(NAME unit/${layer}/${file} COMMAND ${target}
    WORKING_DIRECTORY "${PROJECT_BINARY_DIR}/tests/unit/${layer}")
  set(serial "")
  if(arg_SERIAL)
    set(serial SERIAL)
  endif()
  wattle_test_properties(unit/${layer}/${file} TIMEOUT ${arg_TIMEOUT} LABELS unit ${arg_LABELS} ${serial})
endfunction()

# wattle_script_test(name COMMAND command... [LABELS label...] [TIMEOUT s] [SERIAL])
# A test that is a script or program with the environment of all tests ($SRC, $BUILD, $WATTLE, $WATTLE_SIM). One with the
# label page needs the HTML page: it is skipped where the page was left out of the build.
function(wattle_script_test name)
  if(NOT WATTLE_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "SERIAL" "TIMEOUT" "COMMAND;LABELS" ${ARGN})
  if("page" IN_LIST arg_LABELS)
    list(PREPEND arg_COMMAND "${PROJECT_SOURCE_DIR}/tests/with-page")
  endif()
  foreach(word IN LISTS arg_COMMAND)
    string(REGEX REPLACE "^\\$<TARGET_FILE:(.*)>$" "\\1" word "${word}")
    if(TARGET "${word}")
      set_property(GLOBAL APPEND PROPERTY WATTLE_SCRIPT_TARGETS ${word})
    endif()
  endforeach()
  add_test(NAME ${name} COMMAND ${arg_COMMAND} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set(serial "")
  if(arg_SERIAL)
    set(serial SERIAL)
  endif()
  wattle_test_properties(${name} TIMEOUT ${arg_TIMEOUT} LABELS ${arg_LABELS} ${serial})
endfunction()

# wattle_fuzz(name DEPENDS layer...)
# tests/fuzz/fuzz_<name>.c defines LLVMFuzzerTestOneInput. With WATTLE_FUZZ=on it becomes the libFuzzer
# program fuzz_<name>; otherwise it is linked with a small main that replays tests/fuzz/corpus/<name>/, the thread
# sanitizer aside: one thread reads.
function(wattle_fuzz name)
  if(NOT WATTLE_BUILD_TESTS OR (WATTLE_SANITIZE MATCHES "thread" AND NOT WATTLE_FUZZ))
    return()
  endif()
  cmake_parse_arguments(arg "" "" "DEPENDS;LIBS" ${ARGN})
  set(source "${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_${name}.c")
  set(corpus "${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name}")
  list(TRANSFORM arg_DEPENDS PREPEND wattle_ OUTPUT_VARIABLE layers)
  if(WATTLE_FUZZ)
    add_executable(fuzz_${name} ${source})
    target_compile_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    add_test(NAME fuzz/${name} COMMAND fuzz_${name} -runs=0 "${corpus}")
  else()
    add_executable(fuzz_${name} ${source} "${PROJECT_SOURCE_DIR}/tests/fuzz/replay.c")
    add_test(NAME fuzz/${name} COMMAND fuzz_${name} "${corpus}")
  endif()
  wattle_built_by(fuzz_tests fuzz_${name})
  set_property(GLOBAL APPEND PROPERTY WATTLE_SANITIZED_TARGETS fuzz_${name})
  set_target_properties(fuzz_${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/fuzz")
  target_link_libraries(fuzz_${name} PRIVATE ${layers} ${arg_LIBS})
  wattle_test_properties(fuzz/${name} TIMEOUT 120 LABELS fuzz)
endfunction()

# wattle_example(name [LIBRARY target] [LIBS target...])
# examples/<name>/main.c, linked with libwattle only, or with LIBRARY only, becomes build/bin/examples/<name>. The folder's own
# CMakeLists.txt is for readers: scripts/check-install builds it against the installed tree.
function(wattle_example name)
  cmake_parse_arguments(arg "" "LIBRARY" "LIBS" ${ARGN})
  if(NOT arg_LIBRARY)
    set(arg_LIBRARY wattle)
  endif()
  if(NOT TARGET ${arg_LIBRARY})
    return()
  endif()
  add_executable(example_${name} "${PROJECT_SOURCE_DIR}/examples/${name}/main.c")
  set_target_properties(example_${name} PROPERTIES OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin/examples")
  target_link_libraries(example_${name} PRIVATE ${arg_LIBRARY} ${arg_LIBS})
endfunction()

# wattle_bench(name [DEPENDS layer...] [LIBS target...])
# bench/<name>.c becomes build/bin/bench/<name>, which `make bench` runs.
function(wattle_bench name)
  cmake_parse_arguments(arg "" "" "DEPENDS;LIBS" ${ARGN})
  add_executable(bench_${name} "${PROJECT_SOURCE_DIR}/bench/${name}.c")
  set_target_properties(bench_${name} PROPERTIES OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin/bench")
  list(TRANSFORM arg_DEPENDS PREPEND wattle_ OUTPUT_VARIABLE layers)
  target_link_libraries(bench_${name} PRIVATE ${layers} ${arg_LIBS})
endfunction()
