cpprof list --metrics nvlink --format csv
