import GemmaKernels

/// Element types a safetensors header may name. Only some can be computed with; the others occur in parts of a
/// checkpoint that the text model does not read.
enum ElementType: String, Sendable {
  case bool = "BOOL"
  case u8 = "U8"
  case i8 = "I8"
  case f8e5m2 = "F8_E5M2"
  case f8e4m3 = "F8_E4M3"
  case f8e8m0 = "F8_E8M0"
  case i16 = "I16"
  case u16 = "U16"
  case f16 = "F16"
  case bf16 = "BF16"
  case i32 = "I32"
  case u32 = "U32"
  case f32 = "F32"
  case i64 = "I64"
  case u64 = "U64"
  case f64 = "F64"

  var byteCount: Int {
    switch self {
    case .bool, .u8, .i8, .f8e5m2, .f8e4m3, .f8e8m0: 1
    case .i16, .u16, .f16, .bf16: 2
    case .i32, .u32, .f32: 4
    case .i64, .u64, .f64: 8
    }
  }

  /// The kernels' name of this type; nil where they cannot read it.
  var kernelType: ck_type? {
    switch self {
    case .f32: .CK_F32
    case .f16: .CK_F16
    case .bf16: .CK_BF16
    default: nil
    }
  }
}
