#ifndef CK_INTERNAL_CPU_H
#define CK_INTERNAL_CPU_H

#include "ck/cpu.h"

// What this processor has, as the levels need it.
bool ck_cpu_has_avx2(void);       // AVX2, FMA and F16C
bool ck_cpu_has_avx512vnni(void); // the above and AVX-512 F, BW, VL, DQ and VNNI
bool ck_cpu_has_dotprod(void);    // SDOT and UDOT
bool ck_cpu_has_i8mm(void);       // the above, USDOT and USMMLA

/// The level that GEMMA_KERNELS asks for, or null.
const char *ck_cpu_requested_level(void);

#endif
