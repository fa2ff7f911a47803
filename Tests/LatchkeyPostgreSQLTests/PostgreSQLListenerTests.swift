import LatchkeyModel
import LatchkeyPostgreSQL
import LatchkeyServer
import LatchkeyServerKit
import TestDatabases
import Testing

@Suite(.timeLimit(.minutes(10))) struct `PostgreSQL listener` {
    private let topic = BroadcastTopic.session(Identifier())

    @Test func `The listener connects when the first subscription is created`() async throws {
        try await withPostgreSQL { lent async throws in
            try await lent.database.transaction { try $0.publish(topic) }
            #expect(lent.database.usage.listeners == 0)
            let subscription = lent.database.broadcast.subscribe(to: [topic])
            #expect(await subscription.next() == .gap)
            #expect(lent.database.usage.listeners == 1)
        }
    }

    @Test func `Publications from other nodes are received in order`() async throws {
        try await withPostgreSQL { lent async throws in
            let other = try await PostgreSQLDatabase.open(
                PostgreSQLLocation(Secret(lent.lease.url)),
                migrations: .all
            )
            #expect(await lent.database.broadcast.subscribe(to: [topic]).next() == .gap)
            let topics = (0..<50).map { _ in BroadcastTopic.identity(Identifier()) }
            let subscriptions = topics.map { lent.database.broadcast.subscribe(to: [$0]) }
            for topic in topics { try await other.transaction { try $0.publish(topic) } }
            // The last publication only arrives after all the others.
            #expect(await subscriptions.last?.next() == .published)
            for subscription in subscriptions.dropLast() {
                subscription.signal(.heartbeat)
                #expect(await subscription.next() == [.published, .heartbeat])
            }
            await other.close()
        }
    }

    @Test func `A gap is announced after PostgreSQL has dropped the connection`() async throws {
        try await withPostgreSQL { lent async throws in
            let subscription = lent.database.broadcast.subscribe(to: [topic])
            #expect(await subscription.next() == .gap)
            for _ in 1...3 {
                try await lent.breakConnections()
                #expect(await subscription.next() == .gap)
                try await lent.database.transaction { try $0.publish(topic) }
                #expect(await subscription.next() == .published)
            }
        }
    }

    @Test func `Notifications from other programs are ignored`() async throws {
        try await withPostgreSQL { lent async throws in
            let subscription = lent.database.broadcast.subscribe(to: [topic])
            #expect(await subscription.next() == .gap)
            try await lent.database.transaction { transaction in
                for text in ["", "s:", "hello", String(repeating: "x", count: 7000)] {
                    _ = try transaction.rows(
                        "SELECT 1 FROM pg_notify('latchkey_changes', $1)",
                        .text(text)
                    )
                }
                try transaction.publish(topic)
            }
            #expect(await subscription.next() == .published)
        }
    }

    @Test func `A notification contains an id and no other data`() async throws {
        #expect(BroadcastTopic.identity(Identifier(high: 1, low: 2)).description.count == 38)
    }

    @Test func `Closing the database ends its subscriptions`() async throws {
        let lent = try await Lent()
        let subscription = lent.database.broadcast.subscribe(to: [topic])
        #expect(await subscription.next() == .gap)
        await lent.end()
        #expect(await subscription.next() == nil)
        #expect(lent.database.usage.listeners == 0)
    }
}
