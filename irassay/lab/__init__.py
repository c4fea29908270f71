"""The web lab: a local server with pages and an API, both derived from the declarations."""
