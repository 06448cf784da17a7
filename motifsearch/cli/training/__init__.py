"""The commands for training: `motifsearch train`, `sets`, `solve` and `due`."""
