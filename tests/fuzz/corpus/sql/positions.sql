UPDATE archived_games SET start = 'x', moves = '';
