UPDATE puzzles SET solution = '0000 -- b2)--', blunder = 'x'; UPDATE archived_games SET moves = 'e2e5 0000 xx';
