#define _GNU_SOURCE
#include "cprocessshim.h"

#include <sys/resource.h>
#ifdef __linux__
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
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

// Starts a program without this process's open files and signal handlers.
static int start(pid_t *child, const char *path, char *const arguments[], char *const environment[],
                 const char *folder, posix_spawn_file_actions_t *actions, short flags) {
    posix_spawnattr_t attributes;
    int result = posix_spawnattr_init(&attributes);
    if (result != 0) return result;
    result = posix_spawn_file_actions_addclosefrom_np(actions, 3);
    if (result == 0 && folder != NULL) result = posix_spawn_file_actions_addchdir_np(actions, folder);

    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    if (result == 0) result = posix_spawnattr_setsigmask(&attributes, &none);
    if (result == 0) result = posix_spawnattr_setsigdefault(&attributes, &all);
    if (result == 0) {
        flags |= POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
        result = posix_spawnattr_setflags(&attributes, flags);
    }
    if (result == 0) result = posix_spawn(child, path, actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    return result;
}

int latchkey_start_detached(const char *path, char *const arguments[], char *const environment[],
                            const char *folder) {
    posix_spawn_file_actions_t actions;
    int result = posix_spawn_file_actions_init(&actions);
    if (result != 0) return result;
    // A reader of this process's output would otherwise wait until the program has ended, too.
    for (int stream = 0; stream < 3 && result == 0; stream++) {
        result = posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
    }
    pid_t child = 0;
    if (result == 0) {
        result = start(&child, path, arguments, environment, folder, &actions, POSIX_SPAWN_SETSID);
    }
    if (result == 0) reap_in_background(child);
    posix_spawn_file_actions_destroy(&actions);
    return result;
}

// Makes a group the terminal's foreground group, and then changes the settings.
//
// While SIGTTOU isn't blocked, both would stop a process in the background.
static void set_foreground(int terminal, pid_t group, const struct termios *settings) {
    sigset_t blocked, previous;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &blocked, &previous);
    if (group > 0) tcsetpgrp(terminal, group);
    if (settings != NULL) tcsetattr(terminal, TCSANOW, settings);
    pthread_sigmask(SIG_SETMASK, &previous, NULL);
}

static void wait_in_foreground(pid_t child, int terminal, bool has_groups) {
    while (true) {
        int status = 0;
        if (waitpid(child, &status, has_groups ? WUNTRACED : 0) < 0) {
            if (errno == EINTR) continue;
            return;
        }
        if (!WIFSTOPPED(status)) return;
        // No shell could continue the program after Control-Z. SIGSTOP was sent by another process, which can also
        // continue the program.
        if (WSTOPSIG(status) == SIGSTOP) continue;
        set_foreground(terminal, child, NULL);
        kill(-child, SIGCONT);
    }
}

int latchkey_run_in_foreground(const char *path, char *const arguments[], char *const environment[],
                               const char *folder, int input, int output) {
    // The group is 0 if it belongs to another PID namespace, and could then not be set again.
    const pid_t group = tcgetpgrp(input);
    if (group > 0 && group != getpgrp()) return EBUSY;
    const bool has_groups = group > 0;
    struct termios settings;
    if (tcgetattr(input, &settings) != 0) return errno;

    posix_spawn_file_actions_t actions;
    int result = posix_spawn_file_actions_init(&actions);
    if (result != 0) return result;
    // The descriptors can themselves be standard streams, which must not be replaced before they are copied.
    const int source = fcntl(input, F_DUPFD_CLOEXEC, 3);
    const int sink = source < 0 ? -1 : fcntl(output, F_DUPFD_CLOEXEC, 3);
    if (sink < 0) result = errno;
    if (result == 0) result = posix_spawn_file_actions_adddup2(&actions, source, 0);
    if (result == 0) result = posix_spawn_file_actions_adddup2(&actions, sink, 1);
    if (result == 0) result = posix_spawn_file_actions_adddup2(&actions, sink, 2);
    // The program's first read would stop it if the group were set by this process after the start.
    if (result == 0 && has_groups) result = posix_spawn_file_actions_addtcsetpgrp_np(&actions, 0);
    pid_t child = 0;
    if (result == 0) {
        const short flags = has_groups ? POSIX_SPAWN_SETPGROUP : 0;
        result = start(&child, path, arguments, environment, folder, &actions, flags);
        if (result == 0) wait_in_foreground(child, input, has_groups);
        // The group is changed before the program is loaded, so also if that fails.
        set_foreground(input, group, &settings);
    }
    if (sink >= 0) close(sink);
    if (source >= 0) close(source);
    posix_spawn_file_actions_destroy(&actions);
    return result;
}
#endif
