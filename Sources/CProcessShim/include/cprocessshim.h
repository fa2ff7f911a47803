#pragma once

/// Disables core dumps of the process, and prevents other processes of the same user from attaching a
/// debugger to it. Returns 0, or -1 with errno set.
int latchkey_forbid_dumps(void);
