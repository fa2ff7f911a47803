import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import OnsideKit
import TestStore
import Testing

@MainActor @Suite(.exclusiveOnside) struct `Payment methods on a terminal` {
    /// Presents the payment methods to a user who types the given lines.
    private func present(
        _ lines: [String],
        languages: [String] = ["en"],
        in app: StoreApp
    ) async -> [String] {
        let terminal = ScriptedTerminal(lines.map { .line($0) }) { _ in .controlD }
        let presenter = OnsideTerminalPresenter(
            terminal: terminal,
            languages: languages,
            login: Shopper(app.server)
        )
        await presenter.presentPaymentMethods(app.purchases)
        return terminal.transcript
    }

    @Test func `Cards can be added, made the default and removed`() async throws {
        let app = try await StoreApp.loggedIn(card: nil)

        // Add two cards, make the second one the default, and remove the first one.
        let transcript = await present(
            ["1", "4242 4242 4242 4242", "1", TestCard.decline, "2", "2", "3", "1", "4"],
            in: app
        )

        let methods = try await app.purchases.paymentMethods()
        #expect(methods.map(\.isDefault) == [true])
        #expect(transcript.contains("You have no payment methods yet."))
        #expect(transcript.contains { $0.contains("•••• 4242 (default)") })
        #expect(!transcript.contains { $0.hasPrefix("!") })
        await app.server.stop()
    }

    @Test(arguments: [
        (["en"], "This card is not accepted. Use one of the test numbers."),
        (["nb"], "Kortet godtas ikke. Bruk et av testnumrene."),
        (["sv-FI"], "Kortet godtas inte. Använd ett av testnumren."),
        (["fi"], "Korttia ei hyväksytä. Käytä jotakin testinumeroista."),
    ])
    func `A rejected card is explained in the user's language`(_ languages: [String], _ text: String)
        async throws
    {
        let app = try await StoreApp.loggedIn(card: nil)

        let transcript = await present(["1", "4111111111111111", "2"], languages: languages, in: app)

        #expect(transcript.contains("! " + text))
        #expect(try await app.purchases.paymentMethods() == [])
        await app.server.stop()
    }

    @Test func `The user can leave at every prompt`() async throws {
        let app = try await StoreApp.loggedIn()

        for lines in [[], [""], ["1"], ["1", ""], ["2"], ["2", "", "4"], ["3", "", ""], ["9", "x", "4"]] {
            _ = await present(lines, in: app)
        }

        #expect(try await app.purchases.paymentMethods().count == 1)
        await app.server.stop()
    }

    @Test func `A network error is shown, and the user can try again`() async throws {
        let app = try await StoreApp.loggedIn()
        app.network.inject(.unreachable, on: .get, "/a/commerce/payment-methods", times: 2)

        let transcript = await present(["1", "1", "4"], in: app)

        #expect(transcript.count { $0.hasPrefix("! The store cannot be reached.") } == 2)
        #expect(transcript.contains { $0.contains("4242") })
        await app.server.stop()
    }

    @Test(arguments: [
        ("y", true), ("Yes", true), ("n", false), ("", nil), ("^D", nil),
    ])
    func `A payment can be confirmed, denied or postponed`(_ line: String, _ approval: Bool?) async throws {
        let app = try await StoreApp.loggedIn(card: TestCard.confirmation)
        let deferred = try await app.purchases.buy(app.product(TestProduct.coins), quantity: 3)
        let terminal = ScriptedTerminal(line == "^D" ? .controlD : .line(line))
        let presenter = OnsideTerminalPresenter(
            terminal: terminal,
            languages: ["en"],
            login: Shopper(app.server)
        )

        #expect(await presenter.confirmPayment(deferred) == approval)
        #expect(terminal.transcript[0].hasPrefix("Pay 2.97 EUR for coins.100? (y/n): "))
        await app.server.stop()
    }
}
