"""Users as Markov chains over ranks, and what click logs tell about them."""
