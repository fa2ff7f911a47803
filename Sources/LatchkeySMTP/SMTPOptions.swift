package import LatchkeyModel

/// Options for the connection to a mail server.
package struct SMTPOptions: Sendable {
    /// How the connection is encrypted.
    package enum Security: Sendable {
        /// The connection uses TLS from the first byte (RFC 8314).
        case implicit
        /// The connection is upgraded to TLS with `STARTTLS`. If the server doesn't support `STARTTLS`, no
        /// mail is sent.
        case startTLS
        /// The connection isn't encrypted. Use this only if the server runs on the same machine.
        case none
    }

    /// The host name or IP address of the mail server.
    package var host: String
    /// The TCP port, usually 465 for implicit TLS and 587 otherwise.
    package var port: Int
    /// How the connection is encrypted.
    ///
    /// Unless the encryption is `none`, the server must support TLS 1.2 or later and present a valid
    /// certificate.
    package var security: Security

    /// The user name for authentication, or `nil` to send mail without authentication.
    package var user: String?
    /// The password for ``user``.
    ///
    /// If `nil`, an empty password is sent.
    package var password: Secret?

    /// The name to send in the `EHLO` greeting.
    ///
    /// If `nil`, libcurl uses the name of the machine.
    package var greeting: String?

    /// The maximum time to wait for a connection, including the TLS handshake.
    ///
    /// If the limit is exceeded, the message fails with a temporary error.
    package var connectTimeout: Duration = .seconds(10)

    /// The maximum time to spend on sending a message, including the time to connect.
    package var timeout: Duration = .seconds(30)

    /// The certificates to trust, in PEM format.
    ///
    /// If `nil`, the system's certificates are trusted.
    package var trustedCertificates: String?

    /// The number of connections, which is also the number of messages that can be sent at the same time.
    ///
    /// Each connection has its own thread. Values below 1 are treated as 1.
    package var connections = 4

    /// Creates options without authentication.
    ///
    /// `host` can be a host name, an IPv4 address, or an IPv6 address without brackets.
    package init(host: String, port: Int, security: Security) {
        self.host = host
        self.port = port
        self.security = security
    }

    /// The server's address as a URL for libcurl.
    ///
    /// libcurl uses the path of the URL as the host name that it sends to greet the server.
    var url: String {
        let scheme = security == .implicit ? "smtps" : "smtp"
        let shown = host.contains(":") ? "[\(host)]" : host
        return "\(scheme)://\(shown):\(port)/\(greeting ?? "")"
    }
}
