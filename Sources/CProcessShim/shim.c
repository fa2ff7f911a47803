#define _GNU_SOURCE
#include "cprocessshim.h"

#include <sys/resource.h>
#ifdef __linux__
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#endif

int latchkey_forbid_dumps(void) {
    const struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none) != 0) return -1;
#ifdef __linux__
    // The limit has no effect if the kernel passes core dumps to a program such as systemd-coredump.
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#else
    return 0;
#endif
}

#ifdef __linux__
static void *reap(void *child) {
    while (waitpid((pid_t)(intptr_t)child, NULL, 0) < 0 && errno == EINTR) {}
    return NULL;
}

// Without a call to waitpid, the program would remain as a zombie until this process ends.
static void reap_in_background(pid_t child) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 256 * 1024);
    // The process's signals are handled by its other threads.
    sigset_t all, previous;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &previous);
    pthread_t thread;
    pthread_create(&thread, &attributes, reap, (void *)(intptr_t)child);
    pthread_sigmask(SIG_SETMASK, &previous, NULL);
    pthread_attr_destroy(&attributes);
}

int latchkey_start_detached(const char *path, char *const arguments[], char *const environment[],
                            const char *folder) {
    posix_spawn_file_actions_t actions;
    int result = posix_spawn_file_actions_init(&actions);
    if (result != 0) return result;
    posix_spawnattr_t attributes;
    result = posix_spawnattr_init(&attributes);
    if (result != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return result;
    }
    // A reader of this process's output would otherwise wait until the program has ended, too.
    for (int stream = 0; stream < 3 && result == 0; stream++) {
        result = posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
    }
    if (result == 0) result = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    if (result == 0 && folder != NULL) result = posix_spawn_file_actions_addchdir_np(&actions, folder);

    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    if (result == 0) result = posix_spawnattr_setsigmask(&attributes, &none);
    if (result == 0) result = posix_spawnattr_setsigdefault(&attributes, &all);
    if (result == 0) {
        const short flags = POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
        result = posix_spawnattr_setflags(&attributes, flags);
    }
    pid_t child = 0;
    if (result == 0) result = posix_spawn(&child, path, &actions, &attributes, arguments, environment);
    if (result == 0) reap_in_background(child);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return result;
}
#endif
