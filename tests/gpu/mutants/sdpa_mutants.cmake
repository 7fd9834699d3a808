# The mutants of the attention ladder: each is a file of kernels/sdpa/ with one mistake (mutant_source.cmake). Together they
# are a library for --load.
#
# sdpa_mutant(NAME OF SOURCE INDEX N IN FILE FROM TEXT TO TEXT SAYS SUMMARY)
#   OF, INDEX: which variant: the Nth of the array in kernels/sdpa/SOURCE
#   IN, FROM, TO: FROM, which must be in kernels/sdpa/FILE exactly once, becomes TO
set(sdpa_mutant_table "")
set(sdpa_mutant_objects "")

function(sdpa_mutant name)
  cmake_parse_arguments(PARSE_ARGV 1 M "" "OF;INDEX;IN;FROM;TO;SAYS" "")
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/sdpa_mutants/${name})
  string(REPLACE "-" "_" id ${name})
  cpprof_mutant_source(${name} ${folder} sdpa/${M_OF} sdpa/${M_IN} "${M_FROM}" "${M_TO}"
                       "sdpa_(stage[0-9][ab]?|swizzle|warpspec)" "mutant_${id}_of_\\1")
  string(REGEX REPLACE "^sdpa_(.*)\\.cu$" "\\1" array ${M_OF})
  list(PREPEND cpprof_nvcc_flags -I${folder})
  set(object ${folder}/${id}.o)
  cpprof_cuda_object(${folder}/kernels/sdpa/${M_OF} ${object} ${folder}/${id}.ptxas.log)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set(sdpa_mutant_objects ${sdpa_mutant_objects} ${object} PARENT_SCOPE)
  string(APPEND sdpa_mutant_table "MUTANT(mutant_${id}_of_${array}_variants, ${M_INDEX}, \"${name}\", \"${M_SAYS}\")\n")
  set(sdpa_mutant_table "${sdpa_mutant_table}" PARENT_SCOPE)
endfunction()

# Fewer architectures than the originals: these are never measured but against one another on the same device.
if(CPPROF_CUDA_CODE STREQUAL all)
  set(cpprof_gencode -gencode=arch=compute_80,code=compute_80 -gencode=arch=compute_90a,code=sm_90a)
endif()

# ---- wrong ----

sdpa_mutant(stage1-stage-index OF sdpa_stage1.cu INDEX 1 IN sdpa_stage1.cu
  FROM "work(sums, state, q, ring[now]," TO "work(sums, state, q, ring[now ^ 1],"
  SAYS "works on the tile that is still under way")
sdpa_mutant(stage1-no-wait OF sdpa_stage1.cu INDEX 1 IN sdpa_stage1.cu
  FROM "__pipeline_wait_prior(0);\n" TO "\n"
  SAYS "never waits for its copies")
sdpa_mutant(stage1-no-barrier OF sdpa_stage1.cu INDEX 1 IN sdpa_stage1.cu
  FROM "__syncthreads();\n        CPPROF_PHASE(r, REFILL);" TO ""
  SAYS "waits for the copies of its own thread only")
sdpa_mutant(stage2-wrong-tail OF sdpa_stage2.cu INDEX 0 IN sdpa_tile.cuh
  FROM "n * 8 + chunk * 2 + i % 2 < keys ?" TO "n * 8 + chunk * 2 + i % 2 <= keys ?"
  SAYS "counts one key behind the last one")
sdpa_mutant(stage4-wait-too-few OF sdpa_stage2.cu INDEX 1 IN sdpa_stage2.cu
  FROM "__pipeline_wait_prior(STAGES - 2);" TO "__pipeline_wait_prior(STAGES - 1);"
  SAYS "waits for one group of copies too few")
sdpa_mutant(stage4-next-slot OF sdpa_stage2.cu INDEX 1 IN sdpa_stage2.cu
  FROM "int now = 0, next = STAGES - 1;" TO "int now = 0, next = STAGES - 2;"
  SAYS "prefetches into the place of the tile before")
sdpa_mutant(stage3b-no-barrier OF sdpa_stage3b.cu INDEX 0 IN sdpa_fused.cuh
  FROM "__pipeline_wait_prior(0);\n        __syncthreads();" TO "__pipeline_wait_prior(0);"
  SAYS "waits for the copies of its own thread only, and refills what others still read")
sdpa_mutant(stage3b-tail-past-end OF sdpa_stage3b.cu INDEX 0 IN sdpa_tile.cuh
  FROM "if (first + row >= h.s) {" TO "if (first + row > h.s) {"
  SAYS "copies the row behind the last one, and does not count it")
sdpa_mutant(warpspec-early-release OF sdpa_warpspec.cu INDEX 0 IN sdpa_warpspec.cu
  FROM "        fused_work<linear>(sums, state, q, tiles.of[place], h.score_scale, h.s - first, library_exp());
        barrier_arrive(&tiles.empty[place]);
"
  TO "        barrier_arrive(&tiles.empty[place]);
        fused_work<linear>(sums, state, q, tiles.of[place], h.score_scale, h.s - first, library_exp());
"
  SAYS "gives a tile back before it is read")
sdpa_mutant(warpspec-early-full OF sdpa_warpspec.cu INDEX 0 IN sdpa_warpspec.cu
  FROM "barrier_arrive_copied(&tiles.full[place]);" TO "barrier_arrive(&tiles.full[place]);"
  SAYS "calls a tile full before its copies have landed")

# ---- right, and slower than need be ----

sdpa_mutant(stage1-eager-wait OF sdpa_stage1.cu INDEX 1 IN sdpa_stage1.cu
  FROM "        __pipeline_commit();\n        CPPROF_PHASE(r, MATH);" TO "        __pipeline_commit();\n        __pipeline_wait_prior(0);"
  SAYS "waits for the prefetch as soon as it has started it")
sdpa_mutant(stage3b-late-prefetch OF sdpa_stage3b.cu INDEX 0 IN sdpa_fused.cuh
  FROM "        if (first + KEYS < h.s)
            fill<true, LAYOUT>(ring[now ^ 1], h, first + KEYS);
        __pipeline_commit();
        CPPROF_PHASE(r, MATH);
        fused_work<LAYOUT>(sums, state, q, ring[now], h.score_scale, h.s - first, exponential);
"
  TO "        fused_work<LAYOUT>(sums, state, q, ring[now], h.score_scale, h.s - first, exponential);
        if (first + KEYS < h.s)
            fill<true, LAYOUT>(ring[now ^ 1], h, first + KEYS);
        __pipeline_commit();
"
  SAYS "prefetches behind the work that should hide it, right before the wait")
sdpa_mutant(stage3b-extra-barrier OF sdpa_stage3b.cu INDEX 0 IN sdpa_fused.cuh
  FROM "        fused_work<LAYOUT>(sums, state, q, ring[now], h.score_scale, h.s - first, exponential);
"
  TO "        __syncthreads();
        fused_work<LAYOUT>(sums, state, q, ring[now], h.score_scale, h.s - first, exponential);
        __syncthreads();
"
  SAYS "keeps the barriers around the work that plain loads need")

file(CONFIGURE OUTPUT sdpa_mutants.inc CONTENT "${sdpa_mutant_table}" @ONLY)
add_library(sdpa_mutants MODULE mutants/mutant_library.c ${sdpa_mutant_objects})
target_compile_definitions(sdpa_mutants PRIVATE MUTANT_LIST="sdpa_mutants.inc")
target_include_directories(sdpa_mutants PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
target_link_libraries(sdpa_mutants PRIVATE cpprof_kernels -Wl,--exclude-libs,ALL -Wl,-z,defs)
if(CPPROF_INSTALL_TESTS)
  install(TARGETS sdpa_mutants LIBRARY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/cpprof/tests)
endif()
