#pragma once

/// Keeps the memory of the process out of core dumps, and out of reach of debuggers that other processes of the same user
/// start. Returns 0, or -1 with errno.
int latchkey_forbid_dumps(void);
