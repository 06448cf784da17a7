UPDATE puzzles SET solution = x'00ff', tags = x'1b5b', rating = 'many', source_id = 5; UPDATE games SET white = x'ff', white_elo = 'x', date = 7;
