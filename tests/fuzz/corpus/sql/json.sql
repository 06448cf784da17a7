UPDATE puzzles SET evaluations = '[1', nodes = '{', audit = 'x';
