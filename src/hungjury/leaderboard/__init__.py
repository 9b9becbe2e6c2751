"""The product: which system is better, and how sure can one be; gold labels, plans, gates."""
