"""Identity keys, mark parsing and school-year arithmetic: pure functions over text, numbers and dates."""
