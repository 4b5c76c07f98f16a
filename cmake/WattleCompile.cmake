# How every C file is compiled.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_FLAGS_DEBUG "-Og -g -fno-omit-frame-pointer" CACHE STRING "")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()

# Large files and the registers of /dev/cpu/N/msr, on 32-bit systems too.
add_compile_definitions(_FILE_OFFSET_BITS=64)

add_compile_options(
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
  -Wwrite-strings -Wvla -Wformat=2)
if(WATTLE_WERROR)
  add_compile_options(-Werror)
endif()

if(WATTLE_SANITIZE)
  add_compile_options(-fsanitize=${WATTLE_SANITIZE} -fno-omit-frame-pointer)
  # The code of the sanitizers hides from gcc where a variable gets its value; builds without them find the true ones.
  add_compile_options(-Wno-maybe-uninitialized)
  if(WATTLE_SANITIZE MATCHES "undefined")
    # Casts of a double to an integer that cannot hold it: base/whole.h. "undefined" does not include this check.
    add_compile_options(-fsanitize=float-cast-overflow -fno-sanitize-recover=undefined,float-cast-overflow)
  endif()
  add_link_options(-fsanitize=${WATTLE_SANITIZE})
endif()
if(WATTLE_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "WATTLE_FUZZ=on needs clang (cmake --preset fuzz)")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
# A static libwattle_x.a may have undefined symbols, a shared library may not (sanitizers resolve at run time).
if(NOT WATTLE_SANITIZE)
  add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY>:-Wl,--no-undefined>)
endif()

# Hundreds of tests are linked: with lld in a third of the time. Not what is installed.
include(CheckLinkerFlag)
set(WATTLE_TEST_LINKER "")
foreach(linker lld gold)
  check_linker_flag(C -fuse-ld=${linker} WATTLE_HAVE_${linker})
  if(WATTLE_HAVE_${linker})
    set(WATTLE_TEST_LINKER $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-fuse-ld=${linker}>)
    break()
  endif()
endforeach()
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  add_link_options(${WATTLE_TEST_LINKER})
endif()

# Keep paths of the build machine out of the binaries.
add_compile_options("-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=")
