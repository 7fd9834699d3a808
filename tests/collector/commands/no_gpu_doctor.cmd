cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT
cpprof doctor >found; status=$?
grep -E '^(installation  recorded|installation  runner|driver) ' found | sed 's/  */ /g'
exit $status
