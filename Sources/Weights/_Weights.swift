// Sources of Weights.
