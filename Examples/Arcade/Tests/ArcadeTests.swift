import LatchkeyModel
import LatchkeyTestKit
import LatchkeyUI
import OnsideKit
import TestStore
import Testing

@testable import Arcade

/// Tests of the app against the real server: a user types on a terminal, and receives codes on a phone.
@MainActor @Suite(.exclusiveOnside) struct `The Arcade` {
    private let server: TestServer
    private let network: TestTransport
    private let store = MemoryStore()

    init() async throws {
        server = try await TestServer.withStore()
        network = server.transport()
    }

    /// Runs the app with a user who answers the menus with lines, until the lines end.
    ///
    /// - Parameters:
    ///   - lines: The lines.
    ///   - leavesLogin: Whether the user leaves each login.
    ///   - hasSeen: Whether the user has seen enough; each answer waits for it.
    /// - Returns: The transcript of the terminal.
    /// - Throws: `OnsideConfigurationError`.
    private func run(
        _ lines: String...,
        leavesLogin: Bool = false,
        until hasSeen: (@Sendable ([String]) -> Bool)? = nil
    ) async throws -> [String] {
        let menu = Lines(lines)
        let written = Locked<@Sendable () -> [String]>({ [] })
        let terminal = PromptTerminal { [server] prompt in
            if prompt.hasPrefix("Phone number") { return leavesLogin ? "/cancel" : StoreApp.phone }
            if prompt.contains("ode") { return try? await server.code(for: StoreApp.phone) }
            if let hasSeen { await eventually { hasSeen(written.withLock { $0 }()) } }
            return await menu.next()
        }
        written.withLock { $0 = { [weak terminal] in terminal?.transcript ?? [] } }
        let presenter = OnsideTerminalPresenter(terminal: terminal, languages: ["en"])
        var configuration = OnsideConfiguration(
            server: TestServer.url,
            clientID: "com.example.arcade",
            presenter: presenter
        )
        configuration.store = store
        configuration.transport = network
        configuration.languages = ["en-US"]
        configuration.time = server.time
        // Events would repeat the interrupted order before the restart.
        configuration.followsSessionEvents = false
        try Onside.initialize(configuration: configuration)
        await ArcadeApp(terminal: terminal).run()
        withExtendedLifetime(presenter) {}
        return terminal.transcript
    }

    @Test func `shows the prices of a guessed region to everyone`() async throws {
        let transcript = try await run("1", "", "6")

        #expect(transcript.contains("Prices for US (a guess):"))
        #expect(transcript.contains("  2  Meteor, 4.99 USD"))
        #expect(transcript.contains("Not logged in · no games"))
        #expect(transcript.last == "See you soon!")
        await server.stop()
    }

    @Test func `logs a new user in during the purchase, asks for a card, and delivers the game`() async throws
    {
        // The user buys for the guessed price, sees that it is another one in Austria, and buys again with a new card.
        let transcript = try await run("1", "2", "1", "2", "1", "4242424242424242", "4", "6")

        #expect(transcript.contains("game.meteor: yours now."))
        #expect(transcript.contains("Logged in (AT) · 0 coins · game.meteor"))
        #expect(Onside.defaultPaymentQueue().transactions == [])
        await server.stop()
    }

    @Test func `says that a login is needed if the user dismisses it`() async throws {
        let transcript = try await run("1", "1", "2", "5", "6", leavesLogin: true)

        #expect(transcript.contains("You have to log in to buy 100 coins."))
        #expect(transcript.contains("You have to log in to restore purchases."))
        #expect(transcript.contains("You are not logged in."))
        await server.stop()
    }

    @Test func `restores games after a logout, and shows the signed history`() async throws {
        _ = try await run("5", "1", "2", "1", "4242424242424242", "4", "6")
        server.time.advance(by: .seconds(61))

        let transcript = try await run("5", "4", "2", "4", "6")

        #expect(transcript.contains("Log in to see your history."))
        #expect(transcript.contains("game.meteor: restored."))
        #expect(transcript.contains { $0.hasPrefix("Signed by the store: ") })
        await server.stop()
    }

    @Test func `delivers a purchase that a crash has interrupted, at the next start`() async throws {
        _ = try await run("5", "3", "1", "4242424242424242", "4", "6")
        network.inject(.dropAnswer, on: .post, "/a/commerce/orders", times: 2)
        let interrupted = try await run("1", "1", "6")
        #expect(interrupted.contains("! The answer of the server was lost."))
        Onside.reset()
        network.removeFaults()

        // The user looks at the menu until the coins arrive; an order that fails is repeated after some seconds.
        let transcript = try await run(until: { [server] transcript in
            server.time.advance(by: .milliseconds(100))
            return transcript.contains { $0.contains("coins.100: yours now.") }
        })

        #expect(transcript.contains("coins.100: yours now."))
        #expect(transcript.last == "See you soon!")
        await server.stop()
    }
}

/// Lines that a user types in order.
private actor Lines {
    private var rest: ArraySlice<String>

    init(_ lines: [String]) {
        rest = lines[...]
    }

    func next() -> String? { rest.popFirst() }
}
