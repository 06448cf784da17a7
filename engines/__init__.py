"""Everything that evaluates or plays a position: UCI processes and the scale of their scores."""
