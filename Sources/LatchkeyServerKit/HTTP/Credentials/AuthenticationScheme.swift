package import LatchkeyModel
package import LatchkeyWire

/// An authentication scheme (RFC 9110, section 11.1).
package enum AuthenticationScheme: String, Sendable {
    case basic = "Basic"
    case bearer = "Bearer"
    case dpop = "DPoP"
}

extension HTTP.Request {
    /// Returns the token in the `Authorization` header field if the field uses the given scheme.
    ///
    /// The name of the scheme is case-insensitive, and one or more spaces separate it from the token (RFC
    /// 9110, section 11.4). If there are several such fields, the result is `nil`, because a proxy may have
    /// checked a different one.
    package func token(by scheme: AuthenticationScheme) -> Secret? {
        guard
            let field = headers["Authorization"], let space = field.utf8.firstIndex(of: 0x20),
            String(field[..<space]).equalsIgnoringASCIICase(scheme.rawValue),
            let start = field.utf8[space...].firstIndex(where: { $0 != 0x20 }),
            !headers.repeats("Authorization")
        else { return nil }
        return Secret(String(field[start...]))
    }
}
