"""The providers' own messages: what one of theirs is in neutral messages, and how it is written again."""
