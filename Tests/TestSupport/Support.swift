// Support for tests.
