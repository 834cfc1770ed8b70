"""Which of two answers is better: asked in pairs, and the strengths that follow."""
