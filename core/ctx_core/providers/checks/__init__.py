"""One function for each kind of rule: where a request breaks it."""
