#ifndef CK_QUANTIZED_LANES_H
#define CK_QUANTIZED_LANES_H

// For tools alone: the shared bodies are written in terms of a level's lanes, and when a body is read by itself those
// of this machine stand in.

#if defined(CK_X86_LANES_AVX512_H)
// They are there already.
#elif defined(__x86_64__)
#include "x86/lanes_avx2.h"
#elif defined(__aarch64__)
#include "arm/lanes_neon.h"
#endif

#endif
