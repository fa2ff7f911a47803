import LatchkeyModel
import LatchkeyTestKit
import LatchkeyTesting
import LatchkeyWire
import Testing

@testable import LatchkeyCore

@Suite(.timeLimit(.minutes(10))) struct `Session event streams` {
    private static let whoami = "GET /a/sessions/whoami"

    private let events = EventServer()

    /// Returns a device with a logged-in user.
    ///
    /// By default, the client follows the session's events.
    private func device(follows: Bool = true) async throws -> TestEngine {
        let device = try TestEngine(server: events.server, transport: events)
        _ = try await device.logIn()
        device.server.forgetRequests()
        if follows { device.engine.events.start() }
        return device
    }

    /// Advances the clock until a condition is met.
    private func advance(
        _ device: TestEngine,
        until condition: Comment,
        _ holds: @escaping @Sendable () -> Bool
    )
        async
    {
        let clock = Task {
            while !Task.isCancelled {
                await device.time.sleepers(atLeast: 1)
                device.time.advance(by: .seconds(1))
            }
        }
        await wait(until: condition) { holds() }
        clock.cancel()
    }

    @Test func `Events aren't requested unless the app asks for them`() async throws {
        let device = try await device(follows: false)
        _ = try await device.engine.check()
        device.engine.events.wake()
        for _ in 1...100 { await Task.yield() }
        #expect(events.opened == 0)
    }

    @Test func `Events are requested with the session token after login`() async throws {
        let device = try TestEngine(server: events.server, transport: events)
        device.engine.events.start()
        for _ in 1...100 { await Task.yield() }
        #expect(events.opened == 0)
        _ = try await device.logIn()
        let stream = try await events.stream()
        #expect(stream.request.headers["X-Session-Token"] == FakeIdentityServer.token)
        #expect(stream.request.headers["Accept"] == "text/event-stream")
        #expect(stream.lastEventID == nil)
        // Calling `start()` again doesn't open another stream.
        device.engine.events.start()
        for _ in 1...100 { await Task.yield() }
        #expect(events.opened == 1)
    }

    @Test func `A session-ended event ends the session only if the server confirms it`() async throws {
        let device = try await device()
        let stream = try await events.stream()
        stream.send("state", id: "1")
        stream.send("session_ended")
        await wait(until: "the session was checked") { device.server.log == [Self.whoami] }
        #expect(device.engine.keeper.held != nil)

        device.server.plan(Self.whoami, .respond(.refusal(401)))
        let again = try await reconnect(device)
        again.send("session_ended")
        await wait(until: "the session has ended") { device.engine.keeper.held == nil }
        #expect(events.opened == 2)
    }

    /// Waits for the device to reconnect, and returns the new stream.
    private func reconnect(_ device: TestEngine) async throws -> EventServer.Stream {
        let opened = events.opened
        await advance(device, until: "the device has reconnected") { [events] in events.opened > opened }
        return try await events.stream()
    }

    @Test func `A session-ended event is checked again after network errors`()
        async throws
    {
        let device = try await device()
        for _ in 1...3 { device.server.plan(Self.whoami, .fail(.unreachable)) }
        device.server.plan(Self.whoami, .respond(.refusal(401)))
        try await events.stream().send("session_ended")
        await wait(until: "the session was checked") { device.server.log.count == 1 }
        #expect(device.engine.keeper.held != nil)
        await advance(device, until: "the session has ended") { device.engine.keeper.held == nil }
        #expect(device.server.log == Array(repeating: Self.whoami, count: 4))
        // The client doesn't open another stream before it knows whether the session has ended.
        #expect(events.opened == 1)
    }

    @Test(arguments: ["identity_changed", "duties_changed"])
    func `An event about the identity or its duties refreshes the profile`(_ type: String) async throws {
        let device = try await device()
        device.server.plan(Self.whoami, .respond(.json(200, FakeIdentityServer.session(first: "Renamed"))))
        let stream = try await events.stream()
        stream.send(type, id: "2")
        await wait(until: "the profile is new") {
            device.engine.keeper.state.session?.identity.name?.first == "Renamed"
        }
        #expect(device.server.log == [Self.whoami])
        // The stream stays open.
        #expect(events.closed == 0)
        _ = stream
    }

    @Test func `A profile refresh is retried after network errors`() async throws {
        let device = try await device()
        device.server.plan(Self.whoami, .fail(.timedOut))
        device.server.plan(Self.whoami, .respond(.json(200, FakeIdentityServer.session(first: "Renamed"))))
        try await events.stream().send("identity_changed", id: "2")
        await advance(device, until: "the profile is new") {
            device.engine.keeper.state.session?.identity.name?.first == "Renamed"
        }
        #expect(device.engine.keeper.held != nil)
    }

    @Test func `A 401 during a profile refresh ends the session`() async throws {
        let device = try await device()
        device.server.plan(Self.whoami, .respond(.refusal(401)))
        try await events.stream().send("identity_changed", id: "2")
        await wait(until: "the session has ended") { device.engine.keeper.held == nil }
    }

    @Test func `Unknown event types are ignored`() async throws {
        let device = try await device()
        let observed = Locked<[SessionEventType]>([])
        let observer = device.engine.events.observe { type in observed.withLock { $0.append(type) } }
        let stream = try await events.stream()
        stream.send("unheard_of")
        stream.send(Array(":\n\nretry: x\nid: 9\ndata\n\n".utf8))
        stream.send("transactions_changed", id: "3")
        await wait(until: "the event was observed") { !observed.withLock { $0.isEmpty } }
        #expect(observed.withLock { $0 } == [.transactionsChanged])
        withExtendedLifetime(observer) {}
        #expect(device.server.log == [])
    }

    @Test func `A lost stream resumes after the last event`() async throws {
        let device = try await device()
        let first = try await events.stream()
        first.send("state", id: "1")
        first.send("transactions_changed", id: "2")
        first.end(.unreachable)
        let second = try await reconnect(device)
        #expect(second.lastEventID == "2")
        second.end()
        let third = try await reconnect(device)
        #expect(third.lastEventID == "2")
        #expect(device.server.log == [])
    }

    @Test func `The delay between requests increases with each failure`() async throws {
        let device = try await device()
        let start = device.time.uptime
        let stream = try await events.stream()
        for _ in 1...8 { events.fail(.unreachable) }
        stream.end(.unreachable)
        await advance(device, until: "the device has reconnected") { [events] in events.opened == 10 }
        // Even without jitter, nine pauses take 2 + 4 + … + 256 + 300 seconds.
        #expect(device.time.uptime - start > .seconds(800))
    }

    @Test func `The session is checked if the server rejects the stream`() async throws {
        events.answer(.refusal(401, "session_inactive"))
        let device = try await device()
        await wait(until: "the session was checked") { device.server.log == [Self.whoami] }
        #expect(device.engine.keeper.held != nil)
        events.answer(.refusal(401, "session_inactive"))
        device.server.plan(Self.whoami, .respond(.refusal(401)))
        await advance(device, until: "the session has ended") { device.engine.keeper.held == nil }
        #expect(events.opened == 2)
    }

    @Test(arguments: [429, 503])
    func `Events aren't requested again before the Retry-After time has passed`(_ status: Int) async throws {
        var refusal = HTTP.Response.refusal(status)
        refusal.headers["Retry-After"] = "500"
        events.answer(refusal)
        let device = try await device()
        await wait(until: "a request was refused") { events.opened == 1 }
        let start = device.time.uptime
        _ = try await reconnect(device)
        #expect(device.time.uptime - start >= .seconds(500))
    }

    @Test(arguments: [404, 405])
    func `Servers without session events are asked only once an hour`(_ status: Int) async throws {
        events.answer(.refusal(status))
        let device = try await device()
        await wait(until: "a request was refused") { events.opened == 1 }
        let start = device.time.uptime
        _ = try await reconnect(device)
        #expect(device.time.uptime - start >= .seconds(3600))
        #expect(device.engine.keeper.held != nil)
    }

    @Test(arguments: ["a page", "no type", "a redirect", "unauthenticated", "an error", "an endless line"])
    func `Unexpected responses don't end the session`(_ answer: String) async throws {
        switch answer {
        case "a page":
            let page = Array("<p>Please pay for your Wi-Fi.".utf8)
            events.answer(HTTP.Response(200, headers: ["Content-Type": "text/html"], body: page))
        case "no type": events.answer(HTTP.Response(200))
        case "a redirect": events.answer(HTTP.Response(302))
        case "unauthenticated": events.answer(.refusal(401))
        case "an error": events.answer(.refusal(500))
        default:
            let line = [UInt8](repeating: 0x78, count: 9000)
            events.answer(HTTP.Response(200, headers: ["Content-Type": "text/event-stream"], body: line))
        }
        let device = try await device()
        await wait(until: "a request was answered") { events.opened == 1 }
        _ = try await reconnect(device)
        #expect(device.engine.keeper.held != nil)
    }

    @Test func `Checking the session ends the pause before reconnecting`() async throws {
        let device = try await device()
        try await events.stream().end(.unreachable)
        await device.time.sleepers(atLeast: 1)
        // A check has no effect shortly after an attempt to connect.
        device.engine.events.wake()
        for _ in 1...100 { await Task.yield() }
        #expect(events.opened == 1)

        // The second attempt follows within a minute, and the third one would follow after an hour.
        events.answer(.refusal(404))
        device.time.advance(by: .seconds(60))
        await wait(until: "a request was refused") { events.opened == 2 }
        await device.time.sleepers(atLeast: 1)
        device.time.advance(by: .seconds(6))
        device.engine.events.wake()
        await wait(until: "the device has reconnected") { events.opened == 3 }
    }

    @Test func `Signing out closes the stream`() async throws {
        let device = try await device()
        var stream: EventServer.Stream? = try await events.stream()
        stream?.send("state", id: "1")
        stream = nil
        _ = device.engine.keeper.signOut()
        await wait(until: "the stream is closed") { events.closed == 1 }
        #expect(events.opened == 1)
        // The next login opens a new stream.
        _ = try await device.logIn()
        #expect(try await events.stream().lastEventID == nil)
    }

    @Test func `An open stream doesn't retain the engine`() async throws {
        var device: TestEngine? = try await device()
        var stream: EventServer.Stream? = try await events.stream()
        stream?.send("state", id: "1")
        stream = nil
        weak let keeper = device?.engine.keeper
        weak let followed = device?.engine.events
        device = nil
        await wait(until: "the stream is closed") { events.closed == 1 }
        #expect(followed == nil)
        await wait(until: "the keeper is released") { keeper == nil }
    }

    @Test func `Reconnecting clients don't all connect at the same time`() {
        let clients = 1000
        var pauses = (0..<clients).map { _ in ReconnectPause() }
        let randoms = (0..<clients).map { SeededRandom(seed: UInt64($0) &+ 77) }
        // All streams are disconnected at the same moment, and the next three attempts to reconnect fail.
        var times = [Duration](repeating: .zero, count: clients)
        for round in 1...4 {
            var seconds: [Int64: Int] = [:]
            for client in 0..<clients {
                times[client] += pauses[client].next(
                    atLeast: .zero,
                    at: times[client],
                    random: randoms[client]
                )
                seconds[times[client].components.seconds, default: 0] += 1
            }
            let most = seconds.values.max() ?? 0
            #expect(seconds.count >= 10, "round \(round)")
            #expect(most <= clients * 3 / 20, "round \(round): \(most) clients in one second")
        }
    }
}

@Suite(.timeLimit(.minutes(10))) struct `Session event polling` {
    private static let path = "/a/sessions/events"
    private static let poll = "GET /a/sessions/events"
    private static let whoami = "GET /a/sessions/whoami"

    private func body(_ types: String..., id: String) -> HTTP.Response {
        let events = types.map { #"{"id":"\#(id)","type":"\#($0)"}"# }.joined(separator: ",")
        return .json(200, #"{"events":[\#(events)],"last_id":"\#(id)"}"#)
    }

    @Test func `Events are polled if the transport can't stream`() async throws {
        let device = try await TestEngine.loggedIn()
        device.server.plan(Self.poll, .respond(body("state", id: "1")))
        device.server.plan(Self.poll, .respond(body("identity_changed", id: "2")))
        device.server.plan(Self.poll, .respond(body("session_ended", id: "")))
        device.server.plan(Self.whoami, .respond(.json(200, FakeIdentityServer.session(first: "Renamed"))))
        device.server.plan(Self.whoami, .respond(.refusal(401)))
        device.engine.events.start()
        await wait(until: "the session has ended") { device.engine.keeper.held == nil }
        #expect(
            device.server.requests.map(\.path) == [
                Self.path, Self.path, "/a/sessions/whoami", Self.path, "/a/sessions/whoami",
            ]
        )
        #expect(
            device.server.requests.filter { $0.path.hasSuffix("events") }.map(\.query) == [
                "wait=25", "wait=25&after=1", "wait=25&after=2",
            ]
        )
    }

    @Test func `The client pauses between polls if the server responds immediately`() async throws {
        let device = try await TestEngine.loggedIn()
        device.server.plan(Self.poll, .respond(body("state", id: "1")))
        for _ in 1...20 { device.server.plan(Self.poll, .respond(body(id: "1"))) }
        device.engine.events.start()
        await device.time.sleepers(atLeast: 1)
        for _ in 1...100 { await Task.yield() }
        #expect(device.server.requests.map(\.path) == [Self.path, Self.path])
    }
}
