#ifndef CK_WAIT_H
#define CK_WAIT_H

#include <stdatomic.h>
#include <stdint.h>

/// Sleeps until the word is (perhaps) no longer `value`; may return early, so callers look again.
void ck_wait_while(_Atomic uint32_t *word, uint32_t value);

/// Wakes everyone who sleeps on the word. The word must have changed before.
void ck_wake_all(_Atomic uint32_t *word);

#endif
