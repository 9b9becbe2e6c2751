"""The catalogue of measures, scoring in batches, expectations, evaluate, scores."""
