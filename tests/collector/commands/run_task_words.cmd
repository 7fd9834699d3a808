cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT; cp "$LOADED_TASK_LIBRARY" libtask.so; cp "$LOADED_SOLUTION_LIBRARY" libfast.so
for words in '--task libtask.so' '--solution v1=libfast.so' '--task libtask.so --solution libfast.so' '--task libtask.so --task libtask.so' \
    '--task libtask.so --solution v1=libfast.so --solution v1=libfast.so' '--load v1=libfast.so v1' '--task libtask.so --solution v1=libfast.so --inside' \
    '--task libtask.so --solution v1=libtask.so' '--task libfast.so --solution v1=libfast.so' '--task libtask.so --solution v1=nowhere.so' \
    '--task libtask.so --solution v1=libfast.so --baseline v3' '--task libtask.so --solution v1=libfast.so --shape square' \
    '--task libtask.so --solution v1=softmax.py' '--task libtask.so --solution v1=softmax.py:f()' \
    '--stress --sanitize pipeline/sync' '--stress pipeline/sync -o b.cpprof'; do
    cpprof run $words 2>&1 | head -n 1
done
