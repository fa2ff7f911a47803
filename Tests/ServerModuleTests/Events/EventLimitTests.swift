import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite("Limits on event streams", .onEachDatabase)
struct EventLimitTests {
    private func expectRefusal(_ answer: Answer, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(answer.status == 429 && answer.errorID == .tooManyRequests, sourceLocation: sourceLocation)
        let seconds = answer.response.headers["Retry-After"].flatMap { Int($0) } ?? 0
        #expect((10..<60).contains(seconds), sourceLocation: sourceLocation)
    }

    @Test func `A session can have four streams until one of them is closed`() async throws {
        let account = try await ProvenAccount()
        let server = account.server
        var streams: [FollowedSession] = []
        for _ in 1...4 { streams.append(try await server.follow(account.token)) }
        expectRefusal(await server.stream(account.token))
        expectRefusal(await server.poll(account.token))
        #expect(server.resources.metrics.events.streams == 4)

        streams.removeLast().leave()
        await wait(until: "the stream is closed") { server.resources.metrics.events.streams == 3 }
        streams.append(try await server.follow(account.token))
        for stream in streams { stream.leave() }
    }

    @Test func `An account can have sixteen streams`() async throws {
        let account = try await ProvenAccount()
        var streams: [FollowedSession] = []
        for _ in 1...4 {
            let token = try await account.logIn()
            for _ in 1...4 { streams.append(try await account.server.follow(token)) }
        }
        expectRefusal(await account.server.stream(account.token))
        for stream in streams { stream.leave() }
        await wait(until: "all streams are closed") { account.server.resources.metrics.events.streams == 0 }
        #expect(account.server.resources.database.broadcast.topicCount == 0)
    }

    @Test func `The oldest stream of the account with the most streams is closed when there are too many`()
        async throws
    {
        let server = try await SelfServiceServer { $0.events.streams = 5 }
        let hungry = try #require(try await server.register(1)["session_token"]?.text)
        var streams: [FollowedSession] = []
        for _ in 1...4 { streams.append(try await server.follow(hungry)) }
        var others: [FollowedSession] = []
        for number in 2...5 {
            let token = try #require(try await server.register(number)["session_token"]?.text)
            others.append(try await server.follow(token))
        }

        // Each of the last three streams displaced one of the four, in the order in which they were opened.
        for stream in streams.prefix(3) { await stream.expectEnd() }
        #expect(streams.prefix(3).allSatisfy { $0.types == ["state"] })
        #expect(!streams[3].hasEnded)
        #expect(!others.contains { $0.hasEnded })
        #expect(server.resources.metrics.events.streams == 5)
        for stream in streams + others { stream.leave() }
        await wait(until: "all streams are closed") { server.resources.metrics.events.streams == 0 }
        #expect(server.resources.database.broadcast.topicCount == 0)
    }

    @Test func `An account can't displace the streams of accounts with as many`() async throws {
        let server = try await SelfServiceServer { $0.events.streams = 3 }
        var tokens: [String] = []
        for number in 1...4 {
            tokens.append(try #require(try await server.register(number)["session_token"]?.text))
        }
        var streams: [FollowedSession] = []
        for token in tokens.prefix(3) { streams.append(try await server.follow(token)) }

        // A second stream only replaces the first one of the same account.
        let second = try await server.follow(tokens[2])
        await streams[2].expectEnd()
        #expect(!streams[0].hasEnded && !streams[1].hasEnded)
        // If every account has one stream, a new account takes the place of the oldest.
        let newcomer = try await server.follow(tokens[3])
        await streams[0].expectEnd()
        #expect(!streams[1].hasEnded && !second.hasEnded && !newcomer.hasEnded)
        for stream in streams + [second, newcomer] { stream.leave() }
    }

    @Test func `A poll that another stream displaces is told to wait`() async throws {
        let account = try await ProvenAccount { $0.events.streams = 1 }
        let server = account.server
        let last = try #require(await server.poll(account.token).body["last_id"]?.text)
        async let poll = server.poll(account.token, after: last, wait: 60)
        await wait(until: "the poll waits") { server.resources.metrics.events.streams == 1 }
        let stream = try await server.follow(try await account.logIn())

        expectRefusal(await poll)
        #expect(!stream.hasEnded)
        stream.leave()
    }

    @Test func `By default, streams use at most half of the connections`() async throws {
        let server = try await SelfServiceServer { $0.connections.limit = 16 }
        var streams: [FollowedSession] = []
        for number in 1...3 {
            let token = try #require(try await server.register(number)["session_token"]?.text)
            for _ in 1...4 { streams.append(try await server.follow(token)) }
        }

        #expect(server.resources.metrics.events.streams == 8)
        for stream in streams { stream.leave() }
    }

    @Test func `A stream isn't counted if its response was never sent`() async throws {
        let account = try await ProvenAccount()
        for _ in 1...10 {
            #expect(await account.server.send(Self.events(.get, account.token)).status == 200)
        }
        #expect(account.server.resources.metrics.events.streams == 0)
    }

    @Test(arguments: ["text/event-stream", "application/json"])
    func `HEAD neither waits for events nor takes the place of a stream`(_ type: String) async throws {
        let account = try await ProvenAccount { $0.events.streams = 1 }
        let server = account.server
        let last = try #require(await server.poll(account.token).body["last_id"]?.text)
        let stream = try await server.follow(account.token)

        var head = Self.events(.head, account.token, accepting: type)
        head.query = "wait=60&after=" + last
        let answer = await server.send(head)

        #expect(answer.status == 200)
        #expect(answer.response.headers["Content-Type"]?.hasPrefix(type) == true)
        #expect(await answer.response.received(for: .head).headers["Content-Length"] == nil)
        #expect(!stream.hasEnded && server.resources.metrics.events.streams == 1)
        stream.leave()
    }

    private static func events(
        _ method: HTTP.Method,
        _ token: String,
        accepting type: String = "text/event-stream"
    ) -> HTTP.Request {
        HTTP.Request(
            method,
            "/a" + Route.sessionEvents,
            headers: ["Accept": type, "X-Session-Token": token]
        )
    }
}

@Suite("Long polling for session events", .onEachDatabase)
struct EventPollTests {
    @Test func `The first poll returns the current state immediately`() async throws {
        let account = try await ProvenAccount()
        let answer = await account.server.poll(account.token)
        #expect(answer.status == 200 && answer.eventTypes == ["state"])
        let id = try #require(answer["last_id"]?.text)
        #expect(answer.body["events"]?.elements.first?["id"]?.text == id)
        // Streams and polls use the same event ids.
        let followed = try await account.server.follow(account.token)
        #expect(followed.lastID == id)
        followed.leave()
    }

    @Test func `A poll waits for the next event`() async throws {
        let account = try await ProvenAccount()
        let server = account.server
        let id = try #require(await server.poll(account.token)["last_id"]?.text)
        async let waiting = server.poll(account.token, after: id, wait: 60)
        await wait(until: "the poll waits") { server.resources.metrics.events.streams == 1 }
        let body = #"[{"op": "add", "path": "/metadata_public", "value": {"tier": "gold"}}]"#
        #expect(await account.operate(.patch, "", body).status == 200)
        let answer = await waiting
        #expect(answer.eventTypes == ["identity_changed"])
        #expect(answer["last_id"]?.text != id)
        // If the client polls with the previous id again, for example because it never got the response, it
        // gets the event immediately.
        #expect(await server.poll(account.token, after: id).eventTypes == ["identity_changed"])
    }

    @Test func `A poll reports that the session has ended`() async throws {
        let account = try await ProvenAccount()
        let server = account.server
        let id = try #require(await server.poll(account.token)["last_id"]?.text)
        async let waiting = server.poll(account.token, after: id, wait: 60)
        await wait(until: "the poll waits") { server.resources.metrics.events.streams == 1 }
        #expect(try await server.logOut(account.token).status == 204)
        #expect(await waiting.eventTypes == ["session_ended"])
        #expect(await server.poll(account.token, after: id).status == 401)
    }

    @Test(arguments: [nil, 0, 60])
    func `A poll without events returns once the wait has passed`(_ seconds: Int?) async throws {
        let account = try await ProvenAccount()
        let server = account.server
        let id = try #require(await server.poll(account.token)["last_id"]?.text)
        let start = server.time.now
        let answer = await server.time.advancing(by: .seconds(1)) {
            await server.poll(account.token, after: id, wait: seconds)
        }
        #expect(answer.status == 200 && answer.eventTypes == [] && answer["last_id"]?.text == id)
        let waited = server.time.now - start
        #expect(waited >= .seconds(seconds ?? 25))
    }

    @Test func `A poll is woken as soon as its wait has passed`() async throws {
        let account = try await ProvenAccount()
        let server = account.server
        let id = try #require(await server.poll(account.token)["last_id"]?.text)
        async let waiting = server.poll(account.token, after: id, wait: 25)
        await wait(until: "the poll waits") { server.resources.metrics.events.streams == 1 }
        await server.time.sleepers(atLeast: 1)
        server.time.advance(by: .seconds(26))
        #expect(await waiting.eventTypes == [])
    }

    @Test func `A poll ends on time even if the clock is set back`() async throws {
        let account = try await ProvenAccount()
        let server = account.server
        let id = try #require(await server.poll(account.token)["last_id"]?.text)
        let start = server.time.uptime
        let poll = Task { await server.poll(account.token, after: id, wait: 25) }
        await wait(until: "the poll waits") { server.resources.metrics.events.streams == 1 }
        server.time.stepWallClock(by: .seconds(-3600))
        let answer = await server.time.advancing(by: .seconds(1)) { await poll.value }
        #expect(answer.status == 200 && answer.eventTypes == [])
        #expect(server.time.uptime - start < .seconds(600))
    }

    @Test func `A poll returns when the server stops`() async throws {
        let account = try await ProvenAccount()
        let server = account.server
        let id = try #require(await server.poll(account.token)["last_id"]?.text)
        async let waiting = server.poll(account.token, after: id, wait: 60)
        await wait(until: "the poll waits") { server.resources.metrics.events.streams == 1 }
        server.assembly.endWaits()
        #expect(await waiting.eventTypes == [])
    }

    @Test(arguments: ["-1", "61", "x", "1.5", "999999999999999999999", "１"])
    func `A malformed wait parameter is rejected`(_ wait: String) async throws {
        let account = try await ProvenAccount()
        let request = HTTP.Request(
            .get,
            "/a" + Route.sessionEvents,
            query: "wait=" + QueryItems.encode(wait),
            headers: ["X-Session-Token": account.token]
        )
        #expect(await account.server.send(request).status == 400)
    }
}
