"""Positions to the most similar positions of archived games (Ganguly, Leveling & Jones, SIGIR 2014).

In goes a position; out come the games in which a similar one occurred, best first. A search writes nothing.
"""
