#include "copensslshim.h"

#include <openssl/crypto.h>

// OpenSSL frees its tables when the process exits, while other threads may still be hashing or sealing: they crash
// then, and with them the app, at its very end. The operating system frees the memory anyway. This must be said before
// anybody else (libcurl, for one) initialises the library, and so before main().
__attribute__((constructor)) static void keep_openssl_until_the_end(void) {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}
