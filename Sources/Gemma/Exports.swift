// Clients see `GemmaError`, `TokenID`, `GemmaTokenizer` and `MatFormerSlice` with `import Gemma` alone; little else is
// public there.
@_exported public import Tensors
@_exported public import Tokenization
@_exported public import Weights
