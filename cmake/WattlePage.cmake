# HTML pages, made from web/ and stored in the program as bytes: src/report/page_template.h.

set(page_tools "")
if(NOT WATTLE_WEB STREQUAL "off")
  find_program(WATTLE_NODE NAMES node nodejs)
  find_program(WATTLE_NPM NAMES npm)
  if(WATTLE_NODE AND WATTLE_NPM)
    execute_process(COMMAND "${WATTLE_NODE}" --version OUTPUT_VARIABLE node_version ERROR_QUIET
      OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REGEX REPLACE "^v" "" node_version "${node_version}")
    if(node_version VERSION_GREATER_EQUAL 18)
      set(page_tools "${WATTLE_NODE}")
    endif()
  endif()
endif()
wattle_wanted(WATTLE_BUILD_PAGES WATTLE_WEB "${page_tools}" "node 18 with npm")

# wattle_page(name out): the C file that defines wtl_page_<name>, made from web/<name>; its path is in out. Call it in
# the CMakeLists.txt of the layer that compiles the file. Without node the page is empty.
function(wattle_page name out)
  set(folder "${PROJECT_BINARY_DIR}/web")
  set(source "${folder}/page_${name}.c")
  set(${out} "${source}" PARENT_SCOPE)
  if(NOT WATTLE_BUILD_PAGES)
    file(MAKE_DIRECTORY "${folder}")
    execute_process(COMMAND "${PROJECT_SOURCE_DIR}/web/build" --empty "${name}" "${folder}" COMMAND_ERROR_IS_FATAL ANY)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/web/*.js*" "${PROJECT_SOURCE_DIR}/web/*/*.js"
    "${PROJECT_SOURCE_DIR}/web/*/*.css" "${PROJECT_SOURCE_DIR}/web/*/*.html")
  set(must "")
  if(NOT WATTLE_WEB STREQUAL "auto")
    set(must --must)
  endif()
  # If the packages cannot be fetched, the last output is not created, and the next build tries again.
  add_custom_command(OUTPUT "${source}" "${folder}/${name}.html" "${folder}/page_${name}.done"
    COMMAND "${CMAKE_COMMAND}" -E env "NODE=${WATTLE_NODE}" "NPM=${WATTLE_NPM}"
      "${PROJECT_SOURCE_DIR}/web/build" ${must} "${name}" "${folder}"
    DEPENDS ${sources} "${PROJECT_SOURCE_DIR}/web/build"
    COMMENT "Bundling the page web/${name}" VERBATIM)
endfunction()
