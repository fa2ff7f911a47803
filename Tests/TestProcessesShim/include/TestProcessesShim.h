#ifndef TEST_PROCESSES_SHIM_H
#define TEST_PROCESSES_SHIM_H

#include <spawn.h>
#include <stddef.h>

// Functions that glibc declares only with _GNU_SOURCE, which Swift's Glibc module does not define.

/// Creates a pipe that child processes do not inherit; returns -1 and sets errno on failure.
int test_pipe(int ends[2]);

/// Starts the child process in a folder.
int test_spawn_in(posix_spawn_file_actions_t *actions, const char *folder);

/// Closes all descriptors from a given number on in the child process.
int test_spawn_closing_from(posix_spawn_file_actions_t *actions, int first);

/// Opens a pseudo-terminal and writes the path of its device; returns the descriptor of the other side, or -1 and sets
/// errno.
int test_open_terminal(char *path, size_t capacity);

#endif
