"""Makes the fixtures of picklock.py, places.py and clusters.py known to the tests beside them."""

pytest_plugins = ["picklock", "places", "clusters", "sentinels"]
