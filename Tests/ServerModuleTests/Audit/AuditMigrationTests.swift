import LatchkeyModel
import LatchkeySQLite
import LatchkeyServer
import TestProcesses
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeyServerKit

@Suite struct `Migration of the audit log` {
    private let folder = TemporaryFolder()
    private let id = Identifier("9a8cbfb3-87bd-4087-b48d-2569b1b43386")

    @Test(arguments: [
        ("person", AuditEvent.Actor.user), ("operator", .operator), ("server", .server), ("unknown", .server),
    ])
    func `The migration preserves events and renames the actor person to user`(
        stored: String,
        actor: AuditEvent.Actor
    )
        async throws
    {
        let id = try #require(id)
        let path = folder.file()
        let old = try await SQLiteDatabase.open(.file(path), migrations: [.initial, .audit])
        _ = try await old.transaction { transaction in
            try transaction.execute(
                """
                INSERT INTO audit (happened_at, id, identity_id, actor, deed) \
                VALUES (7, $1, $1, $2, 'password.changed')
                """,
                .identifier(id),
                .text(stored)
            )
        }
        await old.close()

        let database = try await SQLiteDatabase.open(.file(path), migrations: .all)
        let events = try await AuditLog.events(of: id, limit: 10, in: database)
        await database.close()

        #expect(events.map(\.action) == [.passwordChanged])
        #expect(events.map(\.actor) == [actor])
    }
}
