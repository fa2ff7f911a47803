#include "copensslshim.h"

#include <openssl/crypto.h>

// OpenSSL frees its tables when the process exits. Other threads that are still hashing or encrypting would
// then crash the process as it exits. Freeing the tables is unnecessary anyway, because the operating system
// reclaims the memory. The option has an effect only if it is set before other code, such as libcurl,
// initializes OpenSSL, so this constructor sets it before main() runs.
__attribute__((constructor)) static void keep_openssl_until_the_end(void) {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}
