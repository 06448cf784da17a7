"""Reports of `evaluation` as text and as web pages. Knows nothing of how a report is made."""
