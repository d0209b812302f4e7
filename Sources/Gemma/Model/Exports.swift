// Clients see `GemmaError`, `TokenID`, `GemmaTokenizer` and `MatFormerSlice` with `import Gemma` alone; little else is
// public there.
@_exported public import GemmaRuntime
@_exported public import GemmaTokenization
@_exported public import GemmaWeights
