#include "ccurlshim.h"

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
