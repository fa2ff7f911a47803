package import LatchkeyModel

/// Options for the connection to a mail server.
package struct SMTPOptions: Sendable {
    /// The encryption of the connection.
    package enum Security: Sendable {
        /// The connection uses TLS from the first byte (RFC 8314).
        case implicit
        /// The connection uses TLS after `STARTTLS`. If the server does not support it, no mail is sent.
        case startTLS
        /// The connection is not encrypted, which is safe only for a server on the same machine.
        case none
    }

    /// The host name or IP address of the mail server.
    package var host: String
    /// The TCP port, usually 465 for implicit TLS and 587 otherwise.
    package var port: Int
    /// The encryption of the connection, which requires at least TLS 1.2 and a valid certificate of the
    /// server unless it is `none`.
    package var security: Security

    /// The user name for authentication; `nil` to send without authentication.
    package var user: String?
    /// The password of ``user``; `nil` sends an empty password.
    package var password: Secret?

    /// The name in the `EHLO` greeting; `nil` uses libcurl's default, which is the name of the machine.
    package var greeting: String?

    /// The time limit for establishing a connection, including TLS.
    ///
    /// An attempt that exceeds the limit fails with a temporary error.
    package var connectTimeout: Duration = .seconds(10)

    /// The time limit for sending one message, including the time to connect.
    package var timeout: Duration = .seconds(30)

    /// The certificates to trust, in PEM format; `nil` trusts the system's certificates.
    package var trustedCertificates: String?

    /// The number of connections, and thus of messages that can be sent concurrently.
    ///
    /// Each connection has its own thread. A number below 1 is treated as 1.
    package var connections = 4

    /// Creates options without authentication for a host name, an IPv4 address, or an IPv6 address without
    /// brackets.
    package init(host: String, port: Int, security: Security) {
        self.host = host
        self.port = port
        self.security = security
    }

    /// The server's address as a URL for libcurl, in which the path is the greeting.
    var url: String {
        let scheme = security == .implicit ? "smtps" : "smtp"
        let shown = host.contains(":") ? "[\(host)]" : host
        return "\(scheme)://\(shown):\(port)/\(greeting ?? "")"
    }
}
