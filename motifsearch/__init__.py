"""Puzzles to terms to ranked neighbours (command `motifsearch`)."""
