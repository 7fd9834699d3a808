# How does a source with marks (include/cpprof/record.cuh) become its builds, each a library of variants for --load?
#
# cpprof_inside_library(NAME SOURCE... [MARKS ROLE.MARK...] [OBJECTS OBJECT...] [C_SOURCES FILE...] [ARRAY ARRAY... HEADER]
#                       [DEPENDS FILE...] [FOLDER FOLDER] [DESTINATION FOLDER])
#   libNAME.so                    the off build
#   libNAME-record.so             the record build
#   libNAME-progress.so           the progress build
#   libNAME-delay-ROLE.MARK.so    a delay build for each of MARKS
# The runner finds the instrumented builds beside the off build by these endings. Each exports cpprof_variants and
# cpprof_phases, and needs no symbol of the runner.
#   OBJECTS      also linked: code without marks, compiled once
#   C_SOURCES    also linked: plain C of a built-in family
#   ARRAY        of a built-in family, which the runner has as its off build: its variants are these arrays of this header;
#                built by the target `inside`, and installed where that was built
#   DEPENDS      headers of the sources outside of kernels/ and include/
#   FOLDER       where the libraries are built (default: the current binary folder)
#   DESTINATION  where they are installed to (default: not at all)
function(cpprof_inside_library name)
  cmake_parse_arguments(PARSE_ARGV 1 L "" "FOLDER;DESTINATION" "MARKS;OBJECTS;C_SOURCES;ARRAY;DEPENDS")
  if(NOT L_FOLDER)
    set(L_FOLDER ${CMAKE_CURRENT_BINARY_DIR})
  endif()
  if(NOT L_ARRAY)
    cpprof_inside_build(${name} "")
  endif()
  cpprof_inside_build(${name}-record "-DCPPROF_INSIDE=2")
  cpprof_inside_build(${name}-progress "-DCPPROF_INSIDE=4")
  foreach(mark ${L_MARKS})
    if(NOT mark MATCHES "^([0-7])\\.([0-7])$")
      message(FATAL_ERROR "cpprof_inside_library(${name}): '${mark}' is not ROLE.MARK, each from 0 to 7")
    endif()
    math(EXPR number "${CMAKE_MATCH_1} * 8 + ${CMAKE_MATCH_2}")
    cpprof_inside_build(${name}-delay-${mark} "-DCPPROF_INSIDE=1;-DCPPROF_DELAY_MARK=${number}")
  endforeach()
endfunction()

# One library; all else is its caller's.
function(cpprof_inside_build target definitions)
  list(APPEND cpprof_nvcc_flags -Xcompiler=-fvisibility=hidden ${definitions})
  set(objects "")
  foreach(source ${L_UNPARSED_ARGUMENTS})
    get_filename_component(base ${source} NAME_WE)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/inside_${target}_${base}.o)
    cpprof_cuda_object(${source} ${object} ${CMAKE_CURRENT_BINARY_DIR}/inside_${target}_${base}.ptxas.log ${L_DEPENDS})
    list(APPEND objects ${object})
  endforeach()
  set_source_files_properties(${objects} ${L_OBJECTS} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  add_library(${target} MODULE ${objects} ${L_OBJECTS})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C LIBRARY_OUTPUT_DIRECTORY ${L_FOLDER})
  set(optional "")
  if(L_ARRAY)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
    add_dependencies(inside ${target})
    set(optional OPTIONAL)
    list(POP_BACK L_ARRAY header)
    list(TRANSFORM L_ARRAY REPLACE "(.+)" "FAMILY(\\1)" OUTPUT_VARIABLE families)
    list(JOIN families " " families)
    target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/kernels/inside_library.c ${L_C_SOURCES})
    target_compile_definitions(${target} PRIVATE "FAMILIES=${families}" FAMILY_HEADER="${header}")
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -fvisibility=hidden $<$<BOOL:${CPPROF_WERROR}>:-Werror>)
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/include)
    target_include_directories(${target} SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
  endif()
  # z,defs: a symbol that only the runner has is an error here, not on the machine with the GPU
  target_link_libraries(${target} PRIVATE CUDA::cudart_static Threads::Threads ${CMAKE_DL_LIBS} rt m
    -Wl,-Bstatic stdc++ -Wl,-Bdynamic
    -Wl,--version-script=${CMAKE_CURRENT_FUNCTION_LIST_DIR}/inside_library.map -Wl,-z,defs)
  set_target_properties(${target} PROPERTIES LINK_DEPENDS ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/inside_library.map)
  if(L_DESTINATION)
    install(TARGETS ${target} LIBRARY DESTINATION ${L_DESTINATION} ${optional})
  endif()
endfunction()
