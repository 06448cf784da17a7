UPDATE puzzles SET evaluations = '[]', nodes = '7', audit = '"x"', audit_passed = 7;
