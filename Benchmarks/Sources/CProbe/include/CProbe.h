#ifndef CPROBE_H
#define CPROBE_H

#include <stddef.h>
#include <stdint.h>

/// Reads `bytes` bytes (all but the rest of a multiple of 256) once, in order, and returns a mix of them.
/// `ahead`: bytes by which a prefetch into the second-level cache runs in front; 0 for none.
uint64_t probe_read(const void *data, size_t bytes, size_t ahead);

/// The same bytes of `rows` rows, in the order of a panel: a line of 64 bytes of each of 16 rows by turns.
uint64_t probe_read_panels(const void *data, size_t row_bytes, size_t rows);

/// The same bytes, at four cursors: a line of each quarter by turns.
uint64_t probe_read_cursors(const void *data, size_t bytes);

/// Runs `rounds` rounds of int8 dot-product instructions of a kernel level on registers, in chains that are
/// independent of each other, and returns the number of multiply-adds done; 0 for a level this file does not
/// know. The result is what no kernel of that level can exceed: nothing is loaded, widened or scaled.
///   portable (x86)  pmaddwd + paddd on 16-bit values: the best of the baseline instruction set
///   portable (ARM)  smull + sadalp
///   avx2            vpmaddubsw + vpaddw: sums of nibbles stay in 16 bits
///   avx512vnni      vpdpbusd
///   neon            smull + sadalp
///   neon-dotprod    sdot
///   neon-i8mm       smmla
size_t probe_peak(const char *level, size_t rounds);

#endif
