# How does a project judge its kernels with every `ctest`? A test that runs cpprof, found by find_package(cpprof).
#
# cpprof_add_gate(NAME TEST
#                 VARIANTS VARIANT... [BASELINE VARIANT]   cpprof run: measured now; needs a GPU
#                 | TASK LIBRARY SOLUTIONS NAME=LIBRARY... [BASELINE NAME]   cpprof run --task: the same for a task's solutions
#                 | RULES FILE... BUNDLE INPUT...          cpprof check: rules on a recorded run, capture or trace
#                 | BUNDLE BUNDLE [CANDIDATE]              cpprof compare: one bundle, or the second against the first
#                 [OPTIONS OPTION...]                      further options of that command
#                 [INCONCLUSIVE pass|fail|skip] [NO_GPU skip|fail])
#
# Exit statuses 1 (a check failed), 2 (wrong command line) and 5 (unusable input) fail. INCONCLUSIVE says what 3 does, NO_GPU what
# 4 does, both by default skip. `run` leaves TEST.cpprof in the current binary folder, and replaces it the next time.
# Relative files are looked for in the current source folder. Tests that use a GPU are never run at the same time.
function(cpprof_add_gate)
  cmake_parse_arguments(PARSE_ARGV 0 G "" "NAME;BASELINE;INCONCLUSIVE;NO_GPU;TASK" "VARIANTS;SOLUTIONS;RULES;BUNDLE;OPTIONS")
  if(NOT G_NAME OR G_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "cpprof_add_gate(${G_NAME}): a NAME, and no '${G_UNPARSED_ARGUMENTS}'")
  endif()
  if(G_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "cpprof_add_gate(${G_NAME}): ${G_KEYWORDS_MISSING_VALUES} without a value")
  endif()
  if(G_NAME MATCHES "/")
    message(FATAL_ERROR "cpprof_add_gate(${G_NAME}): the name is that of a file, too: no '/'")
  endif()
  foreach(choice INCONCLUSIVE NO_GPU)
    if(NOT G_${choice})
      set(G_${choice} skip)
    elseif(NOT G_${choice} MATCHES "^(fail|skip)$" AND NOT "${choice} ${G_${choice}}" STREQUAL "INCONCLUSIVE pass")
      message(FATAL_ERROR "cpprof_add_gate(${G_NAME}): ${choice} is not '${G_${choice}}'")
    endif()
  endforeach()
  cpprof_gate_words(words)
  add_test(NAME ${G_NAME}
           COMMAND sh ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/gate.sh ${G_INCONCLUSIVE} ${G_NO_GPU} $<TARGET_FILE:cpprof::cpprof> ${words} ${G_OPTIONS}
           WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} COMMAND_EXPAND_LISTS)
  set_tests_properties(${G_NAME} PROPERTIES SKIP_RETURN_CODE 77)
  if(G_VARIANTS OR G_TASK)
    set_tests_properties(${G_NAME} PROPERTIES RESOURCE_LOCK cpprof_gpu)
  endif()
endfunction()

# Sets `out` to the command, its operands and the options that follow from its caller's arguments.
function(cpprof_gate_words out)
  if((G_TASK AND NOT G_SOLUTIONS) OR (G_SOLUTIONS AND NOT G_TASK))
    message(FATAL_ERROR "cpprof_add_gate(${G_NAME}): TASK and SOLUTIONS go together")
  endif()
  if((G_VARIANTS OR G_TASK) AND NOT G_RULES AND NOT G_BUNDLE)
    set(words run ${G_VARIANTS})
    if(G_TASK)
      list(APPEND words --task ${G_TASK})
      list(TRANSFORM G_SOLUTIONS PREPEND "--solution=")
      list(APPEND words ${G_SOLUTIONS})
    endif()
    list(APPEND words -o ${CMAKE_CURRENT_BINARY_DIR}/${G_NAME}.cpprof --force)
    if(G_BASELINE)
      list(APPEND words --baseline ${G_BASELINE})
    endif()
  elseif(G_BUNDLE AND NOT G_VARIANTS AND NOT G_TASK AND NOT G_BASELINE)
    set(words compare ${G_BUNDLE})
    if(G_RULES)
      list(TRANSFORM G_RULES PREPEND "--rules=")
      set(words check ${G_RULES} ${G_BUNDLE})
    endif()
  else()
    message(FATAL_ERROR "cpprof_add_gate(${G_NAME}): either VARIANTS, or TASK with SOLUTIONS, or BUNDLE with or without RULES")
  endif()
  set(${out} ${words} PARENT_SCOPE)
endfunction()
