#pragma once
#include <curl/curl.h>

/* Wrappers for curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt: Swift does not import variadic
   functions. */

typedef size_t (*latchkey_curl_bytes)(char *bytes, size_t size, size_t count, void *context);

CURLcode latchkey_curl_set_long(CURL *easy, CURLoption option, long value);
CURLcode latchkey_curl_set_string(CURL *easy, CURLoption option, const char *value);
CURLcode latchkey_curl_set_pointer(CURL *easy, CURLoption option, void *value);
CURLcode latchkey_curl_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t count);
CURLcode latchkey_curl_set_body_callback(CURL *easy, latchkey_curl_bytes callback, void *context);
CURLcode latchkey_curl_set_header_callback(CURL *easy, latchkey_curl_bytes callback, void *context);
CURLcode latchkey_curl_set_read_callback(CURL *easy, latchkey_curl_bytes callback, void *context);
typedef int (*latchkey_curl_trace)(CURL *easy, curl_infotype kind, char *bytes, size_t count, void *context);
typedef int (*latchkey_curl_progress)(
    void *context, curl_off_t down_total, curl_off_t down, curl_off_t up_total, curl_off_t up);

CURLcode latchkey_curl_set_large(CURL *easy, CURLoption option, curl_off_t value);
CURLcode latchkey_curl_set_trace_callback(CURL *easy, latchkey_curl_trace callback, void *context);
CURLcode latchkey_curl_set_progress_callback(CURL *easy, latchkey_curl_progress callback, void *context);

/* Sets a callback that runs once the connection is ready and that can prevent the transfer. */
CURLcode latchkey_curl_set_start_callback(CURL *easy, curl_prereq_callback callback, void *context);
long latchkey_curl_get_long(CURL *easy, CURLINFO info);

/* Makes the sockets of later connections close when the app starts another program. */
CURLcode latchkey_curl_close_sockets_on_exec(CURL *easy);

/* Creates a multi handle whose own descriptors are not inherited by other programs. */
CURLM *latchkey_curl_create_multi(void);

/* Returns the socket of the last transfer's connection, or CURL_SOCKET_BAD if the connection is closed. */
curl_socket_t latchkey_curl_get_socket(CURL *easy);
CURLMcode latchkey_curl_multi_set_long(CURLM *multi, CURLMoption option, long value);

/* Returns the next completed transfer and stores its result in `outcome`; returns NULL if there is none. */
CURL *latchkey_curl_next_done(CURLM *multi, CURLcode *outcome);
