import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import Testing

extension SelfServiceServer {
    /// Loads an identity from the database.
    func identity(_ id: Identifier) async throws -> Identity {
        let found = try await resources.database.transaction { transaction in
            try IdentityRepository.load(id, in: transaction)
        }
        return try #require(found)
    }

    /// Returns the id of the account that uses the address as a login identifier.
    func holder(of address: String) async throws -> Identifier? {
        try await resources.database.rows(
            "SELECT identity_id FROM identifiers WHERE identifier = $1",
            .text(address)
        ).first?.identifier(0)
    }

    /// Returns the ids of the accounts that have proven the address.
    func provers(of address: String) async throws -> [Identifier] {
        try await resources.database.rows(
            "SELECT identity_id FROM address_states WHERE value = $1 AND state = 'proven'",
            .text(address)
        ).map { try $0.identifier(0) }
    }

    /// Returns the actions on an account that are recorded in the audit log.
    func actions(of id: Identifier) async throws -> [AuditAction] {
        try await AuditLog.events(of: id, limit: 100, in: resources.database).map(\.action)
    }

    /// Marks all verifiable addresses as proven and all accounts as confirmed.
    func confirmAll() async throws {
        try await resources.database.transaction { transaction in
            _ = try transaction.execute(
                """
                INSERT INTO address_states (identity_id, via, value, state) \
                SELECT identity_id, via, value, 'proven' FROM addresses WHERE kind = 'verifiable'
                """
            )
            _ = try transaction.execute("UPDATE identities SET confirmed_at = created_at")
        }
    }

    func isAlive(_ token: String?) async -> Bool {
        await get("/sessions/whoami", token: token).status == 200
    }

    func logOut(_ token: String) async throws -> Answer {
        try await delete("/self-service/logout/api", .object(["session_token": .string(token)]))
    }

    /// Waits until the rate limits allow another code, requests one and returns the flow's id.
    func requestCode(
        _ kind: FlowKind,
        to address: String,
        token: String? = nil,
        refresh: Bool = false
    ) async throws -> String {
        // If a message were still being delivered, advancing the clock would cause it to be sent again.
        await messagesAreSent()
        time.advance(by: .seconds(31))
        let flow = await begin(kind, refresh ? "?refresh=true" : "", token: token)
        let sent = try await sendCode(kind, flow, to: address, token: token)
        #expect(sent["state"] == "sent_email", "\(sent.body)")
        return flow
    }

    /// Requests a code and submits it.
    func enter(_ kind: FlowKind, with address: String, token: String? = nil, refresh: Bool = false)
        async throws
        -> Answer
    {
        let flow = try await requestCode(kind, to: address, token: token, refresh: refresh)
        let code = JSONValue.string(try await code(for: address))
        return try await submitCode(kind, flow, ["code": code], token: token)
    }

    /// Begins a settings flow and submits a new password.
    func change(password: String, token: String?) async throws -> Answer {
        let flow = await begin(.settings, token: token)
        let body = JSONValue.object(["method": "password", "password": .string(password)])
        return try await submit(.settings, flow, body, token: token)
    }

    /// Begins a settings flow and submits new traits.
    func change(traits: [String: JSONValue], token: String?) async throws -> Answer {
        let flow = await begin(.settings, token: token)
        let body = JSONValue.object(["method": "profile", "traits": .object(traits)])
        return try await submit(.settings, flow, body, token: token)
    }

    /// Returns the recipients of all notices of the given kind, including queued ones.
    func recipients(of kind: MessageKind) async throws -> [String] {
        try await resources.database.rows(
            "SELECT recipient FROM messages WHERE template = $1 ORDER BY recipient",
            .text(kind.rawValue)
        ).map { try $0.text(0) }
    }
}

/// Sends two kinds of requests concurrently, alternating between them, and returns the responses to each
/// kind.
func race(
    times: Int = 10,
    _ first: @escaping @Sendable (Int) async throws -> Answer,
    against second: @escaping @Sendable (Int) async throws -> Answer
) async throws -> (first: [Answer], second: [Answer]) {
    try await withThrowingTaskGroup(of: (Bool, Answer).self) { group in
        for number in 0..<times {
            group.addTask { (true, try await first(number)) }
            group.addTask { (false, try await second(number)) }
        }
        var answers: (first: [Answer], second: [Answer]) = ([], [])
        for try await (isFirst, answer) in group {
            if isFirst { answers.first.append(answer) } else { answers.second.append(answer) }
        }
        return answers
    }
}

extension [Answer] {
    /// The number of responses with status 200.
    var successes: Int { count { $0.status == 200 } }
}
