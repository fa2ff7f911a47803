import LatchkeyModel
import LatchkeyWire

/// A provider's response at the app's redirect address (RFC 6749, sections 4.1.2 and 4.1.2.1).
struct AuthorizationResponse: Hashable, Sendable {
    /// The answer to the request.
    enum Answer: Hashable, Sendable {
        /// The code that is redeemed for tokens.
        case code(Secret)
        /// The code of an error, and its description for developers.
        case error(String, description: String?)
    }

    /// The redirect URI of the app to which the provider has led the browser.
    let redirectURI: String
    /// The `state` of the request.
    let state: Secret
    /// The provider that has answered (RFC 9207), or `nil` if the response doesn't name it.
    let issuer: String?
    let answer: Answer

    /// Reads the parameters of a response.
    ///
    /// Any program can open the app's redirect address, so a response has an effect only if its state is that of a
    /// pending request.
    ///
    /// Returns `nil` if the query can't be decoded, if a parameter is repeated, if there is no `state`, or if
    /// there isn't exactly one of `code` and `error`.
    ///
    /// - Parameters:
    ///   - query: The query of the URL.
    ///   - redirectURI: The redirect URI that the URL leads to.
    init?(query: String, at redirectURI: String) {
        let items = QueryItems(query)
        guard items.failure == nil, Set(items.names).count == items.names.count,
            let state = items["state"], !state.isEmpty
        else { return nil }
        switch (items["code"], items["error"]) {
        case (let code?, nil) where !code.isEmpty: answer = .code(Secret(code))
        case (nil, let error?) where !error.isEmpty:
            answer = .error(error, description: items["error_description"])
        default: return nil
        }
        self.redirectURI = redirectURI
        self.state = Secret(state)
        issuer = items["iss"]
    }
}
