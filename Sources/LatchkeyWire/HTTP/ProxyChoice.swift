/// The proxy that requests go through.
///
/// Requests to this machine (`localhost`, `127.0.0.0/8`, `::1`) never go through a proxy. Plain `http` is
/// allowed for them only because they do not leave the machine.
public enum ProxyChoice: Hashable, Sendable {
    /// The proxy configured in the environment: `https_proxy`, `http_proxy` and `all_proxy`, except for hosts
    /// in `no_proxy`.
    case environment

    /// No proxy, regardless of the environment.
    case none

    /// One proxy for all hosts, such as `http://proxy.example.com:3128` or `socks5h://127.0.0.1:1080`.
    ///
    /// The URL may contain a user and a password.
    case url(String)
}
