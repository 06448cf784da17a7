UPDATE checkpoints SET "offset" = -1, summary = '[]', games = 'x';
