import LatchkeyModel
import LatchkeyWire

extension FuzzTarget {
    /// Fuzzes the parsers for responses that a client receives.
    static let wire = FuzzTarget(
        name: "wire",
        summary: "Data that a client reads: flows, sessions, errors, tokens, queries and header fields.",
        words: words + ["\"node_type\":\"input\"", "\"node_type\":\"a\"", "2026-11-21T08:11:20.400543Z"]
    ) { bytes in
        let input = FuzzInput(bytes)
        try input.choose(from: readers)(input)
    }

    private static let words = [
        "id", "type", "ui", "nodes", "messages", "attributes", "meta", "label", "state", "active", "action",
        "method", "group", "name", "value", "text", "context", "error", "code", "reason", "status",
        "use_flow_id", "session", "session_token", "identity", "traits", "schema_id", "schema_url", "devices",
        "authentication_methods", "verifiable_addresses", "recovery_addresses", "access_token",
        "refresh_token", "token_type", "expires_in", "expires_at", "issued_at", "request_url", "href",
        "title",
    ].map { "\"\($0)\":" }

    private static let readers: [@Sendable (FuzzInput) throws -> Void] = [
        { try readBack(FlowBody.self, $0) },
        { try readBack(AuthenticationBody.self, $0) },
        { try readBack(SessionBody.self, $0) },
        { try readBack(IdentityBody.self, $0) },
        { try readBack(ErrorBody.self, $0) },
        { try readBack(OAuthErrorBody.self, $0) },
        { try readBack(CertificateBody.Issued.self, $0) },
        { try readBack(CertificateBody.Request.self, $0) },
        { try readBack(PhoneVerificationBody.Start.self, $0) },
        { try readBack(PhoneVerificationBody.Check.self, $0) },
        { try readBack(PhoneVerificationBody.Verified.self, $0) },
        { try readBack(JSONValue.self, $0) },
        readToken, readQuery, readHeaders, readText,
    ]

    /// Checks that encoding a decoded value and decoding it again results in the same value.
    private static func readBack<Body: Codable>(_ type: Body.Type, _ input: FuzzInput) throws {
        guard let body = try? JSONCoding.decode(type, from: input.bytes(0)) else { return }
        let written = try JSONCoding.encode(body)
        let again = try JSONCoding.encode(try JSONCoding.decode(type, from: written))
        try expect(again == written, "\(type) does not change when it is encoded and decoded again")
    }

    private static func readToken(_ input: FuzzInput) throws {
        guard let body = try? JSONCoding.decode(TokenBody.self, from: input.bytes(0)) else { return }
        let again = try JSONCoding.decode(TokenBody.self, from: body.json)
        try expect(again.json == body.json, "tokens do not change when they are encoded and decoded again")
        let shown = "\(body)\(String(reflecting: body))"
        try expect(
            body.accessToken.exposed.utf8.count < 16 || !shown.contains(body.accessToken.exposed),
            "a token is masked when printed"
        )
    }

    private static func readQuery(_ input: FuzzInput) throws {
        let (name, value) = (input.text(0), input.text(1))
        let items = QueryItems(QueryItems.encode(name) + "=" + QueryItems.encode(value) + "&" + input.text(2))
        try expect(items[name] == value, "an encoded item can be decoded again")
        let raw = QueryItems(input.text(2))
        for name in ["flow", "id", name] {
            try expect(raw.values(name).first == raw[name], "the first item with a name is returned")
        }
    }

    private static func readHeaders(_ input: FuzzInput) throws {
        var headers: HTTP.Headers = [:]
        for (name, value) in input.pairs(0) { headers.fields.append(.init(name: name, value: value)) }
        let (name, value) = (input.text(1), input.text(2))
        headers[name] = value
        try expect(headers.all(name) == [value], "setting a field replaces all fields with its name")
        headers[name] = nil
        try expect(headers[name] == nil, "a removed field has no value")
    }

    /// Checks that parsing a formatted value returns the original value.
    private static func readText(_ input: FuzzInput) throws {
        let text = input.text(0)
        if let time = Timestamp(rfc3339: text) {
            try expect(time.description.utf8.count == 27, "a time has 27 characters")
            let again = Timestamp(rfc3339: time.description)
            let bounds = Timestamp(rfc3339: "0000-01-01T00:00:00Z")
            if let bounds, time >= bounds, time.seconds < 253_402_300_800 {
                try expect(again == time, "a formatted time can be parsed again")
            }
        }
        if let id = Identifier(text) {
            try expect(Identifier(id.description) == id, "a formatted identifier can be parsed again")
        }
        if let phone = PhoneNumber(text) {
            try expect(PhoneNumber(phone.e164) == phone, "a formatted phone number can be parsed again")
        }
        if let email = EmailAddress(text) {
            try expect(EmailAddress(email.address) == email, "a formatted e-mail address can be parsed again")
        }
        if let code = OneTimeCode(text) {
            try expect(
                OneTimeCode(code.exposed) == code && !"\(code)".contains(code.exposed),
                "a formatted code can be parsed again"
            )
        }
        if let bytes = Base64URL.decode(text) {
            try expect(Base64URL.encode(bytes) == text, "each value has exactly one Base64URL encoding")
        }
        try expect(
            Base64URL.decode(Base64URL.encode(input.bytes(1))) == input.bytes(1),
            "encoded bytes can be decoded again"
        )
    }
}
