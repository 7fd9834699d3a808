# cpprof_mutant_source(NAME FOLDER SOURCE FILE FROM TO NAMES RENAMED): FOLDER/kernels/SOURCE is kernels/SOURCE with one
# mistake, made when CMake configures, so that a mutant never falls behind its original.
#   FROM, which must be in the code of kernels/FILE exactly once (comments do not count), becomes TO;
#   FILE is SOURCE, or one that it includes
#   NAMES, a regular expression, becomes RENAMED in SOURCE: all mutants are in one library, beside their originals
function(cpprof_mutant_source name folder source file from to names renamed)
  set(kernels ${CMAKE_SOURCE_DIR}/kernels)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${kernels}/${source} ${kernels}/${file})
  file(READ ${kernels}/${file} text)
  # Who rewords a comment does not break a mutant.
  string(REGEX REPLACE " */\\*[^*]*\\*+([^/*][^*]*\\*+)*/" "" text "${text}")
  string(FIND "${text}" "${from}" first)
  string(FIND "${text}" "${from}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "mutant ${name}: kernels/${file} does not have this exactly once: ${from}")
  endif()
  string(REPLACE "${from}" "${to}" text "${text}")
  if(NOT file STREQUAL source)
    file(CONFIGURE OUTPUT ${folder}/kernels/${file} CONTENT "${text}" @ONLY)
    file(READ ${kernels}/${source} text)
  endif()
  string(REGEX REPLACE "${names}" "${renamed}" text "${text}")
  file(CONFIGURE OUTPUT ${folder}/kernels/${source} CONTENT "${text}" @ONLY)
endfunction()
