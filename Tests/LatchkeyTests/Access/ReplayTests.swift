import Latchkey
import LatchkeyCore
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) @MainActor struct `Actions that are repeated after a login` {
    /// An app with a logged-in user whose session has ended on the server.
    ///
    /// The app's API rejects the session.
    private struct EndedSession {
        let app: TestApp<MemoryStore>
        /// The idempotency key of each request that was sent to the shop.
        let keys = Locked<[String?]>([])

        init() async throws {
            app = try await TestApp.loggedIn()
            let (server, keys) = (app.server, keys)
            app.network.serve("https://api.example.com") { request in
                keys.withLock { $0.append(request.headers["Idempotency-Key"]) }
                guard let token = request.headers["Authorization"] else { return HTTP.Response(401) }
                let headers: HTTP.Headers = ["Authorization": token]
                let whoami = HTTP.Request(.get, "/a/sessions/whoami", headers: headers)
                let reply = try? await server.transport().send(whoami, to: TestServer.url)
                return HTTP.Response(reply?.status ?? 503)
            }
            try await app.server.endAllSessions()
        }

        /// Sends a request as the user.
        func order(_ method: HTTP.Method = .post, with access: SessionAccess) async throws -> Int {
            try await access.send(HTTP.Request(method, "/orders"), to: TokenCheckingAPI.url).status
        }
    }

    @Test func `An action whose session has ended runs again after one login`() async throws {
        let ended = try await EndedSession()
        let presenter = ended.app.presenter { login in
            #expect(login.reason == .sessionEnded)
            await login.logIn()
        }
        let runs = Locked(0)

        let status = try await ended.app.client.withSession { access in
            runs.withLock { $0 += 1 }
            return try await ended.order(with: access)
        }

        #expect(status == 200)
        #expect(runs.withLock { $0 } == 2)
        #expect(presenter.logins.count == 1)
    }

    @Test func `Another server of the app can't ask for a step`() async throws {
        let app = try await TestApp.loggedIn()
        app.network.serve(TokenCheckingAPI.url) { _ in
            let body = """
                {"error": {"id": "duty_required", "code": 403, "status": "Forbidden", \
                "message": "Verify an address first.", "duty": "verify_address"}}
                """
            return HTTP.Response(403, headers: ["Content-Type": "application/json"], body: Array(body.utf8))
        }
        let presenter = app.presenter { $0.dismiss() }

        let status = try await app.client.withSession { access in
            try await access.send(HTTP.Request(.post, "/orders"), to: TokenCheckingAPI.url).status
        }

        #expect(status == 403)
        #expect(presenter.logins.isEmpty)
    }

    @Test func `A request that another server of the app refuses counts as sent`() async throws {
        let ended = try await EndedSession()
        ended.app.network.serve(TokenCheckingAPI.url) { request in
            guard request.path == "/first" else { return HTTP.Response(401) }
            let body = #"{"error": {"id": "duty_required", "code": 403, "duty": "verify_address"}}"#
            return HTTP.Response(403, headers: ["Content-Type": "application/json"], body: Array(body.utf8))
        }
        let runs = Locked(0)

        let error = await failure {
            try await ended.app.client.withSession { access in
                runs.withLock { $0 += 1 }
                _ = try await access.send(HTTP.Request(.post, "/first"), to: TokenCheckingAPI.url)
                return try await ended.order(with: access)
            }
        }

        #expect(error?.code == .sessionEnded)
        #expect(runs.withLock { $0 } == 1)
    }

    @Test func `100 actions whose session has ended share one login and then run again`() async throws {
        let ended = try await EndedSession()
        let presenter = ended.app.presenter { login in await login.logIn() }
        let runs = Locked(0)

        let actions = (1...100).map { _ in
            Task {
                try await ended.app.client.withSession { access in
                    runs.withLock { $0 += 1 }
                    return try await ended.order(with: access)
                }
            }
        }
        var statuses: [Int: Int] = [:]
        for action in actions { statuses[try await action.value, default: 0] += 1 }

        #expect(statuses == [200: 100])
        #expect(runs.withLock { $0 } <= 200)
        #expect(presenter.logins.count == 1)
    }

    @Test func `Errors that an action throws reach the app unchanged`() async throws {
        struct OwnError: Error, Equatable { var number: Int }
        let app = try await TestApp.loggedIn()
        _ = app.presenter()

        await #expect(throws: OwnError(number: 7)) {
            try await app.client.withSession { _ -> Int in throw OwnError(number: 7) }
        }
        await #expect(throws: CancellationError.self) {
            try await app.client.withSession { _ -> Int in throw CancellationError() }
        }
        // This could be the error of another client, which has no session.
        let error = await failure {
            try await app.client.withSession { _ -> Int in
                throw LatchkeyError(.unreachable, message: "offline", cause: OwnError(number: 8))
            }
        }
        #expect(error?.isStillSignedIn == false)
        #expect(error?.cause as? OwnError == OwnError(number: 8))
    }

    @Test func `An action that must not be retried fails if the session has ended`() async throws {
        let ended = try await EndedSession()
        let presenter = ended.app.presenter()
        let runs = Locked(0)

        let error = await failure {
            try await ended.app.client.withSession(retry: .never) { access in
                runs.withLock { $0 += 1 }
                return try await ended.order(with: access)
            }
        }

        #expect(error?.code == .sessionEnded)
        #expect(error?.isStillSignedIn == false)
        #expect(runs.withLock { $0 } == 1)
        #expect(presenter.logins.isEmpty)
    }

    @Test func `An action is not retried if it has changed data`() async throws {
        let ended = try await EndedSession()
        let presenter = ended.app.presenter()
        ended.app.network.serve("https://api.example.com") { request in
            HTTP.Response(request.path == "/first" ? 200 : 401)
        }

        let error = await failure {
            try await ended.app.client.withSession { access in
                _ = try await access.send(HTTP.Request(.post, "/first"), to: TokenCheckingAPI.url)
                return try await ended.order(with: access)
            }
        }

        #expect(error?.code == .sessionEnded)
        #expect(presenter.logins.isEmpty)
    }

    @Test func `An action is retried if it has only read data`() async throws {
        let ended = try await EndedSession()
        let presenter = ended.app.presenter { login in await login.logIn() }
        let responses = Locked([200, 401, 200, 200])
        ended.app.network.serve("https://api.example.com") { _ in
            HTTP.Response(responses.withLock { $0.removeFirst() })
        }

        let status = try await ended.app.client.withSession { access in
            _ = try await access.send(HTTP.Request(.get, "/first"), to: TokenCheckingAPI.url)
            return try await ended.order(with: access)
        }

        #expect(status == 200)
        #expect(presenter.logins.count == 1)
    }

    @Test func `An action with an idempotency key is retried with the same key`() async throws {
        let ended = try await EndedSession()
        let presenter = ended.app.presenter { login in await login.logIn() }

        let status = try await ended.app.client.withSession(retry: .always(idempotencyKey: "order-7")) {
            _ = try await ended.order(.get, with: $0)
            return try await ended.order(with: $0)
        }

        #expect(status == 200)
        #expect(ended.keys.withLock { $0 } == [nil, nil, "order-7"])
        #expect(presenter.logins.count == 1)
    }

    @Test func `An action runs at most twice`() async throws {
        let ended = try await EndedSession()
        let presenter = ended.app.presenter { login in await login.logIn() }
        let runs = Locked(0)

        let error = await failure {
            try await ended.app.client.withSession { access in
                runs.withLock { $0 += 1 }
                try await ended.app.server.endAllSessions()
                return try await ended.order(with: access)
            }
        }

        #expect(error?.code == .sessionEnded)
        #expect(runs.withLock { $0 } == 2)
        #expect(presenter.logins.count == 1)
    }

    @Test func `An action does not run again as another user`() async throws {
        let ended = try await EndedSession()
        try await ended.app.server.addCustomer(phone: "+439999999998", passcode: TestAccount.passcode)
        let presenter = ended.app.presenter { _ in
            _ = try? await ended.app.client.signIn(phone: "+439999999998", password: TestAccount.passcode)
        }
        let runs = Locked(0)

        let error = await failure {
            try await ended.app.client.withSession { access in
                runs.withLock { $0 += 1 }
                return try await ended.order(with: access)
            }
        }

        #expect(error?.code == .superseded)
        #expect(error?.isStillSignedIn == true)
        #expect(runs.withLock { $0 } == 1)
        #expect(presenter.logins.count == 1)
    }

    @Test func `An action does not run again after a sign-out`() async throws {
        let app = try await TestApp.loggedIn()
        let presenter = app.presenter()
        let runs = Locked(0)

        let error = await failure {
            try await app.client.withSession { access in
                runs.withLock { $0 += 1 }
                app.client.signOut()
                return try await access.send(HTTP.Request(.get, "/orders"), to: TokenCheckingAPI.url)
            }
        }

        #expect(error?.code == .signedOut)
        #expect(runs.withLock { $0 } == 1)
        #expect(presenter.logins.isEmpty)
    }

    @Test func `An action that one user started never sends requests as another user`() async throws {
        let app = try await TestApp.loggedIn()
        try await app.server.addCustomer(phone: "+439999999998", passcode: TestAccount.passcode)

        let error = await failure {
            try await app.client.withSession(retry: .never) { access in
                try await app.client.signIn(phone: "+439999999998", password: TestAccount.passcode)
                return try await access.send(HTTP.Request(.post, "/orders"), to: TokenCheckingAPI.url)
            }
        }

        #expect(error?.code == .signedOut)
        #expect(app.api.tokens.isEmpty)
    }

    @Test func `The client passes on an action's error and a 401 for a valid session`()
        async throws
    {
        struct OwnError: Error {}
        let app = try await TestApp.loggedIn()

        await #expect(throws: OwnError.self) {
            try await app.client.withSession { _ -> Int in throw OwnError() }
        }
        let status = try await app.client.withSession { access in
            try await access.send(HTTP.Request(.get, "/orders"), to: TokenCheckingAPI.url).status
        }
        #expect(status == 401)
        #expect(app.isLoggedIn)
    }
}
