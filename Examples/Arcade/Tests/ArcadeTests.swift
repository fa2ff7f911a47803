import LatchkeyModel
import LatchkeyTerminal
import LatchkeyTestKit
import OnsideKit
import TestStore
import Testing

@testable import Arcade

/// Tests the app against the real server.
///
/// A simulated user types on a terminal and receives codes on a phone.
@MainActor @Suite(.exclusiveOnside) struct `The Arcade` {
    nonisolated private static let phone = "+436641234567"

    private let server: TestServer
    private let network: TestTransport
    private let store = MemoryStore()

    init() async throws {
        server = try await TestServer(
            catalog: TestCatalog(
                storefronts: ["AT": "EUR", "US": "USD"],
                defaultRegion: "AT",
                products: [
                    .init("coins.100", .consumable, title: "100 coins", prices: ["AT": 99, "US": 99]),
                    .init("game.meteor", .nonConsumable, title: "Meteor", prices: ["AT": 499, "US": 499]),
                ]
            )
        )
        network = server.transport()
    }

    /// Runs the app with a simulated user who answers the menus with the given lines.
    ///
    /// - Parameters:
    ///   - lines: The lines that the user types.
    ///   - leavesLogin: Whether the user cancels the login each time it is shown.
    ///   - hasSeen: A closure that returns whether the user has seen enough of the transcript. The simulated
    ///     user waits before each answer until the closure returns `true`.
    /// - Returns: The transcript of the terminal.
    /// - Throws: `OnsideConfigurationError` if the configuration is invalid.
    private func run(
        _ lines: String...,
        leavesLogin: Bool = false,
        until hasSeen: (@Sendable ([String]) -> Bool)? = nil
    ) async throws -> [String] {
        let menu = Lines(lines)
        let written = Locked<@Sendable () -> [String]>({ [] })
        let terminal = ScriptedTerminal { [server] prompt in
            if prompt.hasPrefix("Phone number") { return .line(leavesLogin ? "/cancel" : Self.phone) }
            if prompt.contains("ode") { return .line(try await server.code(for: Self.phone)) }
            if let hasSeen { await eventually { hasSeen(written.withLock { $0 }()) } }
            return await menu.next().map { .line($0) } ?? .controlD
        }
        written.withLock { $0 = { [weak terminal] in terminal?.transcript ?? [] } }
        let presenter = OnsideTerminalPresenter(terminal: terminal, languages: ["en"])
        var configuration = OnsideConfiguration(
            server: TestServer.url,
            clientID: "com.example.arcade",
            presenter: presenter
        )
        configuration.client.store = store
        configuration.client.transport = network
        configuration.client.languages = ["en-US"]
        configuration.client.time = server.time
        // Otherwise, a session event would repeat the interrupted order before the restart.
        configuration.client.followsSessionEvents = false
        try Onside.initialize(configuration: configuration)
        await ArcadeApp(terminal: terminal).run()
        withExtendedLifetime(presenter) {}
        return terminal.transcript
    }

    @Test func `Users who are not logged in see the prices of a guessed region`() async throws {
        let transcript = try await run("1", "", "6")

        #expect(transcript.contains("Prices for US (a guess):"))
        #expect(transcript.contains("  2  Meteor, 4.99 USD"))
        #expect(transcript.contains("Not logged in · no games"))
        #expect(transcript.last == "See you soon!")
        await server.stop()
    }

    @Test func `Buying a game logs in a new user, asks for a card and delivers the game`() async throws {
        // The user tries to buy at the guessed price, sees that the price is different in Austria, and buys
        // again with a new card.
        let transcript = try await run("1", "2", "1", "2", "1", "4242424242424242", "4", "6")

        #expect(transcript.contains("game.meteor: yours now."))
        #expect(transcript.contains("Logged in (AT) · 0 coins · game.meteor"))
        #expect(Onside.defaultPaymentQueue().transactions == [])
        await server.stop()
    }

    @Test func `If the user dismisses the login, the app says that they are not logged in`() async throws {
        let transcript = try await run("1", "1", "2", "5", "6", leavesLogin: true)

        #expect(transcript.contains("Log in to buy 100 coins."))
        #expect(transcript.contains("Log in to restore your purchases."))
        #expect(transcript.contains("You are not logged in."))
        await server.stop()
    }

    @Test func `Users can restore their games after a logout and show the signed history`() async throws {
        _ = try await run("5", "1", "2", "1", "4242424242424242", "4", "6")
        server.time.advance(by: .seconds(61))

        let transcript = try await run("5", "4", "2", "4", "6")

        #expect(transcript.contains("Log in to see your history."))
        #expect(transcript.contains("game.meteor: restored."))
        #expect(transcript.contains { $0.hasPrefix("Signed by the store: ") })
        await server.stop()
    }

    @Test func `A purchase that was interrupted by a crash is delivered at the next start`() async throws {
        _ = try await run("5", "3", "1", "4242424242424242", "4", "6")
        network.inject(.dropResponse, on: .post, "/a/commerce/orders", times: 2)
        let interrupted = try await run("1", "1", "6")
        #expect(interrupted.contains("! The server's response was lost."))
        Onside.reset()
        network.removeFaults()

        // The user looks at the menu until the coins arrive. If an order fails, the client repeats it after a
        // few seconds.
        let transcript = try await run(until: { [server] transcript in
            server.time.advance(by: .milliseconds(100))
            return transcript.contains { $0.contains("coins.100: yours now.") }
        })

        #expect(transcript.contains("coins.100: yours now."))
        #expect(transcript.last == "See you soon!")
        await server.stop()
    }
}

/// The lines that a simulated user types, in order.
private actor Lines {
    private var rest: ArraySlice<String>

    init(_ lines: [String]) {
        rest = lines[...]
    }

    func next() -> String? { rest.popFirst() }
}
