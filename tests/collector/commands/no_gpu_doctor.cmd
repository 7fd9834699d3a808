cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT
cpprof doctor >found; status=$?
sed 's/libcupti found through: .*/libcupti/; s/libcupti.so.13 was not found: .*/libcupti/; s/^CUPTI  *\(ok \|MISSING\)  */CUPTI (found or missing): /' found
exit $status
