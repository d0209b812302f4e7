#include "CProbe.h"

#include <string.h>

// The instructions stand in assembly, so that the compiler can neither drop nor merge them. Twelve chains
// cover the latency of every one of them (5 cycles at most, two a cycle) and leave registers for the factors.

enum { chains = 12 };

#if defined(__x86_64__)
#include <immintrin.h>

#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)

static size_t peak_sse2(size_t rounds) {
    __m128i sum[chains] = {0}, x = _mm_set1_epi16(3), y = _mm_set1_epi16(5);
    for (size_t round = 0; round < rounds; round++) {
#define STEP(i)                                                                                                        \
    {                                                                                                                  \
        __m128i product = x;                                                                                           \
        __asm__ volatile("pmaddwd %2, %0\n\tpaddd %0, %1" : "+x"(product), "+x"(sum[i]) : "x"(y));                     \
    }
        EACH(STEP)
#undef STEP
    }
    return rounds * chains * 8;
}

__attribute__((target("avx2"))) static size_t peak_avx2(size_t rounds) {
    __m256i sum[chains] = {0}, x = _mm256_set1_epi8(3), y = _mm256_set1_epi8(5);
    for (size_t round = 0; round < rounds; round++) {
#define STEP(i)                                                                                                        \
    {                                                                                                                  \
        __m256i product;                                                                                               \
        __asm__ volatile("vpmaddubsw %3, %2, %0\n\tvpaddw %0, %1, %1"                                                  \
                         : "=&x"(product), "+x"(sum[i])                                                                \
                         : "x"(x), "x"(y));                                                                            \
    }
        EACH(STEP)
#undef STEP
    }
    return rounds * chains * 32;
}

__attribute__((target("avx512f,avx512vnni"))) static size_t peak_avx512vnni(size_t rounds) {
    __m512i sum[chains] = {0}, x = _mm512_set1_epi8(3), y = _mm512_set1_epi8(5);
    for (size_t round = 0; round < rounds; round++) {
#define STEP(i) __asm__ volatile("vpdpbusd %2, %1, %0" : "+v"(sum[i]) : "v"(x), "v"(y));
        EACH(STEP)
#undef STEP
    }
    return rounds * chains * 64;
}

size_t probe_peak(const char *level, size_t rounds) {
    if (strcmp(level, "portable") == 0)
        return peak_sse2(rounds);
    if (strcmp(level, "avx2") == 0)
        return peak_avx2(rounds);
    if (strcmp(level, "avx512vnni") == 0)
        return peak_avx512vnni(rounds);
    return 0;
}

#elif defined(__aarch64__)
#include <arm_neon.h>

#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)

static size_t peak_neon(size_t rounds) {
    int32x4_t sum[chains];
    for (size_t i = 0; i < chains; i++)
        sum[i] = vdupq_n_s32(0);
    const int8x16_t x = vdupq_n_s8(3), y = vdupq_n_s8(5);
    for (size_t round = 0; round < rounds; round++) {
#define STEP(i)                                                                                                        \
    {                                                                                                                  \
        int16x8_t product;                                                                                             \
        __asm__ volatile("smull %0.8h, %2.8b, %3.8b\n\tsadalp %1.4s, %0.8h"                                            \
                         : "=&w"(product), "+w"(sum[i])                                                                \
                         : "w"(x), "w"(y));                                                                            \
    }
        EACH(STEP)
#undef STEP
    }
    return rounds * chains * 8;
}

#define DEFINE_PEAK(name, architecture, instruction, products)                                                         \
    __attribute__((target(architecture))) static size_t name(size_t rounds) {                                          \
        int32x4_t sum[chains];                                                                                         \
        for (size_t i = 0; i < chains; i++)                                                                            \
            sum[i] = vdupq_n_s32(0);                                                                                   \
        const int8x16_t x = vdupq_n_s8(3), y = vdupq_n_s8(5);                                                          \
        for (size_t round = 0; round < rounds; round++)                                                                \
            for (size_t i = 0; i < chains; i++)                                                                        \
                __asm__ volatile(instruction " %0.4s, %1.16b, %2.16b" : "+w"(sum[i]) : "w"(x), "w"(y));                \
        return rounds * chains * (products);                                                                           \
    }

DEFINE_PEAK(peak_dotprod, "+dotprod", "sdot", 16)
DEFINE_PEAK(peak_i8mm, "+i8mm", "smmla", 32)

size_t probe_peak(const char *level, size_t rounds) {
    if (strcmp(level, "portable") == 0 || strcmp(level, "neon") == 0)
        return peak_neon(rounds);
    if (strcmp(level, "neon-dotprod") == 0)
        return peak_dotprod(rounds);
    if (strcmp(level, "neon-i8mm") == 0)
        return peak_i8mm(rounds);
    return 0;
}

#else

size_t probe_peak(const char *level, size_t rounds) {
    (void)level;
    (void)rounds;
    return 0;
}

#endif
