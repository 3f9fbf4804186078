"""The engine on Dask's scheduler and workers. Dask is imported when it is used, and not before."""
