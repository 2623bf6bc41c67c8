"""``python -m aesedu``."""

import sys

from aesedu.cli import main

sys.exit(main())
