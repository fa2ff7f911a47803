import LatchkeyServerKit

extension MemberReader {
    /// Texts that Hydra only returns if they aren't empty.
    private static let texts = [
        "sector_identifier_uri", "jwks_uri", "frontchannel_logout_uri", "backchannel_logout_uri",
    ]
    /// Algorithms that have no effect here, except that a client can't ask for unsigned data.
    private static let algorithms = ["token_endpoint_auth_signing_alg", "request_object_signing_alg"]
    private static let flags = [
        "frontchannel_logout_session_required", "backchannel_logout_session_required",
    ]

    /// Reads the members of Hydra's clients that have no effect on this server.
    ///
    /// - Throws: ``ServerError`` with status 400 if a value has the wrong type, or if it would allow
    ///   something that this server doesn't.
    mutating func membersWithoutEffect() throws(ServerError) {
        _ = try texts("contacts", atMost: 512)
        try fixed("subject_type", to: "public")
        for name in Self.texts { try nonemptyText(name) }
        for name in Self.algorithms {
            try nonemptyText(name) { $0 == "none" ? "must not be none." : nil }
        }
        if let value = value("request_uris"), value != .array([]) {
            throw refusal("request_uris", because: "is not supported; use pushed authorization requests.")
        }
        let userinfo = try text("userinfo_signed_response_alg", atMost: 128, else: "none")
        add("userinfo_signed_response_alg", as: .string(userinfo))
        for name in Self.flags {
            if let flag = try optionalBool(name) { add(name, as: .bool(flag)) }
        }
        add("skip_logout_consent", as: try optionalBool("skip_logout_consent").map { .bool($0) } ?? .null)
        try nonemptyText("access_token_strategy") {
            ["jwt", "opaque"].contains($0) ? nil : "must be jwt or opaque."
        }
        for name in ["jwks", "metadata"] {
            let object = value(name) ?? .object([])
            guard case .object = object else { throw refusal(name, because: "must be an object.") }
            add(name, as: object)
        }
        add("client_secret_expires_at", as: .integer(0))
    }

    private mutating func fixed(_ name: String, to usual: String) throws(ServerError) {
        guard try text(name, atMost: 128, else: usual) == usual else {
            throw refusal(name, because: "must be \(usual).")
        }
        add(name, as: .string(usual))
    }

    private mutating func text(
        _ name: String,
        atMost limit: Int,
        else usual: String
    ) throws(ServerError) -> String {
        let text = try optionalText(name, atMost: limit) ?? ""
        return text.isEmpty ? usual : text
    }

    /// Reads a text, and adds it unless it is empty.
    ///
    /// The closure returns the reason for rejecting the text, or `nil`.
    private mutating func nonemptyText(
        _ name: String,
        check: (String) -> String? = { _ in nil }
    ) throws(ServerError) {
        let text = try text(name, atMost: RedirectURI.byteLimit, else: "")
        guard !text.isEmpty else { return }
        if let reason = check(text) { throw refusal(name, because: reason) }
        add(name, as: .string(text))
    }
}
