#ifndef TEST_PROCESSES_SHIM_H
#define TEST_PROCESSES_SHIM_H

#include <spawn.h>

// What glibc declares for GNU programs alone, which Swift's module of it is not.

/// Makes a pipe that no child inherits; -1 and errno when it cannot.
int test_pipe(int ends[2]);

/// Lets a child begin in a folder.
int test_spawn_in(posix_spawn_file_actions_t *actions, const char *folder);

/// Lets a child begin without any descriptor from one on.
int test_spawn_closing_from(posix_spawn_file_actions_t *actions, int first);

#endif
