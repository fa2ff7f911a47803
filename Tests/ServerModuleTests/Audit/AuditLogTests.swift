import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeyServerKit

@Suite(.onEachDatabase) struct `Audit log` {
    private let database: any Database
    private let one = Identifier()
    private let other = Identifier()
    private let start = Timestamp(seconds: 1_800_000_000)

    init() async throws {
        database = try await TestDatabase.current.open()
    }

    private func append(_ events: AuditEvent...) async throws {
        try await database.transaction { transaction in
            for event in events { try AuditLog.append(event, in: transaction) }
        }
    }

    private func event(_ action: AuditAction, of identity: Identifier, after seconds: Int) -> AuditEvent {
        AuditEvent(action, of: identity, by: .operator, at: start + .seconds(seconds), random: SystemRandom())
    }

    @Test func `Events contain the actor, action and address and are sorted from newest to oldest`()
        async throws
    {
        var request = HTTP.Request(.post, "/", headers: ["X-Request-ID": "forged"])
        request.body = Array("secret".utf8)
        let login = AuditEvent(
            .loggedIn,
            of: one,
            by: .user,
            in: RequestID.$current.withValue("r-1") {
                RequestContext(request, from: PeerAddress(host: "192.0.2.7", port: 4711), at: start)
            },
            about: "session",
            at: start,
            random: SystemRandom()
        )
        let disabled = event(.disabled, of: one, after: 1)
        try await append(login, disabled, event(.disabled, of: other, after: 2))

        let events = try await AuditLog.events(of: one, limit: 10, in: database)
        #expect(events == [disabled, login])
        #expect((login.address, login.requestID) == ("192.0.2.7", "r-1"))
        #expect(try await AuditLog.events(limit: 10, in: database).count == 3)
    }

    @Test func `New events don't shift the pages of the audit log`() async throws {
        for second in 0..<5 { try await append(event(.loggedIn, of: one, after: second / 2)) }
        let all = try await AuditLog.events(of: one, limit: 10, in: database)
        let first = try await AuditLog.events(of: one, limit: 2, in: database)
        try await append(event(.loggedIn, of: one, after: 9))
        let position = AuditLog.Position(time: first[1].time, id: first[1].id)
        let second = try await AuditLog.events(of: one, after: position, limit: 2, in: database)
        let everybody = try await AuditLog.events(after: position, limit: 10, in: database)

        #expect(first + second == Array(all.prefix(4)))
        #expect(everybody == Array(all.dropFirst(2)))
    }

    @Test func `Rows of the audit log can't be updated`() async throws {
        try await append(event(.deleted, of: one, after: 0))

        await #expect(throws: DatabaseError.self) {
            try await database.transaction { transaction in
                try transaction.execute("UPDATE audit SET action = 'login'")
            }
        }
        #expect(try await AuditLog.events(limit: 1, in: database).map(\.action) == [.deleted])
    }

    @Test func `An event is rolled back together with the action that it describes`() async throws {
        struct Undone: Error {}
        let event = event(.deleted, of: one, after: 0)
        await #expect(throws: Undone.self) {
            try await database.transaction { transaction in
                try AuditLog.append(event, in: transaction)
                throw Undone()
            }
        }
        #expect(try await AuditLog.events(limit: 1, in: database).isEmpty)
    }
}
