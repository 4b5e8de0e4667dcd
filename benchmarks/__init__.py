"""Measurements of the product against floors of the same work; nothing here is part of the product."""
