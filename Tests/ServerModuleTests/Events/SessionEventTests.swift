import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyAccounts

@Suite("Session event stream", .onEachDatabase)
struct SessionEventTests {
    @Test func `The stream begins with the state of the session`() async throws {
        let account = try await ProvenAccount()
        let followed = try await account.server.follow(account.token)

        #expect(followed.head.status == 200)
        #expect(followed.head.headers["Content-Type"] == "text/event-stream")
        #expect(followed.head.headers["Cache-Control"] == "no-store, no-transform")
        let session = await account.server.get("/sessions/whoami", token: account.token)
        let first = try #require(followed.events.first)
        let data = try JSONCoding.decode(JSONValue.self, from: Array(first.data.utf8))
        #expect(first.type == "state")
        #expect(data["session_id"] == session["id"])
        #expect(data["expires_at"] == session["expires_at"])
        #expect((5000..<10_000).contains(followed.retry ?? 0))
    }

    @Test func `Clients are asked to reconnect after different delays`() async throws {
        let account = try await ProvenAccount()
        var streams: [FollowedSession] = []
        for _ in 1...4 { streams.append(try await account.server.follow(account.token)) }

        #expect(Set(streams.map(\.retry)).count > 1)
    }

    /// The ways in which a session can end.
    enum Ending: String, CaseIterable {
        case logout, revocation, revocationOfOthers, revocationByOperator
        case deletionByOperator, recovery, newPassword, newPasswordByOperator, removedPassword, disabling
        case deletion, erasureByOperator, expiry
    }

    @Test(arguments: Ending.allCases)
    func `The stream reports that the session has ended and then closes`(_ ending: Ending) async throws {
        let account = try await ProvenAccount()
        let server = account.server
        // We follow a different session from the one in which the change is made.
        let token = try await account.logIn()
        let id = try #require(await server.get("/sessions/whoami", token: token)["id"]?.text)
        let followed = try await server.follow(token)
        await server.time.sleepers(atLeast: 1)

        switch ending {
        case .logout: #expect(try await server.logOut(token).status == 204)
        case .revocation:
            #expect(await server.delete("/sessions/\(id)", token: account.token).status == 204)
        case .revocationOfOthers:
            #expect(await server.delete("/sessions", token: account.token).status == 200)
        case .revocationByOperator:
            #expect(await account.admin.send(.delete, "/admin/sessions/\(id)").status == 204)
        case .deletionByOperator:
            #expect(await account.operate(.delete, "/sessions").status == 204)
        case .recovery: _ = try await account.open(.recovery, with: ProvenAccount.mail)
        case .newPassword:
            _ = try await server.change(password: ProvenAccount.newPassword, token: account.token)
        case .newPasswordByOperator:
            #expect(await account.operate(.put, "", AdminServer.body(1, AdminServer.password)).status == 200)
        case .removedPassword:
            #expect(await account.operate(.delete, "/credentials/password").status == 204)
        case .disabling:
            let body = #"[{"op": "replace", "path": "/state", "value": "inactive"}]"#
            #expect(await account.operate(.patch, "", body).status == 200)
        case .deletion: #expect(await server.delete("/account", token: account.token).status == 202)
        case .erasureByOperator: #expect(await account.operate(.delete).status == 204)
        case .expiry: server.time.advance(by: .seconds(30 * 86_400))
        }

        await followed.expectEnd()
        #expect(followed.types.first == "state" && followed.types.last == "session_ended")
        #expect(followed.types.count { $0 == "session_ended" } == 1)
        #expect(await !server.isAlive(token))
        #expect(await server.stream(token).status == 401)
    }

    @Test func `The stream closes when the owner of the address takes over the account`() async throws {
        let claimed = try await ClaimedAccount()
        let followed = try await claimed.server.follow(claimed.attackersToken)
        _ = try await claimed.server.enter(.login, with: ClaimedAccount.mail)
        await followed.expectEnd()
        #expect(followed.types.last == "session_ended")
    }

    @Test func `The stream stays open when another session ends`() async throws {
        let account = try await ProvenAccount()
        let other = try await account.logIn()
        let followed = try await account.server.follow(account.token)
        #expect(try await account.server.logOut(other).status == 204)
        // If the next event is about this session, the stream hasn't reported the other session's end.
        #expect(try await account.server.logOut(account.token).status == 204)
        await followed.expect(["state", "session_ended"])
    }

    @Test(arguments: ["traits", "traits by the operator", "metadata"])
    func `The stream reports that the identity has changed`(_ change: String) async throws {
        let account = try await ProvenAccount()
        let followed = try await account.server.follow(account.token)
        let before = followed.lastID
        switch change {
        case "traits":
            let traits = ProvenAccount.traits(phone: ProvenAccount.newPhone)
            #expect(try await account.server.change(traits: traits, token: account.token).status == 200)
        case "traits by the operator":
            let body = #"[{"op": "replace", "path": "/traits/email", "value": "new@example.org"}]"#
            #expect(await account.operate(.patch, "", body).status == 200)
        default:
            let body = #"[{"op": "add", "path": "/metadata_public", "value": {"tier": "gold"}}]"#
            #expect(await account.operate(.patch, "", body).status == 200)
        }
        await wait(until: "an event has arrived") { followed.types.count > 1 }
        #expect(Set(followed.types.dropFirst()) == ["identity_changed"])
        #expect(followed.lastID != before)
        followed.leave()
    }

    @Test func `A stream ends with the token that opened it, and the stream of the new token continues`()
        async throws
    {
        let account = try await ProvenAccount()
        let server = account.server
        let old = try await account.logIn()
        let stolen = try await server.follow(old)
        let renewed = try await account.authenticateAgain(old)
        // Until the new token is used, the old one and its streams stay valid.
        server.time.advance(by: .seconds(3600))
        let current = try await server.follow(renewed)
        await server.time.sleepers(atLeast: 1)
        server.time.advance(by: .seconds(59))
        #expect(await server.isAlive(old))
        #expect(!stolen.hasEnded)
        await server.time.sleepers(atLeast: 1)
        server.time.advance(by: .seconds(2))
        await stolen.expectEnd()
        // The session continues, so the stream doesn't report that it has ended.
        #expect(stolen.types == ["state"])
        #expect(await !server.isAlive(old))

        let body = #"[{"op": "add", "path": "/metadata_public", "value": {"tier": "gold"}}]"#
        #expect(await account.operate(.patch, "", body).status == 200)
        await current.expect(["state", "identity_changed"])
        #expect(stolen.types == ["state"])
        current.leave()
    }

    @Test func `A stream that was opened with a replaced token ends with it`() async throws {
        let account = try await ProvenAccount()
        let server = account.server
        let renewed = try await account.authenticateAgain(account.token)
        #expect(await server.isAlive(renewed))
        let late = try await server.follow(account.token)
        let last = try #require(await server.poll(account.token).body["last_id"]?.text)
        async let poll = server.poll(account.token, after: last, wait: 60)
        await wait(until: "the poll waits") { server.resources.metrics.events.streams == 2 }
        await server.time.sleepers(atLeast: 1)
        server.time.advance(by: .seconds(61))
        await late.expectEnd()
        #expect(late.types == ["state"])
        #expect(await poll.eventTypes == [])
        #expect(await server.stream(account.token).status == 401)
    }

    @Test func `An open stream ends a minute after its token was replaced`() async throws {
        let account = try await ProvenAccount()
        let server = account.server
        let followed = try await server.follow(account.token)
        let renewed = try await account.authenticateAgain(account.token)
        // The old token remains valid until a minute after the new one is first used.
        #expect(await server.isAlive(renewed))
        // The state is read every few minutes in any case.
        for _ in 1...120 where !followed.hasEnded {
            await server.time.sleepers(atLeast: 1)
            server.time.advance(by: .seconds(1))
            // The clock must not outrun the reads, even on a busy machine.
            for _ in 1...200 { await Task.yield() }
            await wait(until: "the state has been read") { server.database.readsInProgress == 0 }
        }
        await followed.expectEnd()
        #expect(followed.types == ["state"])
        #expect(await server.isAlive(renewed))
    }

    @Test func `The stream of a session that was extended stays open`() async throws {
        let account = try await ProvenAccount()
        let token = try await account.logIn()
        account.server.time.advance(by: .seconds(29 * 86_400))
        let renewed = try await account.authenticateAgain(token)
        let followed = try await account.server.follow(renewed)
        await account.server.time.sleepers(atLeast: 1)
        account.server.time.advance(by: .seconds(10 * 86_400))
        await wait(until: "the state was read after the old expiry") { followed.comments > 0 }
        #expect(try await account.server.logOut(renewed).status == 204)
        await followed.expect(["state", "session_ended"])
    }

    @Test func `A resumed stream reports the changes since the last event`() async throws {
        let account = try await ProvenAccount()
        let server = account.server
        let first = try await server.follow(account.token)
        let id = first.lastID
        first.leave()
        let unchanged = try await server.follow(account.token, after: id)
        #expect(unchanged.types == ["state"] && unchanged.lastID == id)
        unchanged.leave()

        let body = #"[{"op": "add", "path": "/metadata_public", "value": {"tier": "gold"}}]"#
        #expect(await account.operate(.patch, "", body).status == 200)
        let resumed = try await server.follow(account.token, after: id)
        await resumed.expect(["state", "identity_changed"])
        resumed.leave()
        // If the server doesn't recognize the id, it only sends the state.
        for unknown in ["", "ended", "0", "zz", String(repeating: "0", count: 5000)] {
            let other = try await server.follow(account.token, after: unknown)
            #expect(other.types == ["state"])
            other.leave()
            await wait(until: "the stream is closed") { server.resources.metrics.events.streams <= 1 }
        }
    }

    @Test func `An idle client receives comments at varying intervals`() async throws {
        let account = try await ProvenAccount()
        let followed = try await account.server.follow(account.token)
        let time = account.server.time
        // The second of the virtual clock at which each comment was received.
        var seconds: [Int] = []
        for second in 1...500 {
            await time.sleepers(atLeast: 1)
            time.advance(by: .seconds(1))
            await time.sleepers(atLeast: 1)
            // The clock must not outrun the stream, even on a busy machine.
            for _ in 1...200 { await Task.yield() }
            while seconds.count < followed.comments { seconds.append(second) }
        }
        let intervals = zip(seconds.dropFirst(), seconds).map { $0 - $1 }
        #expect(seconds.count >= 15 && seconds.count <= 25)
        #expect(Set(intervals).count > 3, "\(intervals)")
        #expect(followed.types == ["state"])
        followed.leave()
    }

    @Test func `Changes that a slow client hasn't read yet are merged`() async throws {
        let account = try await ProvenAccount()
        let (isOpen, parts) = (Locked(false), Locked(0))
        let followed = try FollowedSession(await account.server.stream(account.token).response) {
            parts.withLock { $0 += 1 }
            while !isOpen.withLock({ $0 }), !Task.isCancelled { await Task.yield() }
        }
        await wait(until: "the first part is written") { parts.withLock { $0 } == 1 }
        for number in 1...20 {
            let body = #"[{"op": "add", "path": "/metadata_public", "value": {"tier": \#(number)}}]"#
            #expect(await account.operate(.patch, "", body).status == 200)
        }
        isOpen.withLock { $0 = true }
        #expect(try await account.server.logOut(account.token).status == 204)
        await followed.expectEnd()
        // The changes cause at most one read of the state, and the end of the session causes another one.
        #expect(followed.types.count <= 3 && followed.types.last == "session_ended")
    }

    @Test func `The stream ends when the access token that opened it has expired`() async throws {
        let server = try await OAuthServer()
        let pair = try await TokenDevice(server).exchange()
        let request = HTTP.Request(
            .get,
            "/a" + Route.sessionEvents,
            headers: [
                "Accept": "text/event-stream", "Authorization": "Bearer " + pair.accessToken.exposed,
            ]
        )
        let followed = try FollowedSession(await server.send(request).response)
        await followed.expect(["state"])
        await server.time.sleepers(atLeast: 1)
        server.time.advance(by: .seconds(pair.expiresIn))
        await followed.expectEnd()
        #expect(followed.types == ["state"])
    }

    @Test func `The state is read again after a database error`() async throws {
        let account = try await ProvenAccount()
        let server = account.server
        let broken = FailingDatabase(server.resources.database)
        let endpoints = server.events(on: broken)
        let response = try await endpoints.endpoints[0].answer(server.context(account.token))
        let followed = try FollowedSession(response)
        await wait(until: "the first event has arrived") { !followed.events.isEmpty }
        broken.fail(reads: 3, transactions: [])
        #expect(try await server.logOut(account.token).status == 204)
        // The reads are repeated every five seconds, and the periodic read would only follow after minutes.
        for _ in 1...200 where !followed.hasEnded {
            await server.time.sleepers(atLeast: 1)
            server.time.advance(by: .seconds(1))
            // The clock should not outrun the reads on a busy machine.
            for _ in 1...200 { await Task.yield() }
            await wait(until: "the state has been read") { broken.readsInProgress == 0 }
        }
        await followed.expectEnd()
        #expect(followed.types == ["state", "session_ended"])
    }

    @Test func `The state is read periodically in case a notification gets lost`() async throws {
        let account = try await ProvenAccount()
        let followed = try await account.server.follow(account.token)
        // This change doesn't send a notification.
        try await account.server.resources.database.transaction { transaction in
            _ = try transaction.execute("UPDATE sessions SET revoked_at = $1", .integer(1))
        }
        // The next reading is scheduled some time after the first event has arrived.
        await wait(until: "the end was read") {
            account.server.time.advance(by: .seconds(60))
            return followed.types.count > 1
        }
        await followed.expect(["state", "session_ended"])
    }

    @Test func `The stream reports changes to other modules' data`() async throws {
        let account = try await ProvenAccount()
        let server = account.server
        let revision = Locked(Int64(1))
        let source = SessionEventSource(.transactionsChanged, topic: .transactions) { _ in
            revision.withLock { $0 }
        }
        let endpoints = server.events(on: server.resources.database, sources: [source])
        let answer = endpoints.endpoints[0].answer
        let followed = try FollowedSession(await answer(server.context(account.token)))
        await wait(until: "the first event has arrived") { !followed.events.isEmpty }
        let id = followed.lastID

        revision.withLock { $0 = 2 }
        try await server.resources.database.transaction { try $0.publish(.transactions(of: account.id)) }

        await followed.expect(["state", "transactions_changed"])
        let resumed = try FollowedSession(await answer(server.context(account.token, after: id)))
        await resumed.expect(["state", "transactions_changed"])
        followed.leave()
        resumed.leave()
    }

    @Test func `The stream closes without an event when the server stops`() async throws {
        let account = try await ProvenAccount()
        let followed = try await account.server.follow(account.token)
        account.server.assembly.endWaits()
        await followed.expectEnd()
        #expect(followed.types == ["state"])
        let later = await account.server.stream(account.token)
        #expect(later.status == 503)
        #expect((5..<30).contains(Int(later.response.headers["Retry-After"] ?? "") ?? 0))
    }

    @Test func `The stream requires a full session and can be disabled`() async throws {
        let account = try await ProvenAccount()
        for token in ["", "lk_st_unknown"] {
            let answer = await account.server.stream(token)
            #expect(answer.status == 401 && answer.errorID == .sessionInactive)
        }
        let customers = try await SelfServiceServer(schema: "customer")
        _ = try await customers.customer()
        let provisional = try await customers.login("+439999999999", "000000")["session_token"]?.text
        #expect(await customers.stream(try #require(provisional)).status == 403)

        let off = try await SelfServiceServer { $0.events.isEnabled = false }
        let token = try #require(try await off.register()["session_token"]?.text)
        // Without the event routes, the path matches the route for a single session, which doesn't support
        // this method.
        #expect(await off.stream(token).status == 405)
    }
}

extension SelfServiceServer {
    /// Creates the endpoints for session events with a different database.
    func events(on database: any Database, sources: [SessionEventSource] = []) -> SessionEventEndpoints {
        let sessions = SessionRepository(database: database)
        return SessionEventEndpoints(
            authenticator: SessionAuthenticator(
                sessions: sessions,
                privilegedAge: .seconds(3600),
                cookie: "latchkey_session",
                origins: TrustedOrigins([]),
                duties: assembly.accounts.duties
            ),
            sessions: sessions,
            broadcast: database.broadcast,
            sources: sources,
            duties: Duties([], sessions: sessions, clients: ClientRegistry(database: database, time: time)),
            settings: configuration.events,
            limit: configuration.eventStreams,
            metrics: resources.metrics.events,
            time: time,
            random: SystemRandom()
        )
    }

    /// Returns the context of a request for an event stream.
    func context(_ token: String, after id: String? = nil) -> RequestContext {
        var headers: HTTP.Headers = ["Accept": "text/event-stream", "X-Session-Token": token]
        if let id { headers["Last-Event-ID"] = id }
        return RequestContext(
            HTTP.Request(.get, Route.sessionEvents, headers: headers),
            from: PeerAddress(host: "192.0.2.1", port: 1),
            at: time.now,
            accepting: .sessionOrScope(.events)
        )
    }
}
