for chip in b200 'NVIDIA A100-SXM4-80GB' 'Tesla T4' xavier sm_89 gb102; do
    cpprof list --chip "$chip" && echo || exit
done
