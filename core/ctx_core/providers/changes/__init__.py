"""What is changed in a request so that its provider takes it: one kind a file, each only where it is asked."""
