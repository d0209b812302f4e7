// Sources of Models.
