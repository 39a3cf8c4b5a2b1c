"""The history: how it is repaired, cut at safe positions, and what is remembered of the cut."""
