# Which commit is this? Baked in at build time, so that every bundle names it.
set(CPPROF_STAMP_HEADER ${CMAKE_BINARY_DIR}/generated/build_stamp.h)
add_custom_target(cpprof_stamp ALL
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DOUTPUT=${CPPROF_STAMP_HEADER}
          -DVERSION=${PROJECT_VERSION} "-DFLAGS=${CMAKE_BUILD_TYPE} ${CMAKE_C_COMPILER_ID}-${CMAKE_C_COMPILER_VERSION}"
          -P ${CMAKE_SOURCE_DIR}/packaging/cmake/WriteStamp.cmake
  BYPRODUCTS ${CPPROF_STAMP_HEADER})
add_library(cpprof_stamp_header INTERFACE)
add_dependencies(cpprof_stamp_header cpprof_stamp)
target_include_directories(cpprof_stamp_header INTERFACE ${CMAKE_BINARY_DIR}/generated)
