#ifndef CK_TARGET_H
#define CK_TARGET_H

// Regions whose functions may use an instruction set that the file as a whole may not. System headers must be
// included before a region opens. The compiler does not define __AVX512F__ and the like inside: levels use
// their own macros.

#define CK_PRAGMA(text) _Pragma(#text)

#if defined(__x86_64__)

#define CK_TARGET_AVX2_BEGIN \
    CK_PRAGMA(clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function))

#define CK_TARGET_AVX512_BEGIN \
    CK_PRAGMA(clang attribute push( \
        __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma,f16c"))), \
        apply_to = function))

#define CK_TARGET_END CK_PRAGMA(clang attribute pop)

#endif

#endif
