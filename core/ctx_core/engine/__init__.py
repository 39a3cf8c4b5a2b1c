"""One build: layers are filled, the history is given what they leave, and what does not fit gives way in order."""
