public import LatchkeyWire

/// The timeouts, limits, trusted certificates and proxy of a ``CurlTransport``.
public struct CurlOptions: Sendable {
    /// The time limit for name lookup, connection and TLS handshake; 5 seconds by default.
    ///
    /// An exchange that exceeds it fails with `timedOut`.
    ///
    /// A time of less than one millisecond counts as one.
    public var connectTimeout: Duration = .seconds(5)

    /// The time limit for a whole exchange, connection included; 15 seconds by default.
    ///
    /// An exchange that exceeds it fails with `timedOut`; whether the server has processed the request is
    /// then unknown.
    ///
    /// A time of less than one millisecond counts as one.
    public var timeout: Duration = .seconds(15)

    /// The maximum size of a response body in bytes, 1 MiB by default.
    ///
    /// A larger body fails with `invalidAnswer`.
    public var bodyLimit = 1 << 20

    /// Certificates to trust in place of the system's, in PEM, for servers of a private certificate
    /// authority; `nil` trusts those of the system.
    ///
    /// They replace the certificates of the system and do not add to them.
    ///
    /// Several certificates are concatenated. The host name is verified as usual.
    public var trustedCertificates: String?

    /// The proxy of the requests, by default that of the environment.
    ///
    /// Requests to this machine never use a proxy.
    public var proxy = ProxyChoice.environment

    /// Creates options with the defaults.
    public init() {}
}
