public import LatchkeyWire

/// The timeouts, limits, trusted certificates and proxy settings of a ``CurlTransport``.
public struct CurlOptions: Sendable {
    /// The time limit for DNS lookup, connecting and the TLS handshake.
    ///
    /// The default is 5 seconds.
    ///
    /// If this time limit is exceeded, the exchange fails with `timedOut`.
    ///
    /// Limits of less than one millisecond are treated as one millisecond.
    public var connectTimeout: Duration = .seconds(5)

    /// The time limit for a whole exchange, including connecting.
    ///
    /// The default is 15 seconds.
    ///
    /// If this time limit is exceeded, the exchange fails with `timedOut`. The server may or may not have
    /// processed the request.
    ///
    /// Limits of less than one millisecond are treated as one millisecond, and limits of 24 days or more as
    /// no limit.
    public var timeout: Duration = .seconds(15)

    /// The maximum size of a response body in bytes.
    ///
    /// The default is 1 MiB.
    ///
    /// If a body is larger, the exchange fails with `invalidResponse`.
    public var bodyLimit = 1 << 20

    /// The certificates to trust, in PEM format, for servers that use a private certificate authority.
    ///
    /// These certificates replace the system's trusted certificates. If the value is `nil`, the system's
    /// certificates are used.
    ///
    /// To pass several certificates, concatenate them. The host name is verified as usual.
    public var trustedCertificates: String?

    /// The proxy for requests.
    ///
    /// By default, the proxy settings are read from the environment.
    ///
    /// Requests to this machine never use a proxy.
    public var proxy = ProxyChoice.system

    /// Creates options with default values.
    public init() {}
}
