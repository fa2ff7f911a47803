package import LatchkeyModel

/// How mail is handed to a mail server.
package struct SMTPOptions: Sendable {
    /// How the connection becomes secret.
    package enum Security: Sendable {
        /// TLS from the first byte (RFC 8314).
        case implicit
        /// TLS after `STARTTLS`; without it nothing is sent.
        case startTLS
        /// Not at all; for a server on the same machine.
        case none
    }

    package var host: String
    package var port: Int
    package var security: Security

    /// Who hands in the mail, where the server wants to know.
    package var user: String?
    package var password: Secret?

    /// What the server introduces itself as; nothing for the machine's name.
    package var greeting: String?

    /// How long reaching the server may take, TLS included.
    package var connectTimeout: Duration = .seconds(10)

    /// How long one mail may take, the connection included.
    package var timeout: Duration = .seconds(30)

    /// The certificates to trust in place of the system's, in PEM.
    package var trustedCertificates: String?

    /// How many mails are handed in at once, over a connection each.
    package var connections = 4

    package init(host: String, port: Int, security: Security) {
        self.host = host
        self.port = port
        self.security = security
    }

    /// The address as libcurl takes it; its path is the greeting.
    var url: String {
        let scheme = security == .implicit ? "smtps" : "smtp"
        let shown = host.contains(":") ? "[\(host)]" : host
        return "\(scheme)://\(shown):\(port)/\(greeting ?? "")"
    }
}
