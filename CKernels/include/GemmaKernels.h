#ifndef GEMMA_KERNELS_H
#define GEMMA_KERNELS_H

#include "ck/types.h"
#include "ck/format.h"
#include "ck/cpu.h"
#include "ck/parallel.h"
#include "ck/threads.h"
#include "ck/product.h"
#include "ck/vector.h"
#include "ck/rope.h"
#include "ck/attention.h"
#include "ck/sampling.h"

#endif
