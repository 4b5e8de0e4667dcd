"""The demonstration roster: invented athletes, with planted faults and labels that say which rule has to find what."""
