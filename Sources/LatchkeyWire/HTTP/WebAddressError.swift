/// The reason why a text isn't a usable web address.
///
/// The reasons don't contain any part of the address, because its user information or its query may be
/// secret.
package enum WebAddressError: Error, Hashable, Sendable, CaseIterable {
    case whiteSpace
    case noScheme
    case unknownScheme
    case notConfidential
    case userInformation
    case noHost
    case hostNotASCII
    case host
    case port
    case notASCII
    case character
    case percentEncoding
    case fragment
    case notOrigin
    case query
    case path

    /// Returns an error message.
    ///
    /// - Parameter subject: The name of the address at the beginning of a sentence, such as `The server URL`.
    /// - Returns: One or two sentences for developers.
    package func message(about subject: String) -> String { "\(subject) \(reason)" }

    private var reason: String {
        switch self {
        case .whiteSpace: "contains white space or a control character. Remove it or percent-encode it."
        case .noScheme: "has no scheme. It must be absolute, such as https://id.example.com."
        case .unknownScheme: "has a scheme that is not supported. It must start with https://."
        case .notConfidential:
            "must start with https://, because credentials are sent to it. http:// is allowed only for this "
                + "machine. To reach a development server on another machine, forward a local port to it and "
                + "use http://127.0.0.1 with that port."
        case .userInformation:
            "contains user information before an \"@\". Remove it, because credentials must not be part of "
                + "the address."
        case .noHost: "has no host."
        case .hostNotASCII:
            "has a host with characters outside of ASCII. Use the host's ASCII form, which starts with xn--."
        case .host:
            "has an invalid host. It must be a host name, an IPv4 address or an IPv6 address in brackets."
        case .port: "has an invalid port. It must be a number from 1 to 65535."
        case .notASCII: "contains characters outside of ASCII. Percent-encode them."
        case .character: "contains a character that is not allowed in URLs. Percent-encode it."
        case .percentEncoding: "has a \"%\" that is not followed by two hexadecimal digits. Write it as %25."
        case .fragment: "must not have a fragment, which is the part after \"#\"."
        case .notOrigin:
            "must not have a path, a query or a trailing slash. Include the path in the request instead."
        case .query: "must not have a query, which is the part after \"?\"."
        case .path:
            "has a path with an empty segment, a dot segment or a character that is not allowed in paths."
        }
    }
}
