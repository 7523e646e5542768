"""What all back ends share: where everything lies, zones as numbers, folding, names of values, random numbers."""
