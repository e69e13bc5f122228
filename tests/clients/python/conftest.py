"""Makes the fixtures of picklock.py known to the tests beside it."""

pytest_plugins = ["picklock"]
