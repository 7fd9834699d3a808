# The CPU part of cpprof: reads, judges and reports what was recorded elsewhere. No GPU, no CUDA.
#
#     docker build -t cpprof .
#     docker run --rm -v "$PWD:/data" cpprof report run.cpprof
FROM debian:12 AS build
WORKDIR /source
COPY . .
RUN scripts/packages.sh
RUN cmake --preset nogpu -B /build -DBUILD_TESTING=OFF && cmake --build /build
RUN cpack --config /build/CPackConfig.cmake -G DEB -B /package

FROM debian:12-slim
RUN --mount=type=bind,from=build,source=/package,target=/package dpkg -i /package/*.deb
WORKDIR /data
ENTRYPOINT ["cpprof"]
