#include "ck/rope.h"

#include <math.h>

void ck_rope_table(float *cosines, float *sines, const float *frequencies, size_t pairs, size_t first, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const float position = (float)(first + i);
        for (size_t k = 0; k < pairs; k++) {
            // float64 functions of the float32 angle: the same on every system, up to the final rounding.
            const double angle = (double)(position * frequencies[k]);
            cosines[i * pairs + k] = (float)cos(angle);
            sines[i * pairs + k] = (float)sin(angle);
        }
    }
}
