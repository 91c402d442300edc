"""What the book draws (`reference/`) and what the programs are (`rendered/`)."""
