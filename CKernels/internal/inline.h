#ifndef CK_INTERNAL_INLINE_H
#define CK_INTERNAL_INLINE_H

// How loops get copies of their own: a function that is always inlined, called with constants.

#define CK_INLINE static inline __attribute__((always_inline))

/// CALL(n) with the constant n that equals `count`, which lies in 1 ... `most` (a literal up to 9): one copy of the
/// code for each.
#define CK_COPY_PER_COUNT(most, count, CALL)                                                                           \
    switch (count) { CK_CASES_##most(CALL) default : __builtin_unreachable(); }

#define CK_CASE(n, CALL)                                                                                               \
    case n:                                                                                                            \
        CALL(n);                                                                                                       \
        break;
#define CK_CASES_1(CALL) CK_CASE(1, CALL)
#define CK_CASES_2(CALL) CK_CASES_1(CALL) CK_CASE(2, CALL)
#define CK_CASES_3(CALL) CK_CASES_2(CALL) CK_CASE(3, CALL)
#define CK_CASES_4(CALL) CK_CASES_3(CALL) CK_CASE(4, CALL)
#define CK_CASES_5(CALL) CK_CASES_4(CALL) CK_CASE(5, CALL)
#define CK_CASES_6(CALL) CK_CASES_5(CALL) CK_CASE(6, CALL)
#define CK_CASES_7(CALL) CK_CASES_6(CALL) CK_CASE(7, CALL)
#define CK_CASES_8(CALL) CK_CASES_7(CALL) CK_CASE(8, CALL)
#define CK_CASES_9(CALL) CK_CASES_8(CALL) CK_CASE(9, CALL)

#endif
