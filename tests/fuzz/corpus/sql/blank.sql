UPDATE puzzles SET solution = '', puzzle_fen = '', fen = '';
