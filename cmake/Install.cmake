# What does `cmake --install` add to the programs and headers that the folders
# install themselves? The package files by which others find the headers, the
# recorded examples and the documents. The tree can be moved afterwards.
include(CMakePackageConfigHelpers)

set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cpprof)

# pkg-config: from lib/pkgconfig back to the prefix.
file(RELATIVE_PATH CPPROF_PREFIX_FROM_PKGCONFIG /prefix/${pkgconfig_dir} /prefix)
string(REGEX REPLACE "/$" "" CPPROF_PREFIX_FROM_PKGCONFIG ${CPPROF_PREFIX_FROM_PKGCONFIG})
configure_file(${CMAKE_SOURCE_DIR}/cmake/cpprof.pc.in ${CMAKE_BINARY_DIR}/cpprof.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/cpprof.pc DESTINATION ${pkgconfig_dir})

# CMake: find_package(cpprof) gives cpprof::headers, and cpprof::variant for a library that --load names.
add_library(cpprof_headers INTERFACE)
set_target_properties(cpprof_headers PROPERTIES EXPORT_NAME headers)
target_include_directories(cpprof_headers INTERFACE
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
add_library(cpprof_variant INTERFACE)
set_target_properties(cpprof_variant PROPERTIES EXPORT_NAME variant)
target_link_libraries(cpprof_variant INTERFACE cpprof_headers)
install(TARGETS cpprof_headers cpprof_variant EXPORT cpprofTargets)
install(EXPORT cpprofTargets NAMESPACE cpprof:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/cpprofConfig.cmake.in ${CMAKE_BINARY_DIR}/cpprofConfig.cmake
                              INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cpprofConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${CMAKE_BINARY_DIR}/cpprofConfig.cmake ${CMAKE_BINARY_DIR}/cpprofConfigVersion.cmake
        DESTINATION ${package_dir})

install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs FILES_MATCHING PATTERN "*.md"
        PATTERN "schema/*.json")
if(EXISTS ${CMAKE_SOURCE_DIR}/examples)
  install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/cpprof/examples)
endif()
