"""`python -m ctx_core` is `ctx-layers`."""

import sys

from ctx_core.cli import main

if __name__ == "__main__":
    sys.exit(main())
