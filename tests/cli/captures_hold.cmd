# What each capture in examples/captures must say (its README).
captures=../../examples/captures
holds() { # CAPTURE RULE...
    capture=$1
    shift
    for rule in "$@"; do set -- "$@" --assert "$rule"; shift; done
    cpprof check "$captures/$capture.cpprof" "$@" | head -n 1
}
holds vector 'count(kernel[name=~guest_add]) == 10' 'count(h2d) == 20' 'count(d2h) == 10' 'count(memset) == 1' 'overlap(h2d, kernel) == 0%'
holds graph 'count(kernel[name=~guest_node]) == 200' 'count(memset) == 10' 'serial(kernel)'
holds waits 'count(h2d) >= 20' 'count(h2d) <= 200' 'overlap(h2d, kernel) >= 80%' 'count(sync) >= 80'
holds train 'count(h2d) == 16' 'count(kernel) >= 200' 'overlap(h2d, kernel) >= 50%'
holds two-ranks 'count(kernel[name=~ncclDevKernel,rank=0]) == 20' 'count(kernel[name=~ncclDevKernel,rank=1]) == 20'
