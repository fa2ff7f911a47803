import LatchkeyCourier
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

extension SelfServiceServer {
    /// A schema whose users can log in with a password and either address, but receive login codes only by
    /// phone.
    static let codesByPhone = """
        {"type": "object", "properties": {"traits": {"type": "object", "properties": {
          "email": {"type": "string", "format": "email", "ory.sh/kratos": {
            "credentials": {"password": {"identifier": true}}}},
          "phone": {"type": "string", "format": "tel", "ory.sh/kratos": {
            "credentials": {"password": {"identifier": true}, "code": {"identifier": true, "via": "sms"}}}}}}}}
        """

    /// Returns the code that was most recently sent to an address.
    func code(for address: String) async throws -> String {
        await messagesAreSent()
        return try #require(inbox.codes(for: address).last).exposed
    }

    /// Returns a code that differs from the given one.
    static func wrong(_ code: String) -> JSONValue { .string(code.wrongCode) }

    /// Submits the address that a code should be sent to.
    func sendCode(
        _ kind: FlowKind,
        _ flow: String,
        to address: String,
        token: String? = nil,
        from host: String = "192.0.2.1"
    ) async throws -> Answer {
        let field = kind == .login ? "identifier" : "email"
        return try await submitCode(kind, flow, [field: .string(address)], token: token, from: host)
    }

    /// Begins a flow that sends a code to an address, and waits until the code has been sent.
    ///
    /// - Returns: The flow's id, or `nil` if a rate limit rejected the request.
    func flow(_ kind: FlowKind, sendingCodeTo address: String, from host: String) async throws -> String? {
        let flow = await begin(kind)
        let answer = try await sendCode(kind, flow, to: address, from: host)
        // A message isn't sent if it stays in the queue for longer than its flow's lifespan.
        await messagesAreSent()
        return answer.status == 429 ? nil : flow
    }

    /// Submits a code, or the address that a code should be sent to.
    func submitCode(
        _ kind: FlowKind,
        _ flow: String,
        _ members: [String: JSONValue],
        token: String? = nil,
        from host: String = "192.0.2.1"
    ) async throws -> Answer {
        try await submit(
            kind,
            flow,
            .object(members.merging(["method": "code"]) { own, _ in own }),
            token: token,
            from: host
        )
    }
}

extension String {
    /// A code that differs from this one.
    var wrongCode: String { self == "000000" ? "000001" : "000000" }
}

extension OneTimeCode {
    /// A code that differs from this one.
    var wrong: String { exposed.wrongCode }
}

extension SelfServiceServer {
    /// Waits until the courier has tried at least once to send each queued message.
    ///
    /// Records an issue if the messages aren't sent in time. This can happen if the clock moves past a
    /// message's lease while the message is being delivered.
    func messagesAreSent(sourceLocation: SourceLocation = #_sourceLocation) async {
        let waiting: SQL = "SELECT id FROM messages WHERE status = 'queued'"
        for row in (try? await resources.database.rows(waiting)) ?? [] {
            guard let id = try? row.identifier(0) else { continue }
            await limit("A message is sent", sourceLocation: sourceLocation) { [courier] in
                _ = await courier.waitForFirstAttempt(id, atMost: .seconds(3600))
            }
        }
    }

    /// Begins a registration flow in which the phone number has already been verified.
    func beginRegistration(verified phone: String, _ query: String = "") async throws -> String {
        let text = await begin(.registration, query)
        let id = try #require(Identifier(text))
        let number = try #require(PhoneNumber(phone))
        let flow = try #require(try await flows.find(id, kind: .registration))
        let now = time.now
        let isMarked = try await resources.database.transaction { transaction in
            try FlowRepository.insert(flow, in: transaction)
            return try FlowRepository.markVerified(number, flow: id, at: now, in: transaction)
        }
        try #require(isMarked)
        return text
    }

    /// Registers a customer, marks the session's certificate as issued and returns the session token.
    func customer(_ phone: String = "+439999999999") async throws -> String {
        let body = JSONValue.object([
            "method": "password", "password": "000000", "traits": .object(["phone": .string(phone)]),
        ])
        let answer = try await submit(.registration, try await beginRegistration(verified: phone), body)
        try await resources.database.transaction { transaction in
            _ = try transaction.execute("UPDATE sessions SET needs_certificate = 0")
        }
        return try #require(answer["session_token"]?.text)
    }
}
