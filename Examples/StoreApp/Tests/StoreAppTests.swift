import Foundation
import Latchkey
import LatchkeyModel
import LatchkeyTerminal
import LatchkeyTestKit
import TestStore
import Testing

@testable import StoreApp

/// Tests the app against the real server, with a game on the same device.
@MainActor @Suite struct `The store app` {
    private static let phone = "+436641234567"
    private static let otherPhone = "+436641234568"
    private static let question = "An app that calls itself “Arcade” asks to log you in."

    /// Returns a device with a game that hands its logins over to the store.
    private func device(returningTo redirectURI: String = "com.example.arcade://onside/login") async throws
        -> Device
    {
        let server = try await TestServer.withStore()
        try await server.registerGame(returningTo: redirectURI)
        return try Device(server, returningTo: redirectURI)
    }

    @Test func `A user who is not logged in logs in first, and approves the request`() async throws {
        let device = try await device()
        let login = device.beginLogin()

        let (isAnswered, transcript) = try await device.answer("1")

        #expect(isAnswered)
        #expect(try await login.value.get().identity.id == device.store.sessionState.session?.identity.id)
        #expect(transcript.contains { $0.hasPrefix("Log in (") })
        #expect(transcript.contains(Self.question))
        #expect(transcript.contains("It opens com.example.arcade: URLs."))
        #expect(transcript.contains("Your account: +43…67"))
        #expect(transcript.contains("  - Recognize your account"))
        #expect(transcript.contains { $0.hasPrefix("The request expires at ") })
        #expect(transcript.contains("  1  Approve") && transcript.contains("  2  Refuse"))
        await device.server.stop()
    }

    @Test func `A user who is logged in only approves the request`() async throws {
        let device = try await device()
        try await device.logIn()
        let login = device.beginLogin()

        let (isAnswered, transcript) = try await device.answer("1")

        #expect(isAnswered)
        #expect(try await login.value.get().identity.phone?.e164 == Self.phone)
        #expect(transcript.count { $0.hasPrefix("> ") } == 1)
        #expect(!transcript.contains { $0.hasPrefix("Log in (") })
        await device.server.stop()
    }

    @Test func `A refusal discards the login of the game`() async throws {
        let device = try await device()
        try await device.logIn()
        let login = device.beginLogin()

        let (isAnswered, _) = try await device.answer("2")

        #expect(isAnswered)
        #expect(await login.value.code == .dismissed)
        await device.server.stop()
    }

    @Test(arguments: ["4", "", nil])
    func `A user who leaves the request without an answer can still answer it later`(line: String?)
        async throws
    {
        let device = try await device()
        try await device.logIn()
        let login = device.beginLogin()

        let (isAnswered, transcript) = try await device.answer(line)
        #expect(!isAnswered && device.returned.isEmpty)
        #expect(transcript.last == "The request stays open until it expires.")

        #expect(try await device.answer("1").isAnswered)
        #expect(await login.value.code == nil)
        await device.server.stop()
    }

    @Test func `An unknown choice approves no request`() async throws {
        let device = try await device()
        try await device.logIn()
        let login = device.beginLogin()

        let (_, transcript) = try await device.answer("y", "0", "5", "2")

        #expect(transcript.count { $0 == "Enter a number from 1 to 4." } == 3)
        #expect(await login.value.code == .dismissed)
        await device.server.stop()
    }

    @Test func `A claimed https redirect is certain, and is approved without a question the second time`()
        async throws
    {
        let device = try await device(returningTo: "https://arcade.example.com/onside/login")
        try await device.logIn()
        let login = device.beginLogin()
        let first = try await device.answer("1")
        #expect(first.transcript.contains("“Arcade” asks to log you in."))
        #expect(await login.value.code == nil)
        device.game.signOut()

        let again = device.beginLogin()
        let second = try await device.answer()

        #expect(second.isAnswered && second.transcript.contains("Logging you in to “Arcade”…"))
        #expect(!second.transcript.contains { $0.hasPrefix("> ") })
        #expect(await again.value.code == nil)
        await device.server.stop()
    }

    @Test func `The game of a custom scheme is asked about each time`() async throws {
        let device = try await device()
        try await device.logIn()
        for _ in 1...2 {
            let login = device.beginLogin()
            let (_, transcript) = try await device.answer("1")
            #expect(transcript.contains(Self.question))
            #expect(await login.value.code == nil)
            device.game.signOut()
        }
        await device.server.stop()
    }

    @Test func `The user can give the request back, and approve it with another account`() async throws {
        let device = try await device()
        try await device.logIn()
        let login = device.beginLogin()
        _ = try await device.openedURL()
        device.phone = Self.otherPhone

        let (isAnswered, transcript) = try await device.answer("3", "1")

        #expect(isAnswered)
        #expect(
            transcript.filter { $0.hasPrefix("Your account: ") } == [
                "Your account: +43…67", "Your account: +43…68",
            ]
        )
        #expect(try await login.value.get().identity.phone?.e164 == Self.otherPhone)
        #expect(device.store.sessionState.session?.identity.phone?.e164 == Self.otherPhone)
        await device.server.stop()
    }

    @Test func `A user who gives the request back and logs in nowhere has approved no request`() async throws
    {
        let device = try await device()
        try await device.logIn()
        _ = device.beginLogin()
        device.dismissesLogin = true

        let (isAnswered, transcript) = try await device.answer("3")

        #expect(!isAnswered && device.returned.isEmpty && transcript.last == "You are not logged in.")
        await device.server.stop()
    }

    // MARK: Errors

    @Test(arguments: [
        (
            "com.example.store://authorize?client_id=com.example.arcade&request_uri=MARK",
            ErrorText.sentence(for: .unknown)
        ),
        ("com.example.store://authorize?client_id=MARK&request_uri=MARK", ErrorText.sentence(for: .unknown)),
        ("com.example.store://MARK", ErrorText.sentence(for: .invalid)),
        ("com.example.store:", ErrorText.sentence(for: .invalid)),
        (
            "com.example.store://authorize?client_id=MARK&client_id=MARK&request_uri=MARK",
            ErrorText.sentence(for: .invalid)
        ),
    ])
    func `No text of a forged URL is shown`(url: String, sentence: String) async throws {
        let device = try await device()
        try await device.logIn()

        let (isAnswered, transcript) = try await device.answer(url: url)

        #expect(!isAnswered && transcript == [GameStore.name, sentence])
        await device.server.stop()
    }

    @Test func `A request that the game has withdrawn is no longer needed`() async throws {
        let device = try await device()
        try await device.logIn()
        let login = device.beginLogin()
        let url = try await device.openedURL()

        let (isAnswered, transcript) = try await device.answer("1", url: url) {
            device.presenter.login?.dismiss()
            #expect(await login.value.code == .dismissed)
            // The game withdraws the request in the background.
            await eventually {
                device.gameNetwork.exchanges.contains {
                    $0.request.path == "/oauth2/revoke" && $0.response != nil
                }
            }
        }

        #expect(!isAnswered && device.returned.isEmpty)
        #expect(transcript.last == ErrorText.sentence(for: .expired))
        await device.server.stop()
    }

    @Test func `Without a connection, the user can try again`() async throws {
        let device = try await device()
        try await device.logIn()
        let login = device.beginLogin()
        device.storeNetwork.inject(.unreachable, on: .post, "/oauth2/approvals", times: 1)

        let (isAnswered, transcript) = try await device.answer("1", "1")

        #expect(isAnswered && transcript.contains("The server can't be reached."))
        #expect(await login.value.code == nil)
        await device.server.stop()
    }

    @Test func `If the game can't be opened, the store says so`() async throws {
        let device = try await device()
        try await device.logIn()
        _ = device.beginLogin()
        device.canOpenGame = false

        let (isAnswered, transcript) = try await device.answer("1")

        #expect(!isAnswered && transcript.last == "“Arcade” can't be opened. Log in there instead.")
        await device.server.stop()
    }

    @Test func `A user who dismisses the login answers no request`() async throws {
        let device = try await device()
        _ = device.beginLogin()
        device.dismissesLogin = true

        let (isAnswered, transcript) = try await device.answer()

        #expect(!isAnswered && transcript.last == "You are not logged in.")
        await device.server.stop()
    }

    @Test(arguments: ["1", "2"])
    func `The logs of both apps contain no secret of the login`(line: String) async throws {
        let device = try await device()
        let login = device.beginLogin()
        _ = try await device.answer(line)
        _ = await login.value

        let exchanges = device.gameNetwork.exchanges + device.storeNetwork.exchanges
        let secrets = exchanges.flatMap { LoginSecret.all(in: $0.request, and: $0.response) }
        let log = device.logs.events.map { "\($0)" }.joined(separator: "\n")
        #expect(secrets.map(\.name).contains("redirect_to") && !device.logs.events.isEmpty)
        #expect(secrets.names(in: log).isEmpty)
        #expect(!log.contains(Self.phone.dropFirst()))
        await device.server.stop()
    }

    // MARK: The menu

    @Test func `The menu lists the games that the user is logged in to, and ends one`() async throws {
        let device = try await device()
        let login = device.beginLogin()
        _ = try await device.answer("1")
        #expect(await login.value.code == nil)

        let transcript = try await device.menu("2", "1", "2", "1", "3")

        #expect(transcript.contains("Logged in as \(Self.phone)"))
        #expect(transcript.contains("  1  “Arcade”"))
        #expect(transcript.contains("You are logged out of “Arcade”."))
        #expect(transcript.contains("You are not logged in to any games."))
        #expect(try await device.game.checkSession() == .signedOut)
        await device.server.stop()
    }

    @Test func `Logging out of the store leaves the game logged in`() async throws {
        let device = try await device()
        let login = device.beginLogin()
        _ = try await device.answer("1")
        #expect(await login.value.code == nil)

        let transcript = try await device.menu("1", "3")

        #expect(transcript.contains("Not logged in") && transcript.last == "See you soon!")
        try await device.game.checkSession()
        #expect(device.game.sessionState.session != nil)
        await device.server.stop()
    }

    // MARK: Texts and arguments

    @Test(arguments: [
        ("Arcade", "“Arcade”"), ("Arc\u{1B}[2Jade\r\n", "“Arc[2Jade  ”"),
        ("Arcade” asks. “", "“Arcade asks. ”"),
        ("a\u{202E}b\u{200B}c", "“abc”"),
        (String(repeating: "x", count: 300), "“\(String(repeating: "x", count: 60))”"),
    ])
    func `A name can't leave its quotation marks`(name: String, shown: String) {
        #expect(name.quoted == shown)
    }

    @Test(
        arguments: [
            ([], .menu(server: StoreCommand.standardServer)),
            (["https://id.example.com"], .menu(server: "https://id.example.com")),
            (
                ["com.example.store://a"],
                .answer(url: "com.example.store://a", server: StoreCommand.standardServer)
            ),
            (
                ["--server", "https://x.example", "COM.example.store:a"],
                .answer(url: "COM.example.store:a", server: "https://x.example")
            ),
            (["--unregister"], .unregister), (["--help"], .help),
        ] as [([String], StoreCommand)]
    )
    func `Arguments are parsed`(arguments: [String], command: StoreCommand) throws {
        #expect(try StoreCommand(arguments) == command)
    }

    @Test(arguments: [
        ["--demo"], ["-x"], ["https://a.example", "b"], ["--server"], ["--server", "https://a.example"],
        ["com.example.arcade:a"],
        ["a", "com.example.store:a"], ["--unregister", "a"], ["--server", "ftp://a", "com.example.store:a"],
        [""],
    ])
    func `Other arguments are errors`(arguments: [String]) {
        #expect(throws: StoreCommand.UsageError.self) { try StoreCommand(arguments) }
    }
}

extension LatchkeyError {
    fileprivate static let unknown = LatchkeyError(.flowUnknown, message: "")
    fileprivate static let invalid = LatchkeyError(.invalidInput, message: "")
    fileprivate static let expired = LatchkeyError(.flowExpired, message: "")
}

extension Result where Failure == LatchkeyError {
    /// The code of the error, or `nil` if the result is a success.
    fileprivate var code: LatchkeyError.Code? {
        if case .failure(let error) = self { error.code } else { nil }
    }
}
