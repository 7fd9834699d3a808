-- An export as nsys 2022 made it: no ENUM_ tables, no greenContextId, text of
-- ranges in the row. Written by hand from the public description of the schema;
-- the events are those of nsys_21_columns.csv.
--   sqlite3 nsys_2022.sqlite < nsys_2022.sql
PRAGMA page_size = 512;
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT NOT NULL, end INT NOT NULL, deviceId INT NOT NULL, contextId INT NOT NULL, streamId INT NOT NULL, correlationId INT, globalPid INT, demangledName INT NOT NULL, shortName INT NOT NULL, registersPerThread INT NOT NULL, gridX INT NOT NULL, gridY INT NOT NULL, gridZ INT NOT NULL, blockX INT NOT NULL, blockY INT NOT NULL, blockZ INT NOT NULL, staticSharedMemory INT NOT NULL, dynamicSharedMemory INT NOT NULL, localMemoryPerThread INT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT NOT NULL, end INT NOT NULL, deviceId INT NOT NULL, contextId INT NOT NULL, streamId INT NOT NULL, correlationId INT, globalPid INT, bytes INT NOT NULL, copyKind INT NOT NULL, srcKind INT, dstKind INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INT NOT NULL, end INT NOT NULL, deviceId INT NOT NULL, contextId INT NOT NULL, streamId INT NOT NULL, correlationId INT, globalPid INT, value INT NOT NULL, bytes INT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT NOT NULL, end INT NOT NULL, eventClass INT NOT NULL, globalTid INT, correlationId INT, nameId INT NOT NULL, returnValue INT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INT NOT NULL, end INT NOT NULL, deviceId INT NOT NULL, contextId INT NOT NULL, streamId INT NOT NULL, correlationId INT, globalPid INT, syncType INT NOT NULL, eventId INT NOT NULL);
CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT NOT NULL, rangeId INT, category INT, color INT, text TEXT, globalTid INT, endGlobalTid INT, textId INT, domainId INT);
INSERT INTO StringIds VALUES (1, 'void tile<3, float>(const float *, "quoted")'), (2, 'tile'), (3, 'cudaLaunchKernel_v7000'), (4, 'cuMemcpyAsync_v2'), (5, 'cudaDeviceSynchronize_v3020');
-- Process 7 of machine 1 is 1 << 48 | 7 << 24; its thread 99 is that + 99.
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1100, 1400, 0, 1, 13, 12, 281475094151168, 1, 2, 32, 8, 4, 2, 128, 2, 1, 1000, 48000, 0);
-- Out of order on purpose.
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES
    (1500, 1560, 1, 2, 9, 14, 281475094151168, 2000000, 2, 2, 1),
    (1000, 1200, 0, 1, 7, 11, 281475094151168, 1500000, 1, 0, 2),
    (1600, 1610, 0, 1, 7, 15, 281475094151168, 1000, 8, 2, 2),
    (1700, 1710, 0, 1, 7, 16, 281475094151168, 1000, 10, 2, 2),
    (1800, 1810, 0, 0, 0, 0, 281475094151168, 65000, 11, 4, 4);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (1400, 1450, 0, 1, 13, 13, 281475094151168, 0, 4000);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (1050, 1090, 0, 281475094151267, 12, 3, 0),
    (900, 950, 1, 281475094151267, 11, 4, 0),
    (1900, 1950, 0, 281475094151267, 20, 5, 0);
INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (1901, 1949, 0, 1, 4294967295, 20, 281475094151168, 4, 4294967295);
-- 75 makes a domain, 59 is a range, 34 a mark; the last range never ended.
INSERT INTO NVTX_EVENTS VALUES
    (10, NULL, 75, NULL, NULL, NULL, 'my domain', 281475094151267, NULL, NULL, 3),
    (800, 1990, 59, NULL, NULL, NULL, 'step', 281475094151267, NULL, NULL, 0),
    (850, 860, 59, NULL, NULL, NULL, 'load', 281475094151267, NULL, NULL, 3),
    (870, NULL, 34, NULL, NULL, NULL, 'a mark', 281475094151267, NULL, NULL, 0),
    (1980, NULL, 59, NULL, NULL, NULL, 'open', 281475094151267, NULL, NULL, 0);
