/* processes.h - the process that judges, as a stranger finds it. */
#ifndef CPPROF_CHEAT_PROCESSES_H
#define CPPROF_CHEAT_PROCESSES_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 0: there is none after `after`, or none can be seen. */
static inline int next_judge(int after)
{
    DIR *all = opendir("/proc");
    int found = 0;
    for (struct dirent *entry; all && (entry = readdir(all));) {
        char path[300], name[64] = "";
        const int process = atoi(entry->d_name);
        snprintf(path, sizeof path, "/proc/%s/comm", entry->d_name);
        FILE *file = process > after ? fopen(path, "r") : NULL;
        if (file && fgets(name, sizeof name, file) && !strncmp(name, "cpprof-judge", 12) && (!found || process < found))
            found = process;
        if (file)
            fclose(file);
    }
    if (all)
        closedir(all);
    return found;
}

#endif
