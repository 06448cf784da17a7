UPDATE archived_games SET number = -number; DELETE FROM games;
