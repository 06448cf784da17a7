"""Mining runs: archives go in; verified puzzles in the database come out.

Games are mined by game workers on this computer or on a Dask cluster, which know nothing of archives. Results
are stored in one transaction with the checkpoint, so that the next run resumes where this one stopped.
"""
