#pragma once
#include <stdint.h>
#include <sys/types.h>
#include <sys/socket.h>
#include <microhttpd.h>

/// The callbacks that the library calls; all of them except `refused` receive `context`.
struct latchkey_mhd_callbacks {
    void *context;
    MHD_AccessHandlerCallback request;
    void *(*target)(void *context, const char *target, struct MHD_Connection *connection);
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
    /// Responds to a request that the library itself rejects, and shuts down the sending side of the socket.
    void (*refused)(struct MHD_Connection *connection, unsigned status);
};

/// The limits that the library enforces.
struct latchkey_mhd_limits {
    unsigned threads;
    unsigned connections;
    size_t connection_memory;
};

/// Starts a daemon that polls with epoll on its own threads; the caller accepts its connections.
struct MHD_Daemon *latchkey_mhd_start(const struct latchkey_mhd_callbacks *callbacks,
                                      const struct latchkey_mhd_limits *limits);

/// Queues a response. Do not call MHD_queue_response instead: it is overridden to intercept the responses
/// with which the library rejects requests.
enum MHD_Result latchkey_mhd_queue(struct MHD_Connection *connection, unsigned status,
                                   struct MHD_Response *response);

// MHD_get_connection_info is variadic, so each kind of information has its own function here.
void *latchkey_mhd_context(struct MHD_Connection *connection);
int latchkey_mhd_socket(struct MHD_Connection *connection);
size_t latchkey_mhd_header_size(struct MHD_Connection *connection);

/// Returns the peer's address, or NULL if there is none.
const struct sockaddr *latchkey_mhd_address(struct MHD_Connection *connection);

/// Opens a listening, non-blocking socket. Returns -1 and sets errno if that fails, or -2 if the address
/// cannot be resolved.
int latchkey_listen(const char *address, int port, int backlog);

/// Returns the port to which a socket is bound.
int latchkey_bound_port(int socket);

/// Accepts the next connection with the socket flags that MHD_add_connection requires; returns -1 and sets
/// errno if that fails.
int latchkey_accept(int listener, struct sockaddr_storage *address, socklen_t *length);

// These functions neither block nor raise SIGPIPE. Not every build of Swift's Glibc module exposes the
// necessary flags.
ssize_t latchkey_send_now(int socket, const void *bytes, size_t count);
ssize_t latchkey_receive_now(int socket, void *bytes, size_t count);
ssize_t latchkey_peek_now(int socket, void *bytes, size_t count);

/// Writes the current time as an HTTP date and returns the length of the text (29).
size_t latchkey_http_date(char *text, size_t capacity);

/// Creates a connected pair of non-blocking sockets, one of which takes the place of a detached socket; returns -1 and
/// sets errno if that fails.
int latchkey_socket_pair(int pair[2]);

/// Moves a socket to a new descriptor and leaves a duplicate of `placeholder` under the old one, so that the library
/// closes the duplicate. The library must not have the socket in its epoll set, so its connection must be suspended.
/// Returns the new descriptor, or -1 and sets errno.
int latchkey_detach(int socket, int placeholder);

/// An event of a detached socket.
struct latchkey_stream_event {
    /// The number with which the socket was added.
    uint64_t number;
    /// Whether the socket has input, has room for output, or is broken.
    int readable, writable, broken;
};

/// Creates an epoll instance; returns -1 and sets errno if that fails.
int latchkey_streams_create(void);

/// Adds a socket, or changes whether its events include room for output. Returns -1 and sets errno if that fails.
int latchkey_streams_set(int streams, int socket, uint64_t number, int is_new, int wants_room);

/// Waits for events; returns their number, or -1 and sets errno.
int latchkey_streams_wait(int streams, struct latchkey_stream_event *events, int capacity);
