"""What is told of a request: the report with its renderings, the log of the last requests, the lines in the log."""
