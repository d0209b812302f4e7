"""Parts of make_fixtures.py: what to build, random weights, files, the reference run and its ablations."""
