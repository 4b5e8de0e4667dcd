"""Planted faults and clean special cases, one module a topic, one small function a form."""
