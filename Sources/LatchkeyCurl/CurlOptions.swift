public import LatchkeyWire

/// The timeouts, limits, trusted certificates and proxy of a ``CurlTransport``.
public struct CurlOptions: Sendable {
    /// The time limit for name lookup, connection and TLS handshake; 5 seconds by default.
    ///
    /// An exchange that exceeds this limit fails with `timedOut`.
    ///
    /// A limit of less than one millisecond is treated as one millisecond.
    public var connectTimeout: Duration = .seconds(5)

    /// The time limit for a whole exchange, including the connection; 15 seconds by default.
    ///
    /// An exchange that exceeds this limit fails with `timedOut`, and the server may or may not have
    /// processed the request.
    ///
    /// A limit of less than one millisecond is treated as one millisecond.
    public var timeout: Duration = .seconds(15)

    /// The maximum size of a response body in bytes; 1 MiB by default.
    ///
    /// A larger body fails with `invalidAnswer`.
    public var bodyLimit = 1 << 20

    /// The certificates to trust, in PEM, for servers with a private certificate authority.
    ///
    /// These certificates replace the system's certificates rather than adding to them. If the value is
    /// `nil`, the system's certificates are trusted.
    ///
    /// To pass several certificates, concatenate their texts. The host name is verified as usual.
    public var trustedCertificates: String?

    /// The proxy to use for requests, which the environment specifies by default.
    ///
    /// Requests to this machine never use a proxy.
    public var proxy = ProxyChoice.environment

    /// Creates options with their default values.
    public init() {}
}
