"""Ways to the best answer: by a model, nested samples, sampling, search, every history."""
