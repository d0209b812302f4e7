#ifndef CK_TARGET_H
#define CK_TARGET_H

// Regions whose functions may use an instruction set that the file as a whole may not. System headers must be
// included before a region opens. The compiler does not define __AVX512F__ and the like inside: levels use
// their own macros.

#define CK_PRAGMA(text) _Pragma(#text)

#if defined(__x86_64__)

#define CK_TARGET_AVX2_BEGIN                                                                                           \
    CK_PRAGMA(clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function))

#define CK_TARGET_AVX512_BEGIN                                                                                         \
    CK_PRAGMA(clang attribute push(                                                                                    \
        __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma,f16c"))), apply_to = function))

#define CK_TARGET_END CK_PRAGMA(clang attribute pop)

#elif defined(__aarch64__) && defined(__clang__)

#define CK_TARGET_DOTPROD_BEGIN CK_PRAGMA(clang attribute push(__attribute__((target("dotprod"))), apply_to = function))

#define CK_TARGET_I8MM_BEGIN                                                                                           \
    CK_PRAGMA(clang attribute push(__attribute__((target("dotprod,i8mm"))), apply_to = function))

#define CK_TARGET_END CK_PRAGMA(clang attribute pop)

#elif defined(__aarch64__)

// GCC inlines its intrinsics only where the architecture they name is allowed too. Given by the tests alone:
// the package is built by clang.
#define CK_TARGET_DOTPROD_BEGIN CK_PRAGMA(GCC push_options) CK_PRAGMA(GCC target("arch=armv8.2-a+dotprod"))

#define CK_TARGET_I8MM_BEGIN CK_PRAGMA(GCC push_options) CK_PRAGMA(GCC target("arch=armv8.2-a+dotprod+i8mm"))

#define CK_TARGET_END CK_PRAGMA(GCC pop_options)

#endif

#endif
