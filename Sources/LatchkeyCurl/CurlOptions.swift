public import LatchkeyCore

/// What a ``CurlTransport`` waits for, accepts and trusts.
public struct CurlOptions: Sendable {
    /// How long finding and reaching the host may take, TLS included.
    public var connectTimeout: Duration = .seconds(5)

    /// How long a whole exchange may take.
    public var timeout: Duration = .seconds(15)

    /// The largest body that is accepted, in bytes.
    public var bodyLimit = 1 << 20

    /// The certificates to trust in place of the system's, in PEM; for servers with a private authority.
    public var trustedCertificates: String?

    /// The proxy that requests go through; those to this machine never do.
    public var proxy = ProxyChoice.environment

    /// Creates options with the defaults.
    public init() {}
}
