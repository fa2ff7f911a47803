package import LatchkeyAccounts
import LatchkeyCrypto
package import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The parameters of an authorization request, which may be invalid.
package struct AuthorizationParameters: Sendable {
    /// An error that must not be returned at the redirect URI, because the URI can't be trusted.
    package struct Refusal: Error, Hashable, Sendable {
        /// A sentence for developers.
        package let reason: String

        package init(_ reason: String) { self.reason = reason }
    }

    /// The maximum size of all parameters, in bytes.
    package static let byteLimit = 8192
    private static let longestState = 2048
    private static let longestNonce = 512
    private static let longestHint = 512
    private static let longestLocales = 256

    private let values: [String: String]

    /// Parses a query or a form.
    ///
    /// Parameters with an empty value are treated as missing (RFC 6749, section 3.1).
    ///
    /// - Throws: ``Refusal`` if a parameter is repeated or the text is malformed, because other parsers might
    ///   interpret it differently.
    package init(_ encoded: [UInt8]) throws(Refusal) {
        guard encoded.count <= Self.byteLimit else {
            throw Refusal("The request is larger than \(Self.byteLimit) bytes.")
        }
        let fields: [FormDecoder.Field]
        do {
            fields = try FormDecoder(.strict).decode(encoded)
        } catch {
            throw Refusal("The request is \(error).")
        }
        var values: [String: String] = [:]
        for field in fields {
            guard values.updateValue(field.value, forKey: field.name) == nil else {
                throw Refusal("The request contains a parameter more than once.")
            }
        }
        self.values = values.filter { !$0.value.isEmpty }
    }

    package subscript(name: String) -> String? { values[name] }

    /// Returns the redirect URI of a request for a client.
    ///
    /// - Throws: ``Refusal`` if it is missing or not registered.
    package func redirectURI(of client: OAuthClient) throws(Refusal) -> String {
        guard let requested = self["redirect_uri"] else {
            throw Refusal("The parameter redirect_uri is missing.")
        }
        guard client.metadata.allows(redirectURI: requested) else {
            throw Refusal("The redirect_uri is not registered for this client.")
        }
        return requested
    }

    /// Returns the request, whose redirect URI was found to be registered.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - redirectURI: The redirect URI.
    ///   - subject: The account that `id_token_hint` names, or `nil` if there is no such parameter.
    ///   - isKnown: Returns whether the server has a scope.
    /// - Returns: The valid request.
    /// - Throws: ``AuthorizationError``, which is returned at the redirect URI.
    package func request(
        of client: OAuthClient,
        redirectURI: String,
        subject: Identifier?,
        isKnown: (String) -> Bool
    ) throws(AuthorizationError) -> AuthorizationRequest {
        guard client.metadata.grantTypes.contains(.authorizationCode) else {
            throw AuthorizationError(
                .unauthorizedClient,
                reason: "The client is not registered for the grant type authorization_code."
            )
        }
        guard let type = self["response_type"] else { throw Self.missing("response_type") }
        guard type == "code" else {
            throw AuthorizationError(.unsupportedResponseType, reason: "The response_type must be code.")
        }
        guard [nil, "query"].contains(self["response_mode"]) else {
            throw Self.invalid("The response_mode must be query.")
        }
        guard self["request"] == nil else {
            throw AuthorizationError(.requestNotSupported, reason: "The parameter request is not supported.")
        }
        guard self["registration"] == nil else {
            throw AuthorizationError(
                .registrationNotSupported,
                reason: "The parameter registration is not supported."
            )
        }
        return AuthorizationRequest(
            clientID: client.id,
            redirectURI: redirectURI,
            scopes: try scopes(of: client, isKnown: isKnown),
            state: try text("state", atMost: Self.longestState),
            nonce: try text("nonce", atMost: Self.longestNonce),
            challenge: try challenge(of: client),
            prompts: try prompts(),
            maxAge: try maxAge(),
            subject: subject,
            loginHint: self["login_hint"].flatMap { $0.utf8.count <= Self.longestHint ? $0 : nil },
            uiLocales: self["ui_locales"].flatMap { $0.utf8.count <= Self.longestLocales ? $0 : nil },
            keyThumbprint: try keyThumbprint()
        )
    }

    // MARK: Parameters

    private func scopes(
        of client: OAuthClient,
        isKnown: (String) -> Bool
    ) throws(AuthorizationError) -> [String] {
        let requested = [String](scopes: self["scope"] ?? "")
        let scopes = requested.filter { client.metadata.scopes.contains($0) && isKnown($0) }
        guard !scopes.isEmpty else {
            throw AuthorizationError(
                .invalidScope,
                reason: "The request contains no scope that the client is registered for."
            )
        }
        return scopes
    }

    private func challenge(of client: OAuthClient) throws(AuthorizationError) -> CodeChallenge? {
        guard let text = self["code_challenge"] else {
            guard self["code_challenge_method"] == nil else { throw Self.missing("code_challenge") }
            guard client.metadata.own.pkce == .optional, client.metadata.isConfidential else {
                throw Self.missing("code_challenge")
            }
            guard self["nonce"] != nil else {
                throw Self.invalid("The request needs a code_challenge or a nonce.")
            }
            return nil
        }
        guard self["code_challenge_method"] == "S256" else {
            throw Self.invalid("The code_challenge_method must be S256.")
        }
        guard let challenge = CodeChallenge(text) else {
            throw Self.invalid("The code_challenge must have 43 characters of base64url.")
        }
        return challenge
    }

    private func prompts() throws(AuthorizationError) -> Set<AuthorizationRequest.Prompt> {
        var prompts: Set<AuthorizationRequest.Prompt> = []
        for word in [String](scopes: self["prompt"] ?? "") {
            guard let prompt = AuthorizationRequest.Prompt(rawValue: word) else {
                throw Self.invalid("The parameter prompt contains an unknown value.")
            }
            prompts.insert(prompt)
        }
        guard prompts.count == 1 || !prompts.contains(.none) else {
            throw Self.invalid("The prompt none can't be combined with others.")
        }
        return prompts
    }

    private func maxAge() throws(AuthorizationError) -> Int64? {
        guard let text = self["max_age"] else { return nil }
        guard text.utf8.count <= 10, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let seconds = Int64(text), seconds <= 1 << 31
        else { throw Self.invalid("The max_age must be a number of seconds.") }
        return seconds
    }

    private func keyThumbprint() throws(AuthorizationError) -> String? {
        guard let text = self["dpop_jkt"] else { return nil }
        // A thumbprint has the form of a challenge: a SHA-256 hash in base64url.
        guard CodeChallenge(text) != nil else {
            throw Self.invalid("The dpop_jkt must be a SHA-256 JWK thumbprint in base64url.")
        }
        return text
    }

    private func text(_ name: String, atMost limit: Int) throws(AuthorizationError) -> String? {
        guard let text = self[name] else { return nil }
        guard text.utf8.count <= limit else {
            throw Self.invalid("The parameter \(name) is longer than \(limit) bytes.")
        }
        return text
    }

    private static func missing(_ name: String) -> AuthorizationError {
        invalid("The parameter \(name) is missing.")
    }

    private static func invalid(_ reason: String) -> AuthorizationError {
        AuthorizationError(.invalidRequest, reason: reason)
    }
}
