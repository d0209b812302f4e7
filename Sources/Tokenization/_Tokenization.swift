// Sources of Tokenization.
