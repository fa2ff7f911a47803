#pragma once

/// Disables core dumps of the process, and prevents other processes of the same user from attaching a
/// debugger to it. Returns 0, or -1 with errno set.
int latchkey_forbid_dumps(void);

#ifdef __linux__
/// Starts a program in a session of its own, whose standard streams are /dev/null and which has no other
/// open files. A thread waits for its end. Returns 0 or an error number.
///
/// The path isn't looked up in PATH. The lists end with NULL. The folder is NULL for the current one.
int latchkey_start_detached(const char *path, char *const arguments[], char *const environment[],
                            const char *folder);
#endif
