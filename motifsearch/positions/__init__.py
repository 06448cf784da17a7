"""Finding similar positions in archived games (Ganguly, Leveling & Jones, SIGIR 2014).

A position goes in; the games in which a similar position occurred come out, best first. A search does not
change the database, and knows nothing of how results are shown.
"""
