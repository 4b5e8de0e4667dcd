"""Clean special cases: what looks like a fault and is none."""
