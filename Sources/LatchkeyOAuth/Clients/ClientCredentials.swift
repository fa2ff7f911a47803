package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit
package import LatchkeyWire

/// The client id and the secret in a request (RFC 6749, section 2.3.1).
package struct ClientCredentials: Sendable {
    package let clientID: String
    /// How the client authenticates.
    package let method: ClientMetadata.AuthenticationMethod
    /// The secret, or `nil` for the method `none`.
    package let secret: Secret?

    /// Reads the credentials of a request.
    ///
    /// - Parameters:
    ///   - headers: The header fields of the request.
    ///   - clientID: The parameter `client_id` in the body, or `nil` if it is missing or empty.
    ///   - secret: The parameter `client_secret` in the body, or `nil` if it is missing or empty.
    /// - Throws: ``OAuthError`` with the code `invalidRequest` if there are no credentials, more than one kind
    ///   of credentials or different client ids, or `invalidClient` if the header field is malformed.
    package init(
        headers: HTTP.Headers,
        clientID: String?,
        secret: String?
    ) throws(OAuthError) {
        guard headers["Authorization"] != nil else {
            guard let clientID else {
                throw OAuthError(.invalidRequest, reason: "The parameter client_id is missing.")
            }
            self.clientID = clientID
            method = secret == nil ? .none : .post
            self.secret = secret.map { Secret($0) }
            return
        }
        guard !headers.repeats("Authorization"), secret == nil else {
            throw OAuthError(
                .invalidRequest,
                reason: "The request uses more than one method of client authentication."
            )
        }
        let request = HTTP.Request(.post, "/", headers: headers)
        guard let token = request.token(by: .basic), let (id, password) = Self.basic(token.exposed) else {
            throw Self.refusal(challenge: .basic)
        }
        guard clientID == nil || clientID == id else {
            throw OAuthError(
                .invalidRequest,
                reason: "The parameter client_id differs from the client in the Authorization header field."
            )
        }
        self.clientID = id
        method = .basic
        self.secret = Secret(password)
    }

    /// The error for a client that couldn't be authenticated, which doesn't say why.
    var refusal: OAuthError { Self.refusal(challenge: method == .basic ? .basic : nil) }

    private static func refusal(challenge: AuthenticationChallenge?) -> OAuthError {
        OAuthError(
            .invalidClient,
            reason: "Client authentication failed.",
            status: 401,
            headers: challenge.map { .challenge($0) } ?? [:]
        )
    }

    /// Decodes the credentials of the scheme `Basic`, of which both are form-encoded before they are joined.
    private static func basic(_ token: String) -> (id: String, secret: String)? {
        let padding = token.utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding == 0 || token.utf8.count % 4 == 0, padding <= 2, !token.contains("-"),
            !token.contains("_")
        else { return nil }
        let text = token.dropLast(padding).replacing("+", with: "-").replacing("/", with: "_")
        guard let bytes = Base64URL.decode(text), let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let id = decoded(bytes[..<colon]), let secret = decoded(bytes[(colon + 1)...]), !id.isEmpty
        else { return nil }
        return (id, secret)
    }

    private static func decoded(_ encoded: ArraySlice<UInt8>) -> String? {
        // The separators of a form would be read as several fields.
        guard !encoded.contains(UInt8(ascii: "&")), !encoded.contains(UInt8(ascii: "=")) else { return nil }
        guard !encoded.isEmpty else { return "" }
        return try? FormDecoder(.strict).decode(Array(encoded)).first?.name
    }
}
