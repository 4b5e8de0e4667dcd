"""The Dagster side: one concept a file. Assembled in `keifu_quality.definitions`; decides nothing by itself."""
