"""Desirable properties: how they relate rankings, and how every ranking is tried against them."""
