# Headers, CMake package, pkg-config file, man pages, completions, the Python reader. Programs and libraries install themselves
# (WattleLayer.cmake). The tree may be moved after the installation.
include(CMakePackageConfigHelpers)

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/wattle" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.h")
# MonEQ's calls, under the names that its programs include.
install(FILES "${PROJECT_SOURCE_DIR}/include/moneq.h" "${PROJECT_SOURCE_DIR}/include/powermon_bgq.h"
  "${PROJECT_SOURCE_DIR}/include/bgq_err.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
# pmlib's calls, likewise; in a folder of their own, since "line.h" is a common name.
install(FILES "${PROJECT_SOURCE_DIR}/include/pm/pmlib.h" "${PROJECT_SOURCE_DIR}/include/pm/line.h"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/pmlib")

if(TARGET wattle)
  set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/wattle")
  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/wattleConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/cmake/wattleConfig.cmake" INSTALL_DESTINATION "${package_dir}")
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/cmake/wattleConfigVersion.cmake"
    COMPATIBILITY SameMajorVersion)
  install(EXPORT wattleTargets NAMESPACE wattle:: DESTINATION "${package_dir}")
  install(FILES "${PROJECT_BINARY_DIR}/cmake/wattleConfig.cmake"
    "${PROJECT_BINARY_DIR}/cmake/wattleConfigVersion.cmake" DESTINATION "${package_dir}")

  if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    message(FATAL_ERROR "CMAKE_INSTALL_LIBDIR must be relative to the prefix")
  endif()
endif()

# Programs linked with pkg-config find the library where it was when they were linked. In /usr the loader finds it
# anyway, and distributions do not want such a path.
set(WATTLE_PC_RPATH " -Wl,-rpath,\${libdir}")
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(WATTLE_PC_RPATH "")
endif()

# wattle_pc(target name description [requires [include [private libraries]]]): name.pc for lib<name>, if there is such a target.
function(wattle_pc target WATTLE_PC_NAME WATTLE_PC_DESCRIPTION)
  if(NOT TARGET ${target})
    return()
  endif()
  file(RELATIVE_PATH WATTLE_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  set(WATTLE_PC_REQUIRES ${ARGV3})
  set(WATTLE_PC_PRIVATE "")
  if(TARGET ${target}_static AND NOT WATTLE_PC_REQUIRES)
    set(WATTLE_PC_PRIVATE "-lzstd -lm -pthread")
  endif()
  set(WATTLE_PC_INCLUDE "\${includedir}")
  if(ARGC GREATER 4)
    set(WATTLE_PC_INCLUDE "${ARGV4}")
  endif()
  if(ARGC GREATER 5)
    set(WATTLE_PC_PRIVATE "${ARGV5}")
  endif()
  configure_file("${PROJECT_SOURCE_DIR}/cmake/wattle.pc.in" "${PROJECT_BINARY_DIR}/cmake/${WATTLE_PC_NAME}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/cmake/${WATTLE_PC_NAME}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endfunction()
wattle_pc(wattle wattle "${PROJECT_DESCRIPTION}")
wattle_pc(analysis_library wattle-analysis "Models of energy and run time")
wattle_pc(control_library wattle-control "Frequency and power of a part of a program")
wattle_pc(pmlib_library wattle-pmlib "pmlib's calls, for programs that measure through a server of pmlib" "" "\${includedir}/pmlib" "-lm")
wattle_pc(plugin_mpi wattle-mpi "wattle's profiler of MPI programs, to be linked in front of MPI" wattle)
wattle_pc(plugin_likwid wattle-likwid "LIKWID's marker calls as regions of wattle, to be linked in front of likwid" wattle)
wattle_pc(plugin_extrae wattle-extrae "Extrae's calls as events and regions of wattle" wattle "\${includedir}/wattle-extrae")
wattle_pc(fortran_module wattle-fortran "wattle's module for gfortran" wattle "\${libdir}/fortran/gfortran")

wattle_wanted(install_man WATTLE_INSTALL_MAN TRUE "")
if(install_man)
  foreach(section 1 3 5 7 8)
    file(GLOB pages CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/docs/man/*.${section}")
    foreach(page IN LISTS pages)
      get_filename_component(name "${page}" NAME)
      set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${page}")
      file(READ "${page}" text)
      string(REGEX REPLACE "docs/(format|guide)/" "share/doc/wattle/\\1/" text "${text}")
      file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/man${section}/${name}" CONTENT "${text}")
      install(FILES "${PROJECT_BINARY_DIR}/man${section}/${name}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man${section}")
    endforeach()
  endforeach()
  # "man wattle_recorder_start": each additional name of a page in section 3 is a file that refers to it.
  file(GLOB pages CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/docs/man/*.3")
  foreach(page IN LISTS pages)
    get_filename_component(stem "${page}" NAME_WE)
    file(READ "${page}" text)
    string(REGEX MATCH "\n\\.SH NAME\n([^\\]*)" _ "${text}")
    string(REGEX MATCHALL "[A-Za-z_]+" names "${CMAKE_MATCH_1}")
    list(REMOVE_ITEM names "${stem}")
    foreach(name IN LISTS names)
      file(WRITE "${PROJECT_BINARY_DIR}/man3/${name}.3" ".so man3/${stem}.3\n")
      install(FILES "${PROJECT_BINARY_DIR}/man3/${name}.3" DESTINATION "${CMAKE_INSTALL_MANDIR}/man3")
    endforeach()
  endforeach()
  file(WRITE "${PROJECT_BINARY_DIR}/man1/wattle-reduce-mpi.1" ".so man1/wattle-reduce.1\n")
  install(FILES "${PROJECT_BINARY_DIR}/man1/wattle-reduce-mpi.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
  foreach(program wattle wattle-pm)
    install(FILES "${PROJECT_SOURCE_DIR}/completions/${program}.bash" RENAME ${program}
      DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
    install(FILES "${PROJECT_SOURCE_DIR}/completions/${program}.zsh" RENAME _${program}
      DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
    install(FILES "${PROJECT_SOURCE_DIR}/completions/${program}.fish"
      DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
  endforeach()
endif()
# The module over libwattle; a trace reader for notebooks, and its example.
install(FILES "${PROJECT_SOURCE_DIR}/python/wattle.py" "${PROJECT_SOURCE_DIR}/python/wattle_trace.py" "${PROJECT_SOURCE_DIR}/examples/notebook/plot_power.py"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/wattle/python")
# Files cited by man pages: docs/format/json.md is installed as share/doc/wattle/format/json.md.
include(WattleDocs)
wattle_install_docs()

# wattle finds them beside itself, in the build tree, too.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/formats/" DESTINATION "${CMAKE_INSTALL_DATADIR}/wattle/formats"
  FILES_MATCHING PATTERN "*.ini")
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/share/wattle")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/counters/" DESTINATION "${CMAKE_INSTALL_DATADIR}/wattle/counters"
  FILES_MATCHING PATTERN "*.ini")
file(CREATE_LINK "${PROJECT_SOURCE_DIR}/counters" "${PROJECT_BINARY_DIR}/share/wattle/counters" SYMBOLIC)
file(CREATE_LINK "${PROJECT_SOURCE_DIR}/formats" "${PROJECT_BINARY_DIR}/share/wattle/formats" SYMBOLIC)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/format/schema/" DESTINATION "${CMAKE_INSTALL_DATADIR}/wattle/schemas"
  FILES_MATCHING PATTERN "*.json")

# Programs for Prolog and Epilog of Slurm, to be linked into the site's folders.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/packaging/slurm" DESTINATION "${CMAKE_INSTALL_DATADIR}/wattle"
  USE_SOURCE_PERMISSIONS)

# The unit and timer that send records of jobs.
install(CODE "set(WATTLE \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/wattle\")
  configure_file(\"${PROJECT_SOURCE_DIR}/packaging/systemd/wattle-jobs-send.service.in\" \"${PROJECT_BINARY_DIR}/packaging/wattle-jobs-send.service\" @ONLY)")
install(FILES "${PROJECT_BINARY_DIR}/packaging/wattle-jobs-send.service"
  "${PROJECT_SOURCE_DIR}/packaging/systemd/wattle-jobs-send.timer" DESTINATION lib/systemd/system)

# wattled: the unit and the user where systemd looks for them (also below /usr/local), the rest to be copied by the admin or
# by a package. Nothing is installed in /etc.
if(TARGET program_wattled)
  # The prefix is known when it is installed.
  install(CODE "set(WATTLED \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/wattled\")
    configure_file(\"${PROJECT_SOURCE_DIR}/packaging/systemd/wattled.service.in\" \"${PROJECT_BINARY_DIR}/packaging/wattled.service\" @ONLY)")
  install(FILES "${PROJECT_BINARY_DIR}/packaging/wattled.service" DESTINATION lib/systemd/system)
  install(FILES "${PROJECT_SOURCE_DIR}/packaging/systemd/wattled.sysusers" RENAME wattled.conf DESTINATION lib/sysusers.d)
  install(FILES "${PROJECT_SOURCE_DIR}/packaging/apparmor/wattled" "${PROJECT_SOURCE_DIR}/packaging/etc/wattle.conf"
    "${PROJECT_SOURCE_DIR}/packaging/selinux/wattled.te" "${PROJECT_SOURCE_DIR}/packaging/selinux/wattled.fc"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/wattle/wattled")
endif()
# wattle-pm, which reads wattled's page.
if(TARGET program_wattle-pm)
  install(CODE "set(WATTLE_PM \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/wattle-pm\")
    configure_file(\"${PROJECT_SOURCE_DIR}/packaging/systemd/wattle-pm.service.in\" \"${PROJECT_BINARY_DIR}/packaging/wattle-pm.service\" @ONLY)")
  install(FILES "${PROJECT_BINARY_DIR}/packaging/wattle-pm.service" DESTINATION lib/systemd/system)
  install(FILES "${PROJECT_SOURCE_DIR}/packaging/systemd/wattle-pm.sysusers" RENAME wattle-pm.conf DESTINATION lib/sysusers.d)
endif()
