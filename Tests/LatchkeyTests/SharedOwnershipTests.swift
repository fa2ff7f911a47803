import LatchkeyModel
import LatchkeyTestKit
import Testing

@testable import Latchkey
@testable import LatchkeyCore

@MainActor @Suite struct `Ownership of clients that share a session` {
    /// Returns a client that uses only the platform's parts, so clients of the same app share an engine.
    ///
    /// The server refuses all connections.
    private static func client(
        _ app: String,
        followsSessionEvents: Bool = false
    ) throws -> LatchkeyClient {
        try LatchkeyClient(server: "http://127.0.0.1:1", app: app) {
            $0.storage = .memory
            $0.proxy = .none
            $0.languages = []
            $0.followsSessionEvents = followsSessionEvents
        }
    }

    /// Stores a session, as a login would do.
    private static func logIn(_ client: LatchkeyClient) async throws {
        let stored = StoredSession(
            login: LoginID(random: SeededRandom()),
            session: UserSession(id: "", identity: Identity(id: "1", schema: "person")),
            credential: .sessionToken("token"),
            key: StoredKey([]),
            certificate: nil,
            requiresCertificate: false
        )
        try await client.engine.keeper.commit(stored, of: client.beginAttempt())
    }

    @Test func `Removing the presenter of one client leaves the presenter of the other`() async throws {
        let (first, second) = (try Self.client("ownership-nil"), try Self.client("ownership-nil"))
        #expect(first.shared === second.shared)
        let presenter = TestPresenter { $0.dismiss() }
        first.presenter = presenter

        second.presenter = nil

        #expect(first.presenter === presenter && second.presenter == nil)
        #expect(await failure { try await first.requestLogin() }?.code == .dismissed)
        #expect(presenter.logins.count == 1)
    }

    @Test func `Each client presents its own logins with its own presenter and form`() async throws {
        let (first, second) = (try Self.client("ownership-own"), try Self.client("ownership-own"))
        let presenters = (0..<2).map { _ in
            TestPresenter { login in
                // The form cannot be loaded, because the server refuses all connections.
                for await case .failed in login.screens { break }
                login.dismiss()
            }
        }
        (first.presenter, second.presenter) = (presenters[0], presenters[1])
        second.loginStart = .code(signUpSchema: "shopper")

        #expect(first.loginStart == .login)
        for client in [first, second, first] {
            #expect(await failure { try await client.requestLogin() }?.code == .dismissed)
        }

        #expect(presenters.map { $0.logins.map(\.isLoginOrSignUp) } == [[false, false], [true]])
    }

    @Test func `A client without a presenter uses the one that was set last on the other clients`()
        async throws
    {
        let clients = try (0..<3).map { _ in try Self.client("ownership-last") }
        let earlier = TestPresenter { $0.dismiss() }
        clients[1].presenter = earlier
        do {
            let later = TestPresenter { $0.dismiss() }
            clients[2].presenter = later
            #expect(await failure { try await clients[0].requestLogin() }?.code == .dismissed)
            #expect(later.logins.count == 1 && earlier.logins.isEmpty)
            clients[2].presenter = nil
        }

        #expect(await failure { try await clients[0].requestLogin() }?.code == .dismissed)
        #expect(earlier.logins.count == 1)
    }

    @Test func `The presenter of a released client is not used anymore`() async throws {
        let client = try Self.client("ownership-released")
        let presenter = TestPresenter { $0.dismiss() }
        do {
            let other = try Self.client("ownership-released")
            other.presenter = presenter
        }

        #expect(await failure { try await client.requestLogin() }?.code == .noPresenter)
        #expect(presenter.logins.isEmpty)
    }

    @Test func `Events are received as long as a client exists that follows them`() async throws {
        let quiet = try Self.client("ownership-events")
        var isReceiving: Bool { quiet.engine.events.isReceiving }
        do {
            let first = try Self.client("ownership-events", followsSessionEvents: true)
            do {
                let second = try Self.client("ownership-events", followsSessionEvents: true)
                try await Self.logIn(quiet)
                #expect(isReceiving)
                withExtendedLifetime(second) {}
            }
            #expect(isReceiving)
            withExtendedLifetime(first) {}
        }
        #expect(!isReceiving)

        let third = try Self.client("ownership-events", followsSessionEvents: true)
        #expect(isReceiving)
        quiet.signOut()
        #expect(!isReceiving)
        withExtendedLifetime(third) {}
    }

    @Test func `Observers are removed with their tokens`() async throws {
        let client = try Self.client("ownership-observers")
        let calls = Locked<[String]>([])
        let kept = client.onChange { _ in calls.withLock { $0.append("kept") } }
        for _ in 0..<100 { _ = client.onChange { _ in calls.withLock { $0.append("removed") } } }

        try await Self.logIn(client)

        #expect(Set(calls.withLock { $0 }) == ["kept"])
        // The last observer's entry is removed when the next observer is added.
        #expect(client.engine.keeper.observerCount == 2)
        withExtendedLifetime(kept) {}
    }
}
