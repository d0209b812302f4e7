#ifndef CK_FLOAT_ELEMENTS_H
#define CK_FLOAT_ELEMENTS_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "portable/simd_portable.h"
#endif

// Loads and stores of stored element types, and parts of vectors, in the vocabulary of
// portable/simd_portable.h.

/// 16 elements of an unquantised type.
CK_INLINE v16 load_typed(const void *p, ck_type type) {
    return type == CK_F32 ? v16_load(p) : type == CK_BF16 ? v16_load_bf16(p) : v16_load_f16(p);
}

/// n < 16 elements; the other lanes are zero. Reads nothing beyond them.
CK_INLINE v16 load_typed_part(const void *p, ck_type type, size_t n) {
    char buffer[64] = {0};
    memcpy(buffer, p, n * ck_element_size(type));
    return load_typed(buffer, type);
}

/// n < 16 elements, the other lanes are `fill`.
CK_INLINE v16 load_part(const float *p, size_t n, float fill) {
    float buffer[16];
    v16_store(buffer, v16_set1(fill));
    memcpy(buffer, p, n * sizeof *p);
    return v16_load(buffer);
}

/// The first n < 16 lanes.
CK_INLINE void store_part(float *p, v16 a, size_t n) {
    float buffer[16];
    v16_store(buffer, a);
    memcpy(p, buffer, n * sizeof *p);
}

/// n <= 16 floats, the missing lanes zero.
CK_INLINE v16 load_upto(const float *p, size_t n) {
    return n == 16 ? v16_load(p) : load_part(p, n, 0);
}

CK_INLINE void store_upto(float *p, v16 a, size_t n) {
    if (n == 16)
        v16_store(p, a);
    else
        store_part(p, a, n);
}

/// Length of the step at i of a walk by 16 through n elements.
CK_INLINE size_t step_length(size_t i, size_t n) {
    return n - i < 16 ? n - i : 16;
}

/// n <= 16 weights of a norm or a gain from element i on.
CK_INLINE v16 load_vector(ck_vector w, size_t i, size_t n) {
    if (!w.data)
        return v16_set1(1);
    const char *p = (const char *)w.data + i * ck_element_size(w.type);
    const v16 values = n == 16 ? load_typed(p, w.type) : load_typed_part(p, w.type, n);
    return v16_add(values, v16_set1(w.shift));
}

#endif
