#pragma once
#include <stdint.h>
#include <sys/types.h>
#include <sys/socket.h>
#include <microhttpd.h>

/// What the library calls back; `context` is handed to all of them.
struct latchkey_mhd_callbacks {
    void *context;
    MHD_AccessHandlerCallback request;
    void *(*target)(void *context, const char *target, struct MHD_Connection *connection);
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
    /// Answers a request that the library itself finds wrong, and ends the sending side of the socket.
    void (*refused)(struct MHD_Connection *connection, unsigned status);
};

/// What the library itself bounds.
struct latchkey_mhd_limits {
    unsigned threads;
    unsigned connections;
    size_t connection_memory;
};

/// Starts a daemon that polls with epoll on threads of its own and is handed its connections.
struct MHD_Daemon *latchkey_mhd_start(const struct latchkey_mhd_callbacks *callbacks,
                                      const struct latchkey_mhd_limits *limits);

/// Queues an answer; MHD_queue_response is what the library calls for refusals of its own.
enum MHD_Result latchkey_mhd_queue(struct MHD_Connection *connection, unsigned status,
                                   struct MHD_Response *response);

// MHD_get_connection_info is variadic, so each question has a function here.
void *latchkey_mhd_context(struct MHD_Connection *connection);
int latchkey_mhd_socket(struct MHD_Connection *connection);
size_t latchkey_mhd_header_size(struct MHD_Connection *connection);

/// The network of an address, by which connections are counted: an IPv4 address, or 64 or fewer first bits of an IPv6
/// address.
uint64_t latchkey_network(const struct sockaddr *address, int bits);

/// The peer's address; NULL where there is none.
const struct sockaddr *latchkey_mhd_address(struct MHD_Connection *connection);

/// Writes the peer's address as text and returns its port; the text is empty where there is none.
int latchkey_mhd_peer(struct MHD_Connection *connection, char *host, size_t capacity);

/// Opens a listening, non-blocking socket; -1 with errno, or -2 when the address cannot be resolved.
int latchkey_listen(const char *address, int port, int backlog);

/// The port that a socket is bound to.
int latchkey_bound_port(int socket);

/// Refuses new connections from when it returns; the descriptor stays open.
void latchkey_stop_listening(int listener);

/// Takes the next connection as MHD_add_connection wants it; -1 with errno.
int latchkey_accept(int listener, struct sockaddr_storage *address, socklen_t *length);

// Without waiting and without a signal; the flags that say so are not visible in every build of Swift's Glibc module.
ssize_t latchkey_send_now(int socket, const void *bytes, size_t count);
ssize_t latchkey_receive_now(int socket, void *bytes, size_t count);
ssize_t latchkey_peek_now(int socket, void *bytes, size_t count);

/// Writes the time now as an HTTP date and returns its length (29).
size_t latchkey_http_date(char *text, size_t capacity);
