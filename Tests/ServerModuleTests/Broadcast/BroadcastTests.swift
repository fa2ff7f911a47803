import LatchkeyModel
import LatchkeyServerKit
import TestDatabases
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Broadcasting changes` {
    private let broadcast = Broadcast()
    private let one = BroadcastTopic.session(Identifier())
    private let other = BroadcastTopic.identity(Identifier())

    @Test func `Publishing a topic wakes its subscribers`() async {
        let (first, second) = (broadcast.subscribe(to: [one, other]), broadcast.subscribe(to: [other]))
        broadcast.publish(one)
        #expect(await first.next() == .published)
        broadcast.publish(other)
        #expect(await first.next() == .published)
        #expect(await second.next() == .published)
    }

    @Test func `Notifications are merged until the subscriber reads them`() async {
        let subscription = broadcast.subscribe(to: [one])
        for _ in 0..<100_000 { broadcast.publish(one) }
        broadcast.announceGap()
        subscription.signal(.heartbeat)
        #expect(await subscription.next() == [.published, .gap, .heartbeat])
        subscription.end()
        #expect(await subscription.next() == nil)
    }

    @Test func `Announcing a gap wakes all subscribers`() async {
        let subscriptions = (0..<100).map { _ in broadcast.subscribe(to: [.session(Identifier()), other]) }
        broadcast.announceGap()
        for subscription in subscriptions { #expect(await subscription.next() == .gap) }
    }

    @Test func `Publishing a topic wakes a subscriber that is already waiting`() async {
        let subscription = broadcast.subscribe(to: [one])
        async let signals = subscription.next()
        await Task.yield()
        broadcast.publish(one)
        #expect(await signals == .published)
    }

    @Test func `Unsubscribing releases the subscription`() async {
        let subscription = broadcast.subscribe(to: [one, other])
        #expect(broadcast.topicCount == 2)
        broadcast.unsubscribe(subscription)
        #expect(broadcast.topicCount == 0)
        broadcast.publish(one)
        #expect(await subscription.next() == nil)
    }

    @Test func `Cancelling a subscriber's task ends its subscription`() async {
        let subscription = broadcast.subscribe(to: [one])
        let task = Task { await subscription.next() }
        task.cancel()
        #expect(await task.value == nil)
    }

    @Test func `Closing the broadcast ends current and future subscriptions`() async {
        let subscription = broadcast.subscribe(to: [one])
        broadcast.close()
        #expect(await subscription.next() == nil)
        #expect(await broadcast.subscribe(to: [one]).next() == nil)
        #expect(broadcast.topicCount == 0)
    }

    @Test func `Only the first subscription starts listening to other nodes`() {
        let starts = Locked(0)
        let broadcast = Broadcast { _ in starts.withLock { $0 += 1 } }
        #expect(starts.withLock { $0 } == 0)
        for _ in 1...3 { _ = broadcast.subscribe(to: [one]) }
        #expect(starts.withLock { $0 } == 1)
    }
}

@Suite struct `Broadcast topics` {
    @Test(arguments: BroadcastTopic.Kind.allCases)
    func `A topic can be parsed from its description`(_ kind: BroadcastTopic.Kind) {
        let topic = BroadcastTopic(kind, of: Identifier())
        #expect(BroadcastTopic(topic.description) == topic)
    }

    @Test(arguments: [
        "", "s", "s:", "x:9a8cbfb3-87bd-4087-b48d-2569b1b43386", "s9a8cbfb3-87bd-4087-b48d-2569b1b43386x",
        "s:9a8cbfb3-87bd-4087-b48d-2569b1b4338", "s:9a8cbfb3-87bd-4087-b48d-2569b1b43386 ",
        "s:9a8cbfb3x87bd-4087-b48d-2569b1b43386", "🙂", "s:🙂🙂🙂🙂🙂🙂🙂🙂🙂",
    ])
    func `Malformed topics can't be parsed`(_ text: String) {
        #expect(BroadcastTopic(text) == nil)
    }
}

@Suite("Publishing in a transaction", .onEachDatabase)
struct PublicationTests {
    private struct Failure: Error {}

    @Test func `Subscribers are notified after a commit but not after a rollback`() async throws {
        let database = try await TestDatabase.current.open()
        let (lost, kept) = (BroadcastTopic.session(Identifier()), BroadcastTopic.identity(Identifier()))
        let later = database.broadcast.subscribe(to: [kept])
        // On PostgreSQL, a gap is announced when the connection becomes ready.
        if database.isShared { #expect(await later.next() == .gap) }
        let subscription = database.broadcast.subscribe(to: [lost])
        await #expect(throws: Failure.self) {
            try await database.transaction { transaction in
                try transaction.publish(lost)
                throw Failure()
            }
        }
        try await database.transaction { try $0.publish(kept) }
        #expect(await later.next() == .published)
        // If the first topic had been published, the subscriber would have been notified by now.
        subscription.signal(.heartbeat)
        #expect(await subscription.next() == .heartbeat)
    }
}
