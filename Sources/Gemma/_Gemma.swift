// Sources of Gemma.
