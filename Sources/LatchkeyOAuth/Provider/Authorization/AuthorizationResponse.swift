package import LatchkeyModel
import LatchkeyWire

/// The parameters that are added to the client's redirect URI (RFC 6749, section 4.1.2).
package struct AuthorizationResponse: Sendable {
    private let redirectURI: String
    private let state: String?
    private let issuer: String

    /// Creates the response to a request.
    ///
    /// - Parameters:
    ///   - redirectURI: The registered redirect URI of the request.
    ///   - state: The client's `state`, which is returned as it was sent.
    ///   - issuer: The `iss` parameter (RFC 9207).
    package init(to redirectURI: String, state: String?, issuer: String) {
        (self.redirectURI, self.state, self.issuer) = (redirectURI, state, issuer)
    }

    /// Returns the address that leads to the client with a code.
    package func address(with code: Secret) -> String {
        address([("code", code.exposed)])
    }

    /// Returns the address that leads to the client with an error.
    package func address(with error: AuthorizationError) -> String {
        address([("error", error.code.rawValue), ("error_description", error.reason)])
    }

    private func address(_ items: [(String, String)]) -> String {
        let all = items + (state.map { [("state", $0)] } ?? []) + [("iss", issuer)]
        let query = all.map { $0.0 + "=" + QueryItems.encode($0.1) }.joined(separator: "&")
        guard redirectURI.contains("?") else { return redirectURI + "?" + query }
        return redirectURI + (redirectURI.hasSuffix("?") || redirectURI.hasSuffix("&") ? "" : "&") + query
    }
}
