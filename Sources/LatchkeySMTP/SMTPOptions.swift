package import LatchkeyModel

/// Options of the connection to a mail server.
package struct SMTPOptions: Sendable {
    /// The encryption of the connection.
    package enum Security: Sendable {
        /// TLS from the first byte (RFC 8314).
        case implicit
        /// TLS after `STARTTLS`; without it no mail is sent.
        case startTLS
        /// No encryption; for a server on the same machine.
        case none
    }

    /// The host name or IP address of the mail server.
    package var host: String
    /// The TCP port, usually 465 for implicit TLS and 587 otherwise.
    package var port: Int
    /// The encryption; TLS is at least version 1.2, and the certificate of the server is verified.
    package var security: Security

    /// The user name for authentication; `nil` to send without authentication.
    package var user: String?
    /// The password of ``user``; `nil` sends an empty one.
    package var password: Secret?

    /// The name in the `EHLO` greeting; `nil` for libcurl's default, the name of the machine.
    package var greeting: String?

    /// The time limit for establishing a connection, including TLS.
    ///
    /// An attempt that exceeds it fails temporarily.
    package var connectTimeout: Duration = .seconds(10)

    /// The time limit for one mail, including the connection.
    package var timeout: Duration = .seconds(30)

    /// Certificates in PEM that are trusted instead of the system's; `nil` for the system's.
    package var trustedCertificates: String?

    /// The number of connections, and thus of mails that are sent concurrently.
    ///
    /// Each has a thread of its own; a number below 1 counts as 1.
    package var connections = 4

    /// Creates options without authentication; an IPv6 address is passed without brackets.
    package init(host: String, port: Int, security: Security) {
        self.host = host
        self.port = port
        self.security = security
    }

    /// The server's address as a URL for libcurl; its path is the greeting.
    var url: String {
        let scheme = security == .implicit ? "smtps" : "smtp"
        let shown = host.contains(":") ? "[\(host)]" : host
        return "\(scheme)://\(shown):\(port)/\(greeting ?? "")"
    }
}
