UPDATE puzzles SET rating = 9e999, gap = 'x', plays = -1, ply = 1e30, created = 'yesterday';
