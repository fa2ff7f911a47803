#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "ccurlshim.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Child processes of the app must not inherit connections: they would keep them open, and could use them. */

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)context;
    (void)purpose;
#ifdef SOCK_CLOEXEC
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
#else
    curl_socket_t made = socket(address->family, address->socktype, address->protocol);
    if (made != CURL_SOCKET_BAD) fcntl(made, F_SETFD, FD_CLOEXEC);
    return made;
#endif
}

CURLcode latchkey_curl_close_sockets_on_exec(CURL *easy) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
}

/* Returns whether a descriptor that child processes inherit is a Unix socket. */
static bool is_inherited_unix_socket(int descriptor) {
    int flags = fcntl(descriptor, F_GETFD);
    if (flags < 0 || flags & FD_CLOEXEC) return false;
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    return getsockname(descriptor, (struct sockaddr *)&address, &length) == 0 && address.ss_family == AF_UNIX;
}

/* Returns whether bytes wait at either end of a Unix socket. */
static bool has_waiting_bytes(int descriptor) {
    int received = 0, sent = 0;
    ioctl(descriptor, FIONREAD, &received);
#ifdef __linux__
    ioctl(descriptor, TIOCOUTQ, &sent);
#endif
    return received > 0 || sent > 0;
}

enum { examined_descriptors = 4096 };

CURLM *latchkey_curl_create_multi(void) {
    CURLM *multi = curl_multi_init();
    if (!multi) return NULL;
    /* Some versions of libcurl, such as 7.88, create the pair of sockets that wakes a multi handle without
       close-on-exec, and offer no access to it. We recognize the pair because it only holds a byte between a
       wake-up and the next poll. The standard streams, which may be sockets, too, are left alone. */
    const int size = getdtablesize();
    const int limit = size < examined_descriptors ? size : examined_descriptors;
    bool is_candidate[examined_descriptors];
    for (int each = 3; each < limit; each++) {
        is_candidate[each] = is_inherited_unix_socket(each) && !has_waiting_bytes(each);
    }
    curl_multi_wakeup(multi);
    for (int each = 3; each < limit; each++) {
        is_candidate[each] = is_candidate[each] && has_waiting_bytes(each);
    }
    curl_multi_poll(multi, NULL, 0, 0, NULL);
    for (int each = 3; each < limit; each++) {
        if (is_candidate[each] && !has_waiting_bytes(each)) fcntl(each, F_SETFD, FD_CLOEXEC);
    }
    return multi;
}

CURLcode latchkey_curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode latchkey_curl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode latchkey_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode latchkey_curl_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
    return curl_easy_setopt(easy, option, &blob);
}

CURLcode latchkey_curl_set_body_callback(CURL *easy, latchkey_curl_bytes callback, void *context) {
    CURLcode outcome = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, callback);
    return outcome != CURLE_OK ? outcome : curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
}

CURLcode latchkey_curl_set_header_callback(CURL *easy, latchkey_curl_bytes callback, void *context) {
    CURLcode outcome = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, callback);
    return outcome != CURLE_OK ? outcome : curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
}

CURLcode latchkey_curl_set_read_callback(CURL *easy, latchkey_curl_bytes callback, void *context) {
    CURLcode outcome = curl_easy_setopt(easy, CURLOPT_READFUNCTION, callback);
    return outcome != CURLE_OK ? outcome : curl_easy_setopt(easy, CURLOPT_READDATA, context);
}

CURLcode latchkey_curl_set_large(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode latchkey_curl_set_trace_callback(CURL *easy, latchkey_curl_trace callback, void *context) {
    CURLcode outcome = curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, callback);
    if (outcome == CURLE_OK) outcome = curl_easy_setopt(easy, CURLOPT_DEBUGDATA, context);
    return outcome != CURLE_OK ? outcome : curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
}

CURLcode latchkey_curl_set_progress_callback(CURL *easy, latchkey_curl_progress callback, void *context) {
    CURLcode outcome = curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, callback);
    if (outcome == CURLE_OK) outcome = curl_easy_setopt(easy, CURLOPT_XFERINFODATA, context);
    return outcome != CURLE_OK ? outcome : curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
}

CURLcode latchkey_curl_set_start_callback(CURL *easy, curl_prereq_callback callback, void *context) {
    CURLcode outcome = curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
    return outcome != CURLE_OK ? outcome : curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
}

long latchkey_curl_get_long(CURL *easy, CURLINFO info) {
    long value = 0;
    curl_easy_getinfo(easy, info, &value);
    return value;
}

curl_socket_t latchkey_curl_get_socket(CURL *easy) {
    curl_socket_t socket = CURL_SOCKET_BAD;
    return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK ? socket : CURL_SOCKET_BAD;
}

CURLMcode latchkey_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

CURL *latchkey_curl_next_done(CURLM *multi, CURLcode *outcome) {
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg == CURLMSG_DONE) {
            *outcome = message->data.result;
            return message->easy_handle;
        }
    }
    return NULL;
}
