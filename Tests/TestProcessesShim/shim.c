#define _GNU_SOURCE
#include "TestProcessesShim.h"
#include <fcntl.h>
#include <unistd.h>

int test_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int test_spawn_in(posix_spawn_file_actions_t *actions, const char *folder) {
    return posix_spawn_file_actions_addchdir_np(actions, folder);
}

int test_spawn_closing_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}
