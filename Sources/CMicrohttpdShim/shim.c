#define _GNU_SOURCE
#include "cmicrohttpdshim.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

// Leaves percent escapes in paths unchanged; the router decides what they mean.
static size_t keep_escapes(void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    return strlen(text);
}

typedef enum MHD_Result (*queue_function)(struct MHD_Connection *, unsigned, struct MHD_Response *);

static queue_function queue_in_library;
static void (*refuse)(struct MHD_Connection *, unsigned);

// The library rejects some requests itself: it responds with an HTML page, and sends the response header
// twice if the error is in a header field. It queues these responses with its public function, which the
// dynamic linker looks up in the program first, so the library calls this function instead. This function
// sends our own response and shuts down the sending side of the socket; the library then fails to send its
// response and closes the connection. (Returning MHD_NO instead of queuing the library's response would also
// close the connection, but in some places the library would continue to read the request's memory.) The
// function is weak because a statically linked library defines it as well; in that case, the library's own
// responses are sent.
__attribute__((weak)) enum MHD_Result MHD_queue_response(struct MHD_Connection *connection, unsigned status,
                                                        struct MHD_Response *response) {
    if (refuse != NULL) refuse(connection, status);
    return queue_in_library != NULL ? queue_in_library(connection, status, response) : MHD_NO;
}

typedef enum MHD_Result (*lookup_function)(struct MHD_Connection *, enum MHD_ValueKind, const char *, size_t,
                                           const char **, size_t *);

static lookup_function look_up_in_library;

// The library copies the Cookie field of each request and parses the copy, although this server does not read
// the parsed cookies. The copy would double the memory of each connection, which the library zeroes after each
// request. The library looks up the field with its public function, so it calls this function instead, which
// hides the field. MHD_get_connection_values_n still returns it. With a statically linked library, large
// Cookie fields are rejected with 431.
__attribute__((weak)) enum MHD_Result MHD_lookup_connection_value_n(struct MHD_Connection *connection,
                                                                   enum MHD_ValueKind kind, const char *key,
                                                                   size_t key_size, const char **value,
                                                                   size_t *value_size) {
    static const char cookie[] = MHD_HTTP_HEADER_COOKIE;
    const int is_cookie = kind == MHD_HEADER_KIND && key_size == sizeof cookie - 1
                          && memcmp(key, cookie, key_size) == 0;
    if (is_cookie || look_up_in_library == NULL) return MHD_NO;
    return look_up_in_library(connection, kind, key, key_size, value, value_size);
}

enum MHD_Result latchkey_mhd_queue(struct MHD_Connection *connection, unsigned status,
                                   struct MHD_Response *response) {
    const queue_function queue = queue_in_library != NULL ? queue_in_library : MHD_queue_response;
    return queue(connection, status, response);
}

struct MHD_Daemon *latchkey_mhd_start(const struct latchkey_mhd_callbacks *callbacks,
                                      const struct latchkey_mhd_limits *limits) {
    const struct MHD_OptionItem options[] = {
#if MHD_VERSION >= 0x01000000
        {MHD_OPTION_CLIENT_DISCIPLINE_LVL, 1, NULL},
#endif
        {MHD_OPTION_THREAD_POOL_SIZE, limits->threads > 1 ? limits->threads : 0, NULL},
        {MHD_OPTION_CONNECTION_LIMIT, limits->connections, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)limits->connection_memory, NULL},
        {MHD_OPTION_CONNECTION_TIMEOUT, 0, NULL},
        {MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)callbacks->target, callbacks->context},
        {MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)keep_escapes, NULL},
        {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)callbacks->completed, callbacks->context},
        {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)callbacks->connection, callbacks->context},
        {MHD_OPTION_END, 0, NULL},
    };
    // Every call of this function assigns the same values, and does so before it starts the threads that read
    // them.
    if (refuse == NULL) {
        queue_in_library = (queue_function)dlsym(RTLD_NEXT, "MHD_queue_response");
        look_up_in_library = (lookup_function)dlsym(RTLD_NEXT, "MHD_lookup_connection_value_n");
        refuse = callbacks->refused;
    }
    const unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_ALLOW_SUSPEND_RESUME
                           | MHD_USE_NO_LISTEN_SOCKET;
    return MHD_start_daemon(flags, 0, NULL, NULL, callbacks->request, callbacks->context, MHD_OPTION_ARRAY,
                            options, MHD_OPTION_END);
}

void *latchkey_mhd_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info
        = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

int latchkey_mhd_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

size_t latchkey_mhd_header_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info
        = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

const struct sockaddr *latchkey_mhd_address(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info
        = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info ? info->client_addr : NULL;
}

int latchkey_listen(const char *address, int port, int backlog) {
    char service[16];
    snprintf(service, sizeof service, "%d", port);
    const struct addrinfo hints = {
        .ai_flags = AI_PASSIVE | AI_NUMERICSERV,
        .ai_family = AF_UNSPEC,
        .ai_socktype = SOCK_STREAM,
    };
    struct addrinfo *found = NULL;
    if (getaddrinfo(address, service, &hints, &found) != 0 || found == NULL) return -2;

    const int yes = 1;
    int listener = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int failure = 0;
    if (listener < 0) {
        failure = errno;
    } else {
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        // Accepted sockets inherit this option.
        setsockopt(listener, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        if (bind(listener, found->ai_addr, found->ai_addrlen) != 0 || listen(listener, backlog) != 0) {
            failure = errno;
            close(listener);
        }
    }
    freeaddrinfo(found);
    if (failure == 0) return listener;
    errno = failure;
    return -1;
}

int latchkey_bound_port(int socket) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (getsockname(socket, (struct sockaddr *)&address, &length) != 0) return 0;
    return ntohs(address.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&address)->sin6_port
                                               : ((struct sockaddr_in *)&address)->sin_port);
}

int latchkey_accept(int listener, struct sockaddr_storage *address, socklen_t *length) {
    *length = sizeof *address;
    return accept4(listener, (struct sockaddr *)address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

ssize_t latchkey_send_now(int socket, const void *bytes, size_t count) {
    return send(socket, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
}

ssize_t latchkey_receive_now(int socket, void *bytes, size_t count) {
    return recv(socket, bytes, count, MSG_DONTWAIT);
}

ssize_t latchkey_peek_now(int socket, void *bytes, size_t count) {
    return recv(socket, bytes, count, MSG_PEEK | MSG_DONTWAIT);
}

size_t latchkey_http_date(char *text, size_t capacity) {
    static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char *const months[]
        = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    // strftime is not used, because its names depend on the locale.
    const int length = snprintf(text, capacity, "%s, %02d %s %04d %02d:%02d:%02d GMT", days[utc.tm_wday],
                                utc.tm_mday, months[utc.tm_mon], utc.tm_year + 1900, utc.tm_hour, utc.tm_min,
                                utc.tm_sec);
    return length > 0 && (size_t)length < capacity ? (size_t)length : 0;
}

int latchkey_socket_pair(int pair[2]) {
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair);
}

int latchkey_detach(int socket, int placeholder) {
    const int moved = fcntl(socket, F_DUPFD_CLOEXEC, 0);
    if (moved < 0) return -1;
    if (dup3(placeholder, socket, O_CLOEXEC) < 0) {
        const int failure = errno;
        close(moved);
        errno = failure;
        return -1;
    }
    // A device that has lost its network sends no reset, so the kernel gives up when data is not acknowledged.
    const int timeout = 30000;
    setsockopt(moved, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout, sizeof timeout);
    return moved;
}

int latchkey_streams_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int latchkey_streams_set(int streams, int socket, uint64_t number, int is_new, int wants_room) {
    struct epoll_event event = {
        .events = EPOLLIN | EPOLLRDHUP | (wants_room ? (uint32_t)EPOLLOUT : 0),
        .data.u64 = number,
    };
    return epoll_ctl(streams, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event);
}

int latchkey_streams_wait(int streams, struct latchkey_stream_event *events, int capacity) {
    struct epoll_event found[64];
    const int count = epoll_wait(streams, found, capacity < 64 ? capacity : 64, -1);
    for (int i = 0; i < count; i++) {
        events[i].number = found[i].data.u64;
        events[i].readable = (found[i].events & (EPOLLIN | EPOLLRDHUP)) != 0;
        events[i].writable = (found[i].events & EPOLLOUT) != 0;
        events[i].broken = (found[i].events & (EPOLLHUP | EPOLLERR)) != 0;
    }
    return count;
}
