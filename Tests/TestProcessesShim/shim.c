#define _GNU_SOURCE
#include "TestProcessesShim.h"
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int test_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int test_spawn_in(posix_spawn_file_actions_t *actions, const char *folder) {
    return posix_spawn_file_actions_addchdir_np(actions, folder);
}

int test_spawn_closing_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

int test_open_terminal(char *path, size_t capacity) {
    int controller = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (controller < 0) { return -1; }
    if (grantpt(controller) != 0 || unlockpt(controller) != 0 || ptsname_r(controller, path, capacity) != 0) {
        close(controller);
        return -1;
    }
    return controller;
}
