# Sourced by the guards: which files belong to the tree?

# Names of the tree's files, one a line, relative to the working directory:
# what git tracks or would add, or every file outside build and output folders
# where the tree is no checkout (a release tarball, a planted tree of can_fail.sh).
tree_files() {
    if [ -e .git ]; then
        git ls-files --cached --others --exclude-standard
    else
        find . -type f -printf '%P\n' | grep -vE '^(build|dist|out)[^/]*/'
    fi | while IFS= read -r file; do
        if [ -f "$file" ]; then echo "$file"; fi # tracked, but deleted in the working tree
    done
}
