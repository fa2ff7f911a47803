import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyAccounts

@Suite(.onEachDatabase) struct `Events about duties` {
    private let source = ScriptedDuties()
    private let admin: AdminServer
    private let server: SelfServiceServer
    private let token: String
    private let identity: Identifier

    init() async throws {
        admin = try await AdminServer(dutySources: [source]) {
            $0.events.perSession = 100
            $0.events.perAccount = 100
            // A regular check would find the change, too.
            $0.events.checkInterval = .seconds(86_400)
        }
        server = admin.people
        let answer = try await server.register()
        token = try #require(answer["session_token"]?.text)
        identity = try #require(answer["identity"]?["id"]?.text.flatMap { Identifier($0) })
    }

    private func publish(_ topic: BroadcastTopic) async throws {
        try await server.database.transaction { try $0.publish(topic) }
    }

    @Test func `A change of the account's own duties is one event on each of its streams, at once`()
        async throws
    {
        let streams = [try await server.follow(token), try await server.follow(token)]
        source.duties.withLock { $0 = [AccountDuty(.completeProfile, fields: ["traits.birthday"])] }
        try await publish(.identity(identity))
        for stream in streams { await stream.expect(["state", "duties_changed"]) }

        try await publish(.identity(identity))
        source.duties.withLock { $0 = [] }
        try await publish(.identity(identity))
        for stream in streams { await stream.expect(["state", "duties_changed", "duties_changed"]) }
    }

    @Test func `A device that was offline is told of the change when it comes back`() async throws {
        let before = try await server.follow(token)
        before.leave()
        source.duties.withLock { $0 = [AccountDuty(.completeProfile, fields: ["traits.birthday"])] }
        let resumed = try await server.follow(token, after: before.lastID)
        await resumed.expect(["state", "duties_changed"])
        let poll = await server.poll(token, after: before.lastID, wait: 0)
        #expect(poll.eventTypes == ["duties_changed"])
    }

    @Test func `Streams learn of new rules without a change of their account, and each of them once`()
        async throws
    {
        var streams: [FollowedSession] = []
        for _ in 1...20 { streams.append(try await server.follow(token)) }
        source.duties.withLock { $0 = [AccountDuty(.completeProfile, fields: ["traits.birthday"])] }
        try await publish(.dutyRules)
        await wait(until: "all streams are told") {
            server.time.advance(by: .seconds(1))
            return streams.allSatisfy { $0.types.contains("duties_changed") }
        }
        for _ in 1...60 { server.time.advance(by: .seconds(1)) }
        for stream in streams { #expect(stream.types == ["state", "duties_changed"]) }
    }

    @Test func `A client whose required fields have changed is a change of the rules`() async throws {
        let stream = try await server.follow(token)
        source.duties.withLock { $0 = [AccountDuty(.completeProfile, fields: ["traits.birthday"])] }
        #expect(await admin.send(.post, "/admin/clients", #"{"client_id": "shop"}"#).status == 201)
        await wait(until: "the stream is told") {
            server.time.advance(by: .seconds(1))
            return stream.types.contains("duties_changed")
        }
    }
}

@Suite struct `Spread of changes that concern all accounts` {
    @Test
    func `A thousand streams are woken one after another, from five seconds until the end of the spread`()
        async throws
    {
        let (broadcast, time) = (Broadcast(), VirtualTime())
        var settings = EventSettings()
        settings.checkInterval = .seconds(86_400)
        settings.heartbeat = .seconds(86_400)
        let streams = EventStreams(
            broadcast: broadcast,
            settings: settings,
            limit: 2_000,
            metrics: EventMetrics(),
            time: time,
            random: SeededRandom(seed: 7)
        )
        let woken = Locked(0)
        let tasks = try (0..<1_000).map { _ in
            let stream = try streams.open(for: Self.session(at: time.now), topics: [], until: nil)
            return Task { while await stream.next() != nil { woken.withLock { $0 += 1 } } }
        }
        func pass(seconds: Int) async {
            for _ in 0..<seconds {
                await time.sleepers(atLeast: 1)
                time.advance(by: .seconds(1))
            }
            await time.sleepers(atLeast: 1)
        }

        broadcast.publish(.dutyRules)
        await pass(seconds: 5)
        #expect(woken.withLock { $0 } == 0)
        await pass(seconds: 15)
        await wait(until: "the first third is woken") { woken.withLock { $0 } > 330 }
        #expect(woken.withLock { $0 } < 660)
        // A second change doesn't wake the others more often.
        broadcast.publish(.dutyRules)
        await pass(seconds: 60)
        await wait(until: "all are woken") { woken.withLock { $0 } >= 1_000 }
        #expect(woken.withLock { $0 } <= 2_000)

        streams.close()
        for task in tasks { await task.value }
        #expect(broadcast.topicCount == 0)
    }

    private static func session(at now: Timestamp) -> Session {
        Session(
            id: Identifier(),
            identityID: Identifier(),
            authentications: [Authentication(.password, at: now)],
            issuedAt: now,
            authenticatedAt: now,
            expiresAt: now + .seconds(86_400),
            needsCertificate: false,
            deviceID: Identifier(),
            ipAddress: "127.0.0.1",
            userAgent: "test"
        )
    }
}
