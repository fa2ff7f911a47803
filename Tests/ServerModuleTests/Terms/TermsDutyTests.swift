import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Duties to answer documents` {
    /// The versions of a document, the version that an account has answered, and whether it is asked.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let versions: [[String: String]]
        let answered: Int?
        let isAsked: Bool

        init(_ name: String, _ versions: [[String: String]], answered: Int? = nil, isAsked: Bool) {
            (testDescription, self.versions, self.answered) = (name, versions, answered)
            self.isAsked = isAsked
        }
    }

    private static let acceptance: [String: String] = [:]
    private static let acknowledgement = ["asks": #""acknowledgement""#]
    private static let editorial = ["asks": #""nothing""#]
    private static let later = ["effective_at": #""2100-01-01T00:00:00Z""#]

    static let cases = [
        Case("no version", [], isAsked: false), Case("a version", [acceptance], isAsked: true),
        Case("a version to acknowledge", [acknowledgement], isAsked: true),
        Case("a version that asks for no answer", [editorial], isAsked: false),
        Case("a version that isn't in force yet", [later], isAsked: false),
        Case("the required version was answered", [acceptance], answered: 1, isAsked: false),
        Case("an earlier version was answered", [acceptance, acceptance], answered: 1, isAsked: true),
        Case("an editorial version follows", [acceptance, editorial], answered: 1, isAsked: false),
        Case("the editorial version was answered", [acceptance, editorial], answered: 2, isAsked: false),
        Case("a later version is scheduled", [acceptance, later], answered: 1, isAsked: false),
        Case("the scheduled version was answered", [acceptance, later], answered: 2, isAsked: false),
    ]

    @Test(arguments: cases) func `An account is asked exactly if it hasn't answered the required version`(
        _ example: Case
    ) async throws {
        let terms = try await TermsServer()
        for (index, version) in example.versions.enumerated() {
            try await terms.publish(index + 1, version)
        }
        let user = try await terms.register()
        if let answered = example.answered {
            var agreements = Agreements(column: nil)
            agreements.answer("shop", version: answered)
            try await terms.database.transaction { [agreements] transaction in
                try AgreementRepository.save(agreements, of: user.id, in: transaction)
            }
        }
        #expect(await terms.asked(user.token) == (example.isAsked ? ["terms.shop"] : []))
    }

    @Test func `All open documents are fields of one duty, which comes before other duties`() async throws {
        let source = ScriptedDuties()
        source.duties.withLock { $0 = [AccountDuty(.completeProfile, fields: ["traits.birthday"])] }
        let terms = try await TermsServer(dutySources: [source])
        for key in ["b-terms", "a-terms"] {
            try await terms.publish(document: ["key": #""\#(key)""#])
        }
        let user = try await terms.register()
        let duties = await terms.server.get("/sessions/whoami", token: user.token)["duties"]
        #expect(
            duties == [
                .object([
                    "kind": "accept_terms", "blocking": false, "fields": ["terms.a-terms", "terms.b-terms"],
                ]),
                .object(["kind": "complete_profile", "blocking": false, "fields": ["traits.birthday"]]),
            ]
        )
    }

    /// The client of a session, the member `blocking` of its registration, the setting, and whether the
    /// duty blocks.
    static let blocking: [(String?, String, [String], Bool)] = [
        (nil, "", [], false), (nil, "", ["shop"], true), (nil, "", ["other"], false),
        ("shop", "", ["shop"], false), ("shop", #""blocking": ["shop"]"#, [], true),
        ("shop", #""blocking": ["other"]"#, ["shop"], false),
    ]

    @Test(arguments: blocking.indices)
    func `The client decides whether the duty blocks, and without a client the setting does`(
        _ index: Int
    ) async throws {
        let (client, members, setting, isBlocking) = Self.blocking[index]
        let terms = try await TermsServer { $0.terms.blocking = setting }
        try await terms.publish()
        if let client { await terms.client(client, members) }
        let user = try await terms.register(at: client)
        let duties = await terms.server.get("/sessions/whoami", token: user.token)["duties"]
        #expect(duties?.first?["blocking"] == .bool(isBlocking))
        let closed = await terms.server.get("/account/clients", token: user.token)
        #expect(closed.status == (isBlocking ? 403 : 200))
        #expect((closed["error"]?["duty"] == "accept_terms") == isBlocking)
        // The routes on which the user takes the step stay open.
        #expect(await terms.server.get(TermsServer.path, token: user.token).status == 200)
        #expect(try await terms.answer(user.token).status == 200)
        #expect(await terms.server.get("/account/clients", token: user.token).status == 200)
    }

    @Test func `Only the documents that apply at the session's client are asked for`() async throws {
        let terms = try await TermsServer()
        try await terms.publish(document: ["key": #""general""#])
        try await terms.publish(document: ["key": #""game""#, "client_id": #""game""#])
        await terms.client("game")
        await terms.client("news", #""terms": ["game"]"#)
        #expect(await terms.asked(try await terms.register(1).token) == ["terms.general"])
        #expect(
            await terms.asked(try await terms.register(2, at: "game").token) == [
                "terms.game", "terms.general",
            ]
        )
        #expect(await terms.asked(try await terms.register(3, at: "news").token) == ["terms.game"])
    }

    @Test func `whoami reads as much from the database as without documents`() async throws {
        let terms = try await TermsServer()
        let user = try await terms.register()
        func reads() async -> CountingDatabase.Counts {
            _ = await terms.asked(user.token)
            return await terms.server.database.counts { _ = await terms.asked(user.token) }
        }
        let before = await reads()
        try await terms.publish()
        #expect(await reads() == before)
        #expect(await terms.asked(user.token) == ["terms.shop"])
    }
}

@Suite(.onEachDatabase) struct `Events about documents` {
    private let terms: TermsServer
    private let user: TermsServer.User

    private var time: VirtualTime { terms.server.time }

    init() async throws {
        terms = try await TermsServer {
            // A regular check would find the change, too.
            $0.events.checkInterval = .seconds(86_400)
            $0.events.perAccount = 100
        }
        user = try await terms.register()
    }

    private func expectChange(on stream: FollowedSession) async {
        await wait(until: "the stream is told") {
            time.advance(by: .seconds(1))
            return stream.types.contains("duties_changed")
        }
        #expect(stream.types == ["state", "duties_changed"])
    }

    @Test func `A publication is one event on each stream`() async throws {
        let streams = [try await terms.server.follow(user.token), try await terms.server.follow(user.token)]
        try await terms.publish()
        for stream in streams { await expectChange(on: stream) }
    }

    @Test func `An answer is one event on the user's other devices, at once`() async throws {
        try await terms.publish()
        let stream = try await terms.server.follow(try await terms.logIn())
        #expect(try await terms.answer(user.token).status == 200)
        await stream.expect(["state", "duties_changed"])
    }

    @Test func `A refusal ends the stream of its session, and no other`() async throws {
        try await terms.publish()
        let other = try await terms.logIn()
        let streams = (try await terms.server.follow(user.token), try await terms.server.follow(other))
        #expect(try await terms.answer(user.token, "refusal")["session_ended"] == true)
        await streams.0.expectEnd()
        #expect(!streams.1.hasEnded)
        #expect(await terms.server.isAlive(other))
        #expect(await !terms.server.isAlive(user.token))
    }

    @Test func `Streams are told when a scheduled version takes effect, also after a restart`() async throws {
        let start = time.now + .seconds(3_600)
        try await terms.publish(1, ["effective_at": #""\#(start)""#])
        let stream = try await terms.server.follow(user.token)
        // The schedule of a server that was started between the publication and the date.
        let schedule = TermsSchedule(
            catalog: terms.server.assembly.terms,
            broadcast: terms.database.broadcast,
            time: time
        )
        try await schedule.round()
        time.advance(by: .seconds(3_590))
        try await schedule.round()
        #expect(await terms.asked(user.token) == [])
        time.advance(by: .seconds(10))
        try await schedule.round()
        await expectChange(on: stream)
        #expect(await terms.asked(user.token) == ["terms.shop"])
    }

    @Test func `The schedule reports each scheduled version once, and none that took effect at once`()
        async throws
    {
        let broadcast = Broadcast()
        let schedule = TermsSchedule(
            catalog: terms.server.assembly.terms,
            broadcast: broadcast,
            time: time
        )
        let subscription = broadcast.subscribe(to: [.dutyRules])
        var reports: [Bool] = []
        func round() async throws {
            time.advance(by: .seconds(5))
            try await schedule.round()
            reports.append(subscription.take().contains(.published))
        }
        try await round()
        try await terms.publish(1)
        try await round()
        try await terms.publish(2, ["effective_at": #""\#(time.now + .seconds(12))""#])
        for _ in 1...4 { try await round() }
        #expect(reports == [false, false, false, false, true, false])
    }

    @Test func `The schedule refreshes the catalog before it expires, so that no request reads it`()
        async throws
    {
        let clock = VirtualTime()
        let catalog = TermsCatalog(database: terms.server.database, time: clock)
        let schedule = TermsSchedule(catalog: catalog, broadcast: Broadcast(), time: clock)
        schedule.start()
        await clock.sleepers(atLeast: 1)
        for _ in 1...3 {
            try await terms.publish(document: ["key": #""key-\#(clock.uptime.components.seconds)""#])
            clock.advance(by: .seconds(3))
            await clock.sleepers(atLeast: 1)
            let counts = try await terms.server.database.counts { _ = try await catalog.documents() }
            #expect(counts.reads == 0)
        }
        #expect(try await catalog.documents().count == 3)
        await schedule.stop()
    }

    @Test func `The schedule runs in the background until it is stopped`() async throws {
        let broadcast = Broadcast()
        let clock = VirtualTime()
        let schedule = TermsSchedule(
            catalog: TermsCatalog(database: terms.database, time: clock),
            broadcast: broadcast,
            time: clock
        )
        try await terms.publish(1, ["effective_at": #""\#(time.now + .seconds(60))""#])
        let subscription = broadcast.subscribe(to: [.dutyRules])
        schedule.start()
        await clock.sleepers(atLeast: 1)
        await wait(until: "the version has taken effect") {
            clock.advance(by: .seconds(5))
            return subscription.take().contains(.published)
        }
        await schedule.stop()
    }
}
