/// The proxy that requests are sent through.
///
/// Requests to this machine (`localhost`, `127.0.0.0/8` and `::1`) are never sent through a proxy. Plain
/// `http` is allowed for requests to this machine because they don't leave it.
public enum ProxyChoice: Hashable, Sendable {
    /// The proxy that the system is configured with.
    ///
    /// On Linux, it is configured by the environment variables `https_proxy`, `http_proxy` and `all_proxy`,
    /// and hosts in `no_proxy` are contacted directly.
    case system

    /// Don't use a proxy, regardless of the system's configuration.
    case none

    /// Use the given proxy for all hosts, such as `http://proxy.example.com:3128` or
    /// `socks5h://127.0.0.1:1080`.
    ///
    /// The URL can contain a user name and a password.
    case url(String)
}

extension ProxyChoice: CustomReflectable {
    /// A mirror for printing, in which a proxy's URL has no user information.
    public var customMirror: Mirror {
        guard case .url(let text) = self else { return Mirror(self, children: [], displayStyle: .enum) }
        let place = text.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        return Mirror(self, children: ["url": String(place)], displayStyle: .enum)
    }
}
