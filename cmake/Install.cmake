# Filled by install() calls in each folder.
