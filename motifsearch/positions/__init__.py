"""Similar positions in a game archive (Ganguly, Leveling & Jones, SIGIR 2014)."""
