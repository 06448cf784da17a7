"""Mining runs: archives of games go in; verified puzzles are stored.

Games are mined by workers on this computer or on a Dask cluster, which know nothing of archives. Results are
stored in one transaction with the checkpoint, so that the next run resumes where this one stopped.
"""
