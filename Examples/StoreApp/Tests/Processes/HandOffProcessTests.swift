import LatchkeyModel
import StoreApp
import TestProcesses
import Testing

/// Tests the store app and the Arcade in processes of their own, which open each other through the desktop.
@Suite(.serialized, .timeLimit(.minutes(2))) struct `Logins that the Arcade hands over to the store app` {
    private static let question = "An app that calls itself “Arcade” asks to log you in."

    /// Chooses the game in the shop.
    private func buy(in arcade: Desktop.Window) async {
        await arcade.choose("1")
        await arcade.choose("2", after: "Meteor")
    }

    /// Adds a card, waits for the game, and quits.
    private func finish(_ arcade: Desktop.Window) async {
        await arcade.shows("Add")
        await arcade.shows(": ")
        arcade.terminal.type("1")
        arcade.terminal.type("4242424242424242")
        await arcade.shows("4242")
        await arcade.shows("Done")
        arcade.terminal.type("4")
        await arcade.shows("game.meteor: yours now.")
        await arcade.shows("Logged in (AT)")
        await arcade.choose("6")
        let outcome = await arcade.process.outcome()
        #expect(outcome.code == 0, "\(arcade.terminal.transcript)")
    }

    @Test func `A purchase without a session goes on after a tap in the store app`() async throws {
        try await Desktop.with { desktop in
            try await desktop.logInToStore()
            let store = try await desktop.installStore()
            let arcade = try await desktop.startArcade()

            await buy(in: arcade)
            await arcade.shows("Continue in Example Store.")
            _ = await store.shows(Self.question)
            await store.choose("1", after: "Decide later")

            await finish(arcade)
            #expect(!arcade.terminal.transcript.contains("Phone number"))
        }
    }

    @Test func `Both apps share one terminal`() async throws {
        try await Desktop.with { desktop in
            // The store app registers itself.
            try await desktop.logInToStore()
            let arcade = try await desktop.startArcadeInForeground()

            await buy(in: arcade)
            await arcade.shows(Self.question)
            await arcade.choose("1", after: "Decide later")

            await finish(arcade)
        }
    }

    @Test
    func `A refusal in the store app discards the login`() async throws {
        try await Desktop.with { desktop in
            try await desktop.logInToStore()
            let store = try await desktop.installStore()
            let arcade = try await desktop.startArcade()

            await buy(in: arcade)
            await store.choose("2", after: "Decide later")

            await arcade.shows("Log in to buy Meteor.")
            await arcade.shows("Not logged in")
            await arcade.choose("6")
            #expect(await arcade.process.outcome().code == 0)
        }
    }

    @Test func `In a store app without a session, the user logs in first`() async throws {
        try await Desktop.with { desktop in
            let store = try await desktop.installStore()
            let arcade = try await desktop.startArcade()

            await buy(in: arcade)
            await desktop.logIn(on: store, as: Desktop.phone)
            _ = await store.shows("Your account: +43…67")
            await store.choose("1", after: "Decide later")

            await finish(arcade)
        }
    }

    @Test func `The user can approve with another account than that of the store app`() async throws {
        try await Desktop.with { desktop in
            try await desktop.logInToStore()
            let store = try await desktop.installStore()
            let arcade = try await desktop.startArcade()

            await buy(in: arcade)
            _ = await store.shows("Your account: +43…67")
            await store.choose("3", after: "Decide later")
            await desktop.logIn(on: store, as: Desktop.otherPhone)
            _ = await store.shows("Your account: +43…68")
            await store.choose("1", after: "Decide later")

            await finish(arcade)
        }
    }

    @Test func `If the store app can't be started, the user logs in in the game`() async throws {
        try await Desktop.with { desktop in
            let file = try desktop.home.write("", as: "storeapp", mode: 0o644)
            try await desktop.handlers.register(GameStore.id, name: GameStore.name, program: file)
            let arcade = try await desktop.startArcade()

            await buy(in: arcade)
            await arcade.shows("Example Store can't be opened. Log in here instead.")
            await desktop.logIn(on: arcade.terminal, as: Desktop.phone)

            await finish(arcade)
        }
    }

    @Test func `If the store app ignores the request, the user can log in in the game meanwhile`()
        async throws
    {
        try await Desktop.with { desktop in
            try await desktop.handlers.register(GameStore.id, name: GameStore.name, program: "/bin/true")
            let arcade = try await desktop.startArcade()

            await buy(in: arcade)
            await arcade.shows("Continue in Example Store.")
            await arcade.shows("Press Enter to open the app again: ")
            arcade.terminal.type("/back")
            await desktop.logIn(on: arcade.terminal, as: Desktop.phone)

            await finish(arcade)
        }
    }

    @Test func `Both apps register their URLs, and remove them again`() async throws {
        try await Desktop.with { desktop in
            for (program, scheme, quit) in [
                ("StoreAppCommand", GameStore.id, "3"), ("ArcadeCommand", "com.example.arcade", "6"),
            ] {
                #expect(await !desktop.handlers.isHandled(scheme))
                let app = try await desktop.start(program, desktop.url)
                await app.choose(quit)
                #expect(await app.process.outcome().code == 0)
                #expect(await desktop.handlers.isHandled(scheme))

                let removal = try await ChildProcess.run(
                    [Desktop.path(of: program), "--unregister"],
                    environment: desktop.environment
                )
                #expect(removal.code == 0, "\(removal.text)")
                #expect(await !desktop.handlers.isHandled(scheme))
            }
        }
    }

    @Test(arguments: ["StoreAppCommand", "ArcadeCommand"])
    func `Wrong arguments are reported with the exit code for usage errors`(program: String) async throws {
        let home = TemporaryFolder()
        let outcome = try await ChildProcess.run(
            [Desktop.path(of: program), "--unknown"],
            environment: ["HOME": home.path, "PATH": "/usr/bin:/bin"]
        )
        #expect(outcome.code == 64 && outcome.output == "")
        #expect(outcome.errors.hasPrefix(program == "ArcadeCommand" ? "arcade: " : "storeapp: "))
        #expect(try home.contents().isEmpty)
    }

    @Test func `Without a terminal, the store app fails`() async throws {
        let home = TemporaryFolder()
        for arguments in [[], ["com.example.store://authorize?client_id=a&request_uri=b"]] {
            let outcome = try await ChildProcess.run(
                [Desktop.path(of: "StoreAppCommand")] + arguments,
                environment: ["HOME": home.path, "PATH": "/usr/bin:/bin"]
            )
            #expect(outcome.code == 1 && outcome.errors == "storeapp: The store needs a terminal.\n")
        }
        #expect(try home.contents().isEmpty)
    }
}
