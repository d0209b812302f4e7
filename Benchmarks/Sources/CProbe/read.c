#include "CProbe.h"

typedef uint64_t words __attribute__((vector_size(64)));
typedef uint64_t stored_words __attribute__((vector_size(64), aligned(1)));

enum { line = 64, step = 4 * line, panel_rows = 16, cursors = 4 };

static uint64_t mixed(const words *sum, size_t count) {
    uint64_t mix = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < sizeof(words) / sizeof(uint64_t); j++)
            mix ^= sum[i][j];
    return mix;
}

uint64_t probe_read(const void *data, size_t bytes, size_t ahead) {
    words sum[4] = {{0}};
    const char *position = data, *end = position + bytes / step * step;
    for (; position < end; position += step) {
        for (size_t i = 0; i < 4; i++) {
            if (ahead > 0)
                __builtin_prefetch(position + i * line + ahead, 0, 2);
            sum[i] ^= *(const stored_words *)(position + i * line);
        }
    }
    return mixed(sum, 4);
}

uint64_t probe_read_panels(const void *data, size_t row_bytes, size_t rows) {
    words sum[4] = {{0}};
    for (size_t first = 0; first < rows; first += panel_rows) {
        const size_t used = rows - first < panel_rows ? rows - first : panel_rows;
        const char *panel = (const char *)data + first * row_bytes;
        for (size_t column = 0; column + line <= row_bytes; column += line)
            for (size_t r = 0; r < used; r++)
                sum[r % 4] ^= *(const stored_words *)(panel + r * row_bytes + column);
    }
    return mixed(sum, 4);
}

uint64_t probe_read_cursors(const void *data, size_t bytes) {
    words sum[cursors] = {{0}};
    const size_t quarter = bytes / cursors / line * line;
    for (size_t position = 0; position < quarter; position += line)
        for (size_t i = 0; i < cursors; i++)
            sum[i] ^= *(const stored_words *)((const char *)data + i * quarter + position);
    return mixed(sum, cursors);
}
