"""What a solution shows: fork, pin, deflection, back-rank mate … each recognised by a rule of its own."""
