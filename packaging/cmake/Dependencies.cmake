# Third-party libraries, linked statically so that an installed tree runs on
# another machine. Each is used from one file or folder (docs/architecture.md).
find_package(Threads REQUIRED)

function(cpprof_static_library target archive header package)
  find_library(${target}_ARCHIVE NAMES ${archive})
  find_path(${target}_HEADER NAMES ${header})
  if(NOT ${target}_ARCHIVE OR NOT ${target}_HEADER)
    message(FATAL_ERROR "cpprof needs ${archive} and ${header}: on Debian or Ubuntu, apt-get install ${package} "
                        "(scripts/test.sh and scripts/quickstart.sh install all packages)")
  endif()
  add_library(${target} STATIC IMPORTED)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${${target}_ARCHIVE}
                        INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${${target}_HEADER})
endfunction()

cpprof_static_library(dep_csv libcsv.a csv.h libcsv-dev)
cpprof_static_library(dep_jansson libjansson.a jansson.h libjansson-dev)
cpprof_static_library(dep_deflate libdeflate.a libdeflate.h libdeflate-dev)
cpprof_static_library(dep_zlib libz.a zlib.h zlib1g-dev)
cpprof_static_library(dep_iberty libiberty.a libiberty/demangle.h libiberty-dev)
cpprof_static_library(dep_sqlite libsqlite3.a sqlite3.h libsqlite3-dev)
cpprof_static_library(dep_yajl libyajl_s.a yajl/yajl_parse.h libyajl-dev)
