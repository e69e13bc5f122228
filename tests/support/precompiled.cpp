// Empty: the precompiled headers of the tests are made for a source that uses them.
