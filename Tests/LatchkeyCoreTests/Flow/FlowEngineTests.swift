import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyCore

/// Flows with a server that fails or tries to attack the client.
@Suite struct `Flows with a fake server` {
    private static let login = "POST /a/self-service/login"
    private let answers = FlowSubmission(
        method: "password",
        ["identifier": "user@example.org", "password": "correct-Horse-7"]
    )

    @Test(arguments: [
        "https://evil.example/a/self-service/login?flow=x", "http://id.example.com/a/self-service/login",
        "//evil.example/", "javascript:alert(1)", "",
    ])
    func `Forms are submitted to the configured server, regardless of their action`(
        _ action: String
    ) async throws {
        let device = try TestEngine()
        device.server.respond(
            to: "GET /a/self-service/login/api",
            with: .json(200, FlowJSON.flow(action: action))
        )

        let flow = try await device.engine.flows.begin(.login)
        _ = try await device.engine.flows.submit(answers, to: flow)

        #expect(Set(device.server.origins) == [FakeIdentityServer.origin])
        #expect(device.server.log.contains("\(Self.login)?flow=\(flow.id)"))
    }

    @Test(arguments: ["", "/", "../../admin", "x&flow=y", "x#y", "x y", "\u{E9}\r\nX: y"])
    func `Invalid flow ids can't inject anything into the request`(_ id: String) async throws {
        let device = try TestEngine()
        let flow = Flow(id: id, kind: .login)

        _ = try? await device.engine.flows.submit(answers, to: flow)

        let request = try #require(device.server.requests.first)
        #expect(request.path == "/a/self-service/login")
        #expect(QueryItems(request.query)["flow"] == id)
        #expect(QueryItems(request.query).names == ["flow"])
        #expect(device.server.refusals == 0)
    }

    @Test func `A flow uses the configured base path`() async throws {
        let device = try TestEngine(basePath: "")
        device.server.respond(to: "GET /self-service/login/api", with: .json(200, FlowJSON.flow()))

        let flow = try await device.engine.flows.begin(.login)
        _ = try await device.engine.flows.submit(answers, to: flow)

        #expect(
            device.server.log.prefix(2) == [
                "GET /self-service/login/api", "POST /self-service/login?flow=\(flow.id)",
            ]
        )
    }

    @Test func `A session is stored with the key from the submission's proof`() async throws {
        let device = try TestEngine()

        let outcome = try await device.engine.flows.submit(answers, to: Flow(id: "x", kind: .login))

        guard case .signedIn(let session, _) = outcome else {
            Issue.record("No session was created.")
            return
        }
        #expect(device.engine.keeper.held?.stored.session == session)
        #expect(device.server.requests.first?.headers["DPoP"] != nil)
        #expect(device.keys.living.count == 1)
    }

    @Test(arguments: [
        HTTP.Response.json(400, FlowJSON.flow(messages: FlowJSON.message(4_000_006, "No."))),
        .json(410, #"{"error":{"code":410},"use_flow_id":"y"}"#), .refusal(500), .json(200, "{}"),
        .json(200, FlowJSON.flow(state: "passed_challenge")), HTTP.Response(302),
    ])
    func `A submission that doesn't create a session removes its key`(
        _ response: HTTP.Response
    ) async throws {
        let device = try TestEngine()
        device.server.plan(Self.login, .respond(response))

        _ = try? await device.engine.flows.submit(answers, to: Flow(id: "x", kind: .login))

        #expect(device.isClean)
    }

    @Test func `A flow with error messages isn't completed, regardless of its state`() async throws {
        let device = try TestEngine()
        device.server.plan(
            "POST /a/self-service/registration",
            .respond(
                .json(
                    400,
                    FlowJSON.flow(state: "passed_challenge", messages: FlowJSON.message(4_000_007, "Taken."))
                )
            )
        )

        let outcome = try await device.engine.flows.submit(
            FlowSubmission(method: "code", ["code": "271501"]),
            to: Flow(id: "x", kind: .registration)
        )

        guard case .continues = outcome else {
            Issue.record("The flow was completed: \(outcome)")
            return
        }
        #expect(outcome.error().code == .accountExists)
        #expect(device.isClean)
    }

    @Test func `A failed login doesn't end the current session`() async throws {
        let device = try await TestEngine.loggedIn()
        let held = device.engine.keeper.held?.stored
        device.server.plan(
            Self.login,
            .respond(.json(400, FlowJSON.flow(messages: FlowJSON.message(4_000_006, "No."))))
        )

        _ = try await device.engine.flows.submit(answers, to: Flow(id: "x", kind: .login))

        #expect(device.engine.keeper.held?.stored == held)
        #expect(device.keys.living.count == 1)
    }

    @Test func `Logins, registrations and recoveries don't send the current session token`() async throws {
        let device = try await TestEngine.loggedIn()

        for kind in [Flow.Kind.login, .registration, .recovery] {
            _ = try? await device.engine.flows.begin(kind)
            _ = try? await device.engine.flows.flow(kind, id: "x")
            _ = try? await device.engine.flows.submit(
                FlowSubmission(method: "code", ["identifier": "user@example.org"]),
                to: Flow(id: "x", kind: kind)
            )
        }

        #expect(device.server.requests.count == 9)
        #expect(device.server.requests.allSatisfy { $0.headers["X-Session-Token"] == nil })
    }

    @Test func `A session is rejected if no code or password was submitted`() async throws {
        let device = try TestEngine()

        await #expect {
            try await device.engine.flows.submit(
                FlowSubmission(method: "code", ["identifier": "user@example.org"]),
                to: Flow(id: "x", kind: .login)
            )
        } throws: { ($0 as? LatchkeyError)?.code == .invalidResponse }

        #expect(device.isClean)
    }

    @Test func `Only a 401 with the identity server's error id ends the session`() async throws {
        let device = try await TestEngine.loggedIn()
        for response in [HTTP.Response.json(401, "<html>"), .refusal(401), .refusal(403), .refusal(500)] {
            device.server.respond(to: "GET /a/self-service/settings/api", with: response)
            _ = try? await device.engine.flows.begin(.settings)
            #expect(device.engine.keeper.held != nil)
        }

        device.server.respond(to: "GET /a/self-service/settings/api", with: .refusal(401, "session_inactive"))
        await #expect {
            try await device.engine.flows.begin(.settings)
        } throws: { ($0 as? LatchkeyError)?.code == .sessionEnded }
        #expect(device.engine.keeper.held == nil)
    }

    @Test func `A settings response for another account doesn't change the session`() async throws {
        let device = try await TestEngine.loggedIn()
        let session = device.engine.keeper.held?.stored.session
        device.server.respond(
            to: "POST /a/self-service/settings",
            with: .json(
                200,
                FlowJSON.flow(
                    state: "success",
                    more: #","identity":{"id":"someone-else","traits":{"phone":"+4670000001"}}"#
                )
            )
        )

        _ = try await device.engine.flows.submit(
            FlowSubmission(method: "profile"),
            to: Flow(id: "x", kind: .settings)
        )

        #expect(device.engine.keeper.held?.stored.session == session)
    }

    @Test func `Signing out while settings are being saved still signs the user out`() async throws {
        let device = try await TestEngine.loggedIn()
        let route = "POST /a/self-service/settings"
        device.server.respond(
            to: route,
            with: .json(
                200,
                FlowJSON.flow(
                    state: "success",
                    more: #","identity":{"id":"9a8cbfb3-87bd-4087-b48d-2569b1b43386","traits":{}}"#
                )
            )
        )
        device.server.during(route) { _ = device.engine.keeper.signOut() }

        _ = try await device.engine.flows.submit(
            FlowSubmission(method: "profile"),
            to: Flow(id: "x", kind: .settings)
        )

        await device.engine.keeper.ready(again: true)
        #expect(device.isClean)
    }

    @Test func `Cancelling a submission prevents its session from being stored`() async throws {
        let device = try TestEngine()
        device.server.hold(Self.login)

        let task = Task { [answers] in
            try await device.engine.flows.submit(answers, to: Flow(id: "x", kind: .login))
        }
        while device.server.requests.isEmpty { await Task.yield() }
        task.cancel()
        device.server.release()

        await #expect { try await task.value } throws: { ($0 as? LatchkeyError)?.code == .cancelled }
        #expect(device.isClean)
    }

    @Test func `An account with a different schema is rejected`() async throws {
        let device = try TestEngine()
        device.server.set(schema: "business")

        await #expect {
            try await device.engine.flows.onlyAs("customer")
                .submit(answers, to: Flow(id: "x", kind: .login))
        } throws: { ($0 as? LatchkeyError)?.code == .schemaMismatch }

        #expect(device.isClean)
    }
}
