# The functions used by each folder's CMakeLists.txt.

# scripts/layers.txt has the rules; a DEPENDS that violates them stops the configuration.
set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/scripts/layers.txt")
file(STRINGS "${PROJECT_SOURCE_DIR}/scripts/layers.txt" layer_lines REGEX "^[a-z]+:")
foreach(line IN LISTS layer_lines)
  string(REGEX MATCH "^([a-z]+): *([^|]*)(.*)$" _ "${line}")
  set(name "${CMAKE_MATCH_1}")
  set(below "${CMAKE_MATCH_2}")
  string(REGEX MATCHALL "[a-z-]+" libraries "${CMAKE_MATCH_3}")
  string(REGEX MATCHALL "[a-z]+" WATTLE_LAW_${name} "${below}")
  foreach(library IN LISTS libraries)
    list(APPEND WATTLE_LAYERS_OF_${library} ${name})
  endforeach()
endforeach()

# wattle_layer(name SOURCES file... [DEPENDS layer...] [LIBS target...])
# Makes the static library wattle_<name> of src/<name>. LIBS are system libraries.
function(wattle_layer name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS;LIBS" ${ARGN})
  foreach(layer IN LISTS arg_DEPENDS)
    if(NOT layer IN_LIST WATTLE_LAW_${name})
      message(FATAL_ERROR "layer law: ${name} may not depend on ${layer} (scripts/layers.txt)")
    endif()
  endforeach()
  # The objects are separate so that the shared libraries can be made of whole layers.
  add_library(wattle_${name}_objects OBJECT ${arg_SOURCES})
  target_include_directories(wattle_${name}_objects PUBLIC
    "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(wattle_${name}_objects PUBLIC Threads::Threads ${arg_LIBS})
  target_compile_definitions(wattle_${name}_objects PRIVATE "WATTLE_VERSION=\"${PROJECT_VERSION}\"")

  add_library(wattle_${name} STATIC $<TARGET_OBJECTS:wattle_${name}_objects>)
  set_target_properties(wattle_${name} PROPERTIES LINKER_LANGUAGE C
    ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/layers")
  target_include_directories(wattle_${name} PUBLIC
    "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
  list(TRANSFORM arg_DEPENDS REPLACE "(.+)" "$<TARGET_NAME_IF_EXISTS:wattle_\\1>" OUTPUT_VARIABLE layers)
  target_link_libraries(wattle_${name} PUBLIC ${layers} Threads::Threads m ${arg_LIBS})
  set_property(GLOBAL APPEND PROPERTY WATTLE_LAYERS ${name})
  set_property(GLOBAL PROPERTY WATTLE_LIBS_${name} ${arg_LIBS})
endfunction()

# wattle_program(name SOURCES file... [DEPENDS layer...] [LIBS target...])
# Makes and installs build/bin/<name>; the target is program_<name>.
function(wattle_program name)
  cmake_parse_arguments(arg "NOT_INSTALLED" "" "SOURCES;DEPENDS;LIBS" ${ARGN})
  set(target program_${name})
  add_executable(${target} ${arg_SOURCES})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  target_include_directories(${target} PRIVATE
    "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
  target_compile_definitions(${target} PRIVATE "WATTLE_VERSION=\"${PROJECT_VERSION}\"")
  list(TRANSFORM arg_DEPENDS PREPEND wattle_ OUTPUT_VARIABLE layers)
  target_link_libraries(${target} PRIVATE ${layers} ${arg_LIBS})
  if(NOT arg_NOT_INSTALLED)
    install(TARGETS ${target} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
    set_property(GLOBAL APPEND PROPERTY WATTLE_PROGRAMS ${name})
  endif()
endfunction()

# wattle_shared(target OUTPUT name [EXPORT name] LAYERS layer... [MAP file] [LIBS target...])
# Makes build/lib/lib<name>.so of whole layers, and lib<name>.a of the same objects; for other projects it is wattle::<EXPORT>, or ::<OUTPUT>. The symbol map is the one list of what is exported: all else
# is made local by the linker, which also resolves the calls inside the library, so public headers need no
# visibility attributes.
function(wattle_shared target)
  cmake_parse_arguments(arg "" "OUTPUT;EXPORT;MAP" "LAYERS;LIBS" ${ARGN})
  set(objects "")
  set(libs ${arg_LIBS})
  foreach(layer IN LISTS arg_LAYERS)
    list(APPEND objects $<TARGET_OBJECTS:wattle_${layer}_objects>)
    get_property(more GLOBAL PROPERTY WATTLE_LIBS_${layer})
    list(APPEND libs ${more})
  endforeach()
  list(REMOVE_DUPLICATES libs)
  add_library(${target} SHARED ${objects})
  if(NOT arg_EXPORT)
    set(arg_EXPORT ${arg_OUTPUT})
  endif()
  add_library(wattle::${arg_EXPORT} ALIAS ${target})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${arg_OUTPUT} EXPORT_NAME ${arg_EXPORT}
    LINKER_LANGUAGE C VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PRIVATE Threads::Threads m ${libs})
  target_link_options(${target} PRIVATE -Wl,-Bsymbolic-functions)
  if(arg_MAP AND EXISTS "${arg_MAP}")
    target_link_options(${target} PRIVATE "-Wl,--version-script=${arg_MAP}")
    set_target_properties(${target} PROPERTIES LINK_DEPENDS "${arg_MAP}")
  endif()
  install(TARGETS ${target} EXPORT wattleTargets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")

  # For pkg-config --static; what it needs is in the .pc file (Libs.private).
  add_library(${target}_static STATIC ${objects})
  set_target_properties(${target}_static PROPERTIES OUTPUT_NAME ${arg_OUTPUT} LINKER_LANGUAGE C
    ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
  install(TARGETS ${target}_static ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endfunction()

# wattle_plugin(name SOURCES file... [LIBS target...])
# A guest of other programs, plugins/<name>: build/lib/libwattle-<name>.so, which includes only include/wattle and is
# linked with libwattle, found beside it. To be preloaded, linked or opened; it exports what its sources define. For other
# projects it is wattle::<name>, which brings wattle::wattle along.
function(wattle_plugin name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  if(NOT TARGET wattle)
    return()
  endif()
  add_library(plugin_${name} SHARED ${arg_SOURCES})
  add_library(wattle::${name} ALIAS plugin_${name})
  set_target_properties(plugin_${name} PROPERTIES OUTPUT_NAME wattle-${name} EXPORT_NAME ${name} LINKER_LANGUAGE C
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib" INSTALL_RPATH "$ORIGIN")
  target_link_libraries(plugin_${name} PUBLIC wattle PRIVATE Threads::Threads ${CMAKE_DL_LIBS} ${arg_LIBS})
  install(TARGETS plugin_${name} EXPORT wattleTargets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endfunction()
