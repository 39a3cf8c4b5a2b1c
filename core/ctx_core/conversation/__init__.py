"""Messages in no framework's terms, and the doors of the types that people have them in."""
