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

/// Runs a program on a terminal until it has ended, whatever its exit status. It has no other open files.
/// Afterwards, the terminal has the same settings and the same foreground process group as before. Returns 0,
/// EBUSY if this process is in the terminal's background, or the error number if the program can't be started.
///
/// The program has a process group of its own, which the keys of the terminal send signals to. If it is stopped with
/// one of them, it is continued. On a terminal that isn't the controlling terminal of this process, there are no
/// such groups.
int latchkey_run_in_foreground(const char *path, char *const arguments[], char *const environment[],
                               const char *folder, int input, int output);
#endif
