"""Makes the fixtures of picklock.py and places.py known to the tests beside them."""

pytest_plugins = ["picklock", "places"]
