# What does `cmake --install` add to the programs and headers that the folders
# install themselves? The package files by which others find the headers, the
# recorded examples and the documents. The tree can be moved afterwards.
include(CMakePackageConfigHelpers)

set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cpprof)

# pkg-config: from lib/pkgconfig back to the prefix.
file(RELATIVE_PATH CPPROF_PREFIX_FROM_PKGCONFIG /prefix/${pkgconfig_dir} /prefix)
string(REGEX REPLACE "/$" "" CPPROF_PREFIX_FROM_PKGCONFIG ${CPPROF_PREFIX_FROM_PKGCONFIG})
configure_file(${CMAKE_SOURCE_DIR}/packaging/cmake/cpprof.pc.in ${CMAKE_BINARY_DIR}/cpprof.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/cpprof.pc DESTINATION ${pkgconfig_dir})

# CMake: find_package(cpprof) gives cpprof::headers, cpprof::variant for a library that --load names, the program
# cpprof::cpprof, and cpprof_add_gate for tests that run it.
add_library(cpprof_headers INTERFACE)
set_target_properties(cpprof_headers PROPERTIES EXPORT_NAME headers)
target_include_directories(cpprof_headers INTERFACE
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
add_library(cpprof_variant INTERFACE)
set_target_properties(cpprof_variant PROPERTIES EXPORT_NAME variant)
target_link_libraries(cpprof_variant INTERFACE cpprof_headers)
install(TARGETS cpprof_headers cpprof_variant EXPORT cpprofTargets)
install(EXPORT cpprofTargets NAMESPACE cpprof:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_SOURCE_DIR}/packaging/cmake/cpprofConfig.cmake.in ${CMAKE_BINARY_DIR}/cpprofConfig.cmake
                              INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cpprofConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${CMAKE_BINARY_DIR}/cpprofConfig.cmake ${CMAKE_BINARY_DIR}/cpprofConfigVersion.cmake
              packaging/cmake/CpprofGate.cmake packaging/cmake/gate.sh
        DESTINATION ${package_dir})

install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
# `cpprof help DOCUMENT` needs the documents, and share/doc may be left out of small images: they lie elsewhere.
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/cpprof/docs FILES_MATCHING PATTERN "*.md"
        PATTERN "schema/*.json")
file(RELATIVE_PATH docs_from_doc ${CMAKE_INSTALL_FULL_DOCDIR} ${CMAKE_INSTALL_FULL_DATADIR}/cpprof/docs)
install(CODE "file(CREATE_LINK ${docs_from_doc} \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/docs\" SYMBOLIC)")
if(EXISTS ${CMAKE_SOURCE_DIR}/examples)
  install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/cpprof/examples COMPONENT examples)
endif()

# Programs are installed stripped. The debug information of these is a component: `cmake --install BUILD --component debug`.
set(debugged "")
foreach(target cpprof cpprof-mpi cpprof-runner cpprof-judge cpprof_runner_python cpprof_inject cpprof_counters)
  if(TARGET ${target})
    list(APPEND debugged $<TARGET_FILE:${target}>)
  endif()
endforeach()
list(JOIN debugged "\" \"" debugged)
install(CODE "execute_process(COMMAND \"${CMAKE_SOURCE_DIR}/packaging/debug_info.sh\"
  \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/debug\" \"${debugged}\" COMMAND_ERROR_IS_FATAL ANY)" COMPONENT debug EXCLUDE_FROM_ALL)

# Manual pages, where help2man is there to make them, and what shells complete.
find_program(HELP2MAN help2man)
if(HELP2MAN)
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/man/made
    COMMAND ${CMAKE_SOURCE_DIR}/packaging/man_pages.sh $<TARGET_FILE:cpprof> ${CMAKE_BINARY_DIR}/man
    COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/man/made
    DEPENDS cpprof ${CMAKE_SOURCE_DIR}/packaging/man_pages.sh VERBATIM)
  add_custom_target(man_pages ALL DEPENDS ${CMAKE_BINARY_DIR}/man/made)
  install(DIRECTORY ${CMAKE_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL # a build of some targets has none
          FILES_MATCHING PATTERN "*.1")
else()
  message(STATUS "help2man is not here: no manual pages")
endif()
install(FILES packaging/completion/cpprof.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME cpprof)
install(FILES packaging/completion/_cpprof DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES packaging/completion/cpprof.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# Packages: `cpack --config BUILD/CPackConfig.cmake` writes a .deb and a tarball that can be moved. The one with the CUDA
# parts has another name, and takes the place of the one without.
set(CPACK_PACKAGE_NAME cpprof)
if(CPPROF_HAVE_CUDA)
  set(CPACK_PACKAGE_NAME cpprof-cuda)
  set(CPACK_DEBIAN_PACKAGE_PROVIDES cpprof)
  set(CPACK_DEBIAN_PACKAGE_CONFLICTS cpprof)
  set(CPACK_DEBIAN_PACKAGE_REPLACES cpprof)
else()
  set(CPACK_DEBIAN_PACKAGE_CONFLICTS cpprof-cuda)
  set(CPACK_DEBIAN_PACKAGE_REPLACES cpprof-cuda)
endif()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "is a GPU kernel faster, by how much, and why?")
set(CPACK_PACKAGE_CONTACT "the cpprof developers <cpprof@localhost>")
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/packaging/cmake/PackagePrefix.cmake)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
