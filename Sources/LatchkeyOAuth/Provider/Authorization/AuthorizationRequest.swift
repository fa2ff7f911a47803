package import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// A valid authorization request (RFC 6749, section 4.1.1; OpenID Connect Core, section 3.1.2.1).
package struct AuthorizationRequest: Hashable, Sendable {
    /// A value of the parameter `prompt`.
    package enum Prompt: String, Sendable, CaseIterable {
        case none, login, consent, create
        case selectAccount = "select_account"
    }

    package let clientID: String
    /// The redirect URI as it was requested, including its port.
    package let redirectURI: String
    /// The requested scopes that the client is registered for.
    package let scopes: [String]
    package let state: String?
    package let nonce: String?
    /// The code challenge, or `nil` if the client needs none.
    package let challenge: CodeChallenge?
    package let prompts: Set<Prompt>
    /// The maximum age of the login, in seconds.
    package let maxAge: Int64?
    /// The account that the request is about, from `id_token_hint`.
    package let subject: Identifier?
    package let loginHint: String?
    package let uiLocales: String?
    /// The JWK thumbprint of the key that must redeem the code (RFC 9449, section 10).
    package private(set) var keyThumbprint: String?

    /// Returns the request, bound to the key that must redeem the code.
    func bound(to keyThumbprint: String) -> AuthorizationRequest {
        var request = self
        request.keyThumbprint = keyThumbprint
        return request
    }
}

extension AuthorizationRequest {
    /// The request as JSON, as it is stored.
    package var json: [UInt8] {
        var writer = JSONWriter(reserving: 1024)
        writer.object { writer in
            func write(_ name: StaticString, as text: String?) {
                guard let text else { return }
                writer.name(name)
                writer.string(text)
            }
            write("client_id", as: clientID)
            write("redirect_uri", as: redirectURI)
            write("scope", as: scopes.scopeText)
            write("state", as: state)
            write("nonce", as: nonce)
            write("code_challenge", as: challenge?.text)
            write(
                "prompt",
                as: prompts.isEmpty ? nil : prompts.map(\.rawValue).sorted().joined(separator: " ")
            )
            if let maxAge {
                writer.name("max_age")
                writer.integer(maxAge)
            }
            write("subject", as: subject?.description)
            write("login_hint", as: loginHint)
            write("ui_locales", as: uiLocales)
            write("dpop_jkt", as: keyThumbprint)
        }
        return writer.bytes
    }

    /// Reads a stored request.
    ///
    /// Returns `nil` if the bytes aren't those of ``json``.
    package init?(json: [UInt8]) {
        guard let value = try? JSONParser.parse(json) else { return nil }
        func text(_ name: String) -> String? {
            if case .string(let text)? = value[name] { text } else { nil }
        }
        guard let clientID = text("client_id"), let redirectURI = text("redirect_uri") else { return nil }
        self.clientID = clientID
        self.redirectURI = redirectURI
        scopes = [String](scopes: text("scope") ?? "")
        state = text("state")
        nonce = text("nonce")
        challenge = text("code_challenge").flatMap { CodeChallenge($0) }
        prompts = Set(
            (text("prompt") ?? "").split(separator: " ").compactMap { Prompt(rawValue: String($0)) }
        )
        if case .integer(let seconds)? = value["max_age"] { maxAge = seconds } else { maxAge = nil }
        subject = text("subject").flatMap { Identifier($0) }
        loginHint = text("login_hint")
        uiLocales = text("ui_locales")
        keyThumbprint = text("dpop_jkt")
    }

    /// The request with the query of a URL, as pages and APIs show it.
    ///
    /// The values that only concern the client are left out: the state, the nonce and the challenge.
    func url(below base: String) -> String {
        let items: [(String, String)?] = [
            ("client_id", clientID), ("redirect_uri", redirectURI), ("response_type", "code"),
            ("scope", scopes.scopeText),
            prompts.isEmpty ? nil : ("prompt", prompts.map(\.rawValue).sorted().joined(separator: " ")),
            maxAge.map { ("max_age", String($0)) }, uiLocales.map { ("ui_locales", $0) },
        ]
        let query = items.compactMap { $0.map { $0.0 + "=" + QueryItems.encode($0.1) } }
        return base + Route.authorization + "?" + query.joined(separator: "&")
    }
}
