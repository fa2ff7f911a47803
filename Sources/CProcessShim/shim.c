#include "cprocessshim.h"

#include <sys/resource.h>
#ifdef __linux__
#include <sys/prctl.h>
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
