// Clients see `GemmaError`, `TokenID` and `GemmaTokenizer` with `import Gemma` alone; little else is public there.
@_exported public import Tensors
@_exported public import Tokenization
