"""Mining runs: archives in, verified puzzles in the database.

Games are mined by workers on this computer or on a Dask cluster; each game is stored in one transaction
together with the checkpoint, so that a run that was killed is resumed where it stopped.
"""
