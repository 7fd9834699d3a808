# Which warnings and sanitizers does host C code get? Link to cpprof_host_flags.
add_library(cpprof_host_flags INTERFACE)
target_compile_options(cpprof_host_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Wvla)
# Nobody replaces a function of ours at run time: small ones may be inlined although the code is position independent.
target_compile_options(cpprof_host_flags INTERFACE -fno-semantic-interposition)
if(CPPROF_WERROR)
  target_compile_options(cpprof_host_flags INTERFACE -Werror)
endif()
if(CPPROF_SANITIZE)
  target_compile_options(cpprof_host_flags INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(cpprof_host_flags INTERFACE -fsanitize=address,undefined)
  # Tests start some ten thousand processes: without relocations and shared runtimes each starts in two thirds of the time.
  set(program $<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>)
  target_link_options(cpprof_host_flags INTERFACE $<${program}:-no-pie>)
  # Of such a build a third is links, and gold takes half as long.
  include(CheckLinkerFlag)
  check_linker_flag(C -fuse-ld=gold CPPROF_HAVE_GOLD)
  if(CPPROF_HAVE_GOLD)
    target_link_options(cpprof_host_flags INTERFACE $<${program}:-fuse-ld=gold>)
  endif()
  if(CMAKE_C_COMPILER_ID STREQUAL GNU)
    # UBSan traps, and ASan prints the place. The texts of its messages are 111,000 variables of cpprof that GCC has ASan
    # register as a process starts, which takes 40 of 95 ms; with clang it does not.
    target_compile_options(cpprof_host_flags INTERFACE -fsanitize-undefined-trap-on-error)
    target_link_options(cpprof_host_flags INTERFACE $<${program}:-static-libasan>)
    add_library(sanitizer_options OBJECT tests/sanitizer_options.c)
    target_link_libraries(cpprof_host_flags INTERFACE $<${program}:$<TARGET_OBJECTS:sanitizer_options>>)
  endif()
endif()
if(CPPROF_SANITIZE_THREADS)
  target_compile_options(cpprof_host_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(cpprof_host_flags INTERFACE -fsanitize=thread)
endif()
if(CPPROF_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "CPPROF_FUZZ needs libFuzzer: configure with -DCMAKE_C_COMPILER=clang")
  endif()
  target_compile_options(cpprof_host_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
target_include_directories(cpprof_host_flags INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/include)

# cpprof_library(NAME FLOOR sources...): a static library of one floor.
function(cpprof_library name)
  add_library(${name} STATIC ${ARGN})
  target_link_libraries(${name} PUBLIC cpprof_host_flags)
endfunction()
