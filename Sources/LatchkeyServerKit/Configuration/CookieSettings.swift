/// Settings for the cookies of browsers.
public struct CookieSettings: Sendable {
    /// The domain whose hosts receive the cookies, or `nil` if only this server receives them.
    ///
    /// With a domain, every host below it can read the cookies and set cookies of its own with their names,
    /// so use it only if you trust all of them.
    public var domain: String?

    /// The name of the session cookie, if there is a ``domain``.
    ///
    /// Without one, the name is `__Host-latchkey_session`, or `latchkey_session` over plain HTTP.
    public var name = "ory_kratos_session"

    /// Creates settings with their default values.
    public init() {}

    /// The configuration settings for cookies.
    package static let settings: [Setting<CookieSettings>] = [
        Setting(
            "cookies.domain",
            member: \.domain,
            kind: .optional(.text),
            summary:
                "The domain whose hosts share the cookies. Every host below it can then read and replace them. By default, only this server receives them."
        ),
        Setting(
            "cookies.name",
            member: \.name,
            kind: .text,
            summary: "The name of the session cookie, if cookies.domain is set."
        ),
    ]

    /// Returns the cookies of the server with the given public URL.
    package func cookies(url: String) -> BrowserCookies {
        BrowserCookies(url: url, domain: domain, sharedName: name)
    }

    /// Returns what is wrong with the settings of a server with the given public URL, with the keys of the settings
    /// that have to be changed.
    package func contradictions(withURL url: String?) -> [(key: String, message: String)] {
        var found: [(key: String, message: String)] = []
        if !Self.isToken(name) || ["__host-", "__secure-"].contains(where: name.lowercased().hasPrefix) {
            found.append(
                (
                    "cookies.name",
                    "must consist of letters, digits, - and _, and not begin with __Host- or __Secure-"
                )
            )
        }
        guard let domain else { return found }
        let host = url.flatMap { ReturnURL($0) }?.host
        if domain.hasPrefix(".") || host.map({ $0 != domain && !$0.hasSuffix("." + domain) }) ?? true {
            found.append(
                ("cookies.domain", "must be the host of url or a domain above it, without a leading dot")
            )
        }
        return found
    }

    private static func isToken(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 64
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
    }
}
