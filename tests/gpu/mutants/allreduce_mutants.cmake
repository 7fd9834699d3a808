# The mutants of the family allreduce: each is a file of kernels/allreduce/ with one mistake (mutant_source.cmake). Together they are
# a library for --load.
#
# allreduce_mutant(NAME OF SOURCE ARRAY NAME INDEX N IN FILE FROM TEXT TO TEXT SAYS SUMMARY)
#   OF, ARRAY, INDEX: which variant: the Nth of allreduce_ARRAY_variants in kernels/allreduce/SOURCE
set(allreduce_mutant_table "")
set(allreduce_mutant_sources "")

function(allreduce_mutant name)
  cmake_parse_arguments(PARSE_ARGV 1 M "" "OF;ARRAY;INDEX;IN;FROM;TO;SAYS" "")
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/allreduce_mutants/${name})
  set(source ${folder}/kernels/allreduce/${M_OF})
  string(REPLACE "-" "_" id ${name})
  set(names "${M_ARRAY}_variants")
  if(M_OF MATCHES "[.]cu$")
    set(names "1stage|2stage|cpasync|tma|send|naive") # its kernels, too
  endif()
  cpprof_mutant_source(${name} ${folder} allreduce/${M_OF} allreduce/${M_IN} "${M_FROM}" "${M_TO}" "allreduce_(${names})" "mutant_${id}_of_\\1")
  if(M_OF MATCHES "[.]cu$")
    list(PREPEND cpprof_nvcc_flags -I${folder})
    cpprof_cuda_object(${source} ${folder}/${id}.o ${folder}/${id}.ptxas.log)
    set(source ${folder}/${id}.o)
    set_source_files_properties(${source} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  endif()
  set(allreduce_mutant_sources ${allreduce_mutant_sources} ${source} PARENT_SCOPE)
  string(APPEND allreduce_mutant_table "MUTANT(mutant_${id}_of_${M_ARRAY}_variants, ${M_INDEX}, \"${name}\", \"${M_SAYS}\")\n")
  set(allreduce_mutant_table "${allreduce_mutant_table}" PARENT_SCOPE)
endfunction()

# ---- wrong results ----

allreduce_mutant(lacks-a-rank OF allreduce_1stage.cu ARRAY 1stage INDEX 0 IN allreduce_vector.cuh
  FROM "if (k < p.ranks)\n                    sum.add(loaded[item][k])" TO "if (k < p.ranks - 1)\n                    sum.add(loaded[item][k])"
  SAYS "leaves out the last rank")
allreduce_mutant(no-last-value OF allreduce_1stage.cu ARRAY 1stage INDEX 0 IN allreduce_vector.cuh
  FROM "i < p.count; i += (size_t)gridDim.x" TO "i + 1 < p.count; i += (size_t)gridDim.x"
  SAYS "leaves out the last value of a tail")
allreduce_mutant(next-slot OF allreduce_cpasync.cu ARRAY cpasync INDEX 1 IN allreduce_ring.cuh
  FROM "fetch((now + STAGES - 1) % STAGES, ahead);" TO "fetch(now, ahead);"
  SAYS "prefetches into the slot that is used next")
allreduce_mutant(no-wait OF allreduce_cpasync.cu ARRAY cpasync INDEX 1 IN allreduce_ring.cuh
  FROM "__pipeline_wait_prior(STAGES - 2);\n" TO "\n"
  SAYS "adds up before the copies have landed")
allreduce_mutant(gathers-inputs OF allreduce_2stage.cu ARRAY 2stage INDEX 0 IN allreduce_2stage.cu
  FROM "loaded[item][k] = ((const uint4 *)p.out[k])" TO "loaded[item][k] = ((const uint4 *)p.in[k])"
  SAYS "gathers the peers' inputs for their sums")

# ---- a peer that never comes ----

allreduce_mutant(absent-peer OF allreduce_1stage.cu ARRAY 1stage INDEX 0 IN allreduce_1stage.cu
  FROM "if (!begin(p, &epoch))" TO "if (my_rank(p) == p.ranks - 1 || !begin(p, &epoch))"
  SAYS "the last rank leaves before the first meeting")

# ---- ranks that do not wait for each other: right where one launch begins and ends for all, found on several GPUs ----

foreach(of 1stage=allreduce_1stage.cu:1stage:0 1stage-cpasync3=allreduce_cpasync.cu:cpasync:1 2stage=allreduce_2stage.cu:2stage:0
           1stage-tma=allreduce_tma.cu:tma:0)
  string(REGEX MATCH "^(.*)=(.*):(.*):(.*)$" of ${of})
  set(kernel ${CMAKE_MATCH_1})
  set(source OF ${CMAKE_MATCH_2} ARRAY ${CMAKE_MATCH_3} INDEX ${CMAKE_MATCH_4} IN allreduce_barrier.cuh)
  allreduce_mutant(no-begin-${kernel} ${source}
    FROM "return exchange(p, ++*epoch, is_well);" TO "return __syncthreads_and(is_well);"
    SAYS "reads before its peers have begun")
  allreduce_mutant(no-finish-${kernel} ${source}
    FROM "if (meet(p, epoch))" TO "__syncthreads();"
    SAYS "leaves while its peers may still read")
endforeach()
allreduce_mutant(no-begin-2stage-send OF allreduce_send.cu ARRAY send INDEX 0 IN allreduce_send.cu
  FROM "if (!await_all(p, epoch + arrived + 1))" TO "if (arrived && !await_all(p, epoch + arrived + 1))"
  SAYS "adds up its first step before its peers have sent")
allreduce_mutant(no-begin-naive OF allreduce_naive.cu ARRAY naive INDEX 0 IN allreduce_naive.cu
  FROM "cudaMemcpyDeviceToHost, own);
    }
    allreduce_home(&n->run);
    return status ? status : allreduce_join(&n->run, stream);" TO "cudaMemcpyDeviceToHost, own);
    }
    allreduce_home(&n->run);
    return status;"
  SAYS "fetches messages that its peers may still have to send")

# ---- the dispatcher of the investigation ----

# What was chosen dies with its scope, and the kernel from before is launched: right results, no error, no speed.
allreduce_mutant(dispatch-scope OF allreduce_dispatcher.c ARRAY dispatch INDEX 0 IN allreduce_dispatcher.c
  FROM "    kernel = kernels[chosen];" TO "    {
        const struct allreduce_kernel *kernel = kernels[chosen];
        (void)kernel;
    }"
  SAYS "chooses a kernel, and launches 1stage")
set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/allreduce_mutants/dispatch-scope/kernels/allreduce/allreduce_dispatcher.c
  PROPERTIES GENERATED TRUE COMPILE_OPTIONS -Wno-shadow)

file(CONFIGURE OUTPUT allreduce_mutants.inc CONTENT "${allreduce_mutant_table}" @ONLY)
add_library(allreduce_mutants MODULE mutants/mutant_library.c ${allreduce_mutant_sources})
target_compile_definitions(allreduce_mutants PRIVATE MUTANT_LIST="allreduce_mutants.inc")
target_include_directories(allreduce_mutants PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
target_include_directories(allreduce_mutants SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
target_link_libraries(allreduce_mutants PRIVATE cpprof_kernels -Wl,--exclude-libs,ALL -Wl,-z,defs)
if(CPPROF_INSTALL_TESTS)
  install(TARGETS allreduce_mutants LIBRARY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/cpprof/tests)
endif()
