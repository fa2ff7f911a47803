import LatchkeyModel
import LatchkeyWire

/// The request for a code with which a browser is led to a provider (RFC 6749, section 4.1.1).
struct AuthorizationRequest: Sendable {
    /// The parameters, in order.
    private(set) var parameters: [(String, String)]

    init(_ login: PendingLogin, client: String, options: AuthorizationOptions, languages: [String]) {
        var parameters = [
            ("response_type", "code"), ("client_id", client), ("redirect_uri", login.redirectURI),
            ("scope", login.scopes.sorted().joined(separator: " ")), ("state", login.state.exposed),
            ("nonce", login.nonce.exposed), ("code_challenge", login.verifier.challenge),
            ("code_challenge_method", "S256"),
        ]
        if let prompt = options.prompt { parameters.append(("prompt", prompt.rawValue)) }
        if let maxAge = options.maxAge { parameters.append(("max_age", String(maxAge))) }
        if let hint = options.loginHint { parameters.append(("login_hint", hint)) }
        let locales = options.uiLocales.isEmpty ? languages : options.uiLocales
        if !locales.isEmpty { parameters.append(("ui_locales", locales.joined(separator: " "))) }
        self.parameters = parameters
    }

    /// Binds the code to a key (RFC 9449, section 10).
    ///
    /// - Parameter thumbprint: The thumbprint of the key.
    mutating func bind(to thumbprint: String) {
        parameters.append(("dpop_jkt", thumbprint))
    }

    /// Returns the address of the request.
    func address(at endpoint: WebAddress) -> String {
        Self.address(at: endpoint, parameters)
    }

    /// Returns the address of an endpoint with parameters, which follow those that the endpoint already has.
    static func address(at endpoint: WebAddress, _ parameters: [(String, String)]) -> String {
        let own = endpoint.query.map { [$0] } ?? []
        let added = parameters.map { QueryItems.encode($0.0) + "=" + QueryItems.encode($0.1) }
        return endpoint.origin + endpoint.path + "?" + (own + added).joined(separator: "&")
    }
}
