#!/usr/bin/env bash
# Is every function of the CUDA driver that we look up as old as core/gpu/oldest_driver.h says, no newer than CUDA 12.0, but
# for those that we do without where there is none?
# usage: driver_calls.sh TREE
set -euo pipefail
cd "${1:?usage: driver_calls.sh TREE}"

# function | the CUDA version that brought it (release notes); of several versions of a function the one that we ask for
since='cuCtxGetCurrent 4.0
cuCtxGetDevice 2.0
cuDeviceGet 2.0
cuDeviceGetAttribute 2.0
cuDeviceGetCount 2.0
cuDeviceGetName 2.0
cuDeviceGetPCIBusId 4.1
cuDeviceGetUuid 9.2
cuDeviceGetUuid_v2 11.4
cuDevicePrimaryCtxGetState 7.0
cuDeviceTotalMem 3.2
cuDriverGetVersion 2.2
cuFuncGetParamInfo 12.4 optional
cuFuncSetAttribute 9.0
cuGraphAddDependencies 12.3 optional
cuGraphKernelNodeGetParams 12.0
cuGraphNodeGetDependencies 12.3 optional
cuGraphRemoveDependencies 12.3 optional
cuLaunchKernel 4.0
cuKernelGetFunction 12.0
cuLibraryGetKernel 12.0
cuLibraryLoadData 12.0
cuModuleGetFunction 2.0
cuModuleLoad 2.0
cuOccupancyMaxActiveBlocksPerMultiprocessor 6.5
cuPointerGetAttribute 4.0
cuStreamGetCaptureInfo 12.3 optional
cuStreamGetCtx 9.2
cuStreamIsCapturing 10.0
cuStreamWaitValue32 12.0
cuTensorMapEncodeTiled 12.0
cuThreadExchangeStreamCaptureMode 10.1'

grep -rnoE "\bX\(cu[A-Z][A-Za-z0-9_]*\)|\"cu[A-Z][A-Za-z0-9_]*\"" --include='*.c' --include='*.h' --include='*.cu' collector kernels |
    awk -F: -v since="$since" '
        BEGIN { rows = split(since, line, "\n"); for (i = 1; i <= rows; i++) { split(line[i], cell, " "); version[cell[1]] = cell[3] == "optional" ? 0 : cell[2] } }
        { name = $3; gsub(/^X\(|\)$|"/, "", name) }
        !(name in version) { printf "%s:%s: %s: say in tests/guards/driver_calls.sh which CUDA version brought it\n", $1, $2, name; bad = 1; next }
        version[name] + 0 > 12 { printf "%s:%s: %s is of CUDA %s, newer than core/gpu/oldest_driver.h says\n", $1, $2, name, version[name]; bad = 1 }
        END { exit bad }'
