#ifndef GEMMA_OPENBLAS_H
#define GEMMA_OPENBLAS_H

// Where distributions put the header of OpenBLAS: Fedora in a folder of its own, Debian and Ubuntu with the others.
#if __has_include(<openblas/cblas.h>)
#include <openblas/cblas.h>
#else
#include <cblas.h>
#endif

#endif
