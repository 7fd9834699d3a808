# Each occurrence of --range is a step, and work outside is left out; work of a step outside the window has its step.
cpprof stats stats_owners.json --by step --range forward | grep -e forward -e '(no'
cpprof stats stats_owners.json --by step --window 62us: | grep -e Step -e '(launch'
