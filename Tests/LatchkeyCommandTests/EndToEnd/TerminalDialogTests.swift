import Foundation
import LatchkeyCurl
import LatchkeyModel
import LatchkeyWire
import TestProcesses
import Testing

/// Tests the command's dialogs on a pseudo-terminal with a real server.
///
/// The transcript is part of the test output.
@Suite(.timeLimit(.minutes(10))) struct `Command-line dialogs` {
    private let folder = TestFolder()
    private let email = "reader@example.org"
    /// The codes that the tests have already used.
    private let known = Locked<Set<String>>([])

    /// A command that runs on a terminal.
    private struct Dialog {
        let terminal: PseudoTerminal
        let process: ChildProcess

        /// Waits for a prompt that starts with the given text and types an answer.
        func answer(_ prompt: String, _ text: String) async {
            _ = await terminal.shows(prompt)
            _ = await terminal.shows(": ")
            terminal.type(text)
        }
    }

    private func start(_ arguments: [String]) async throws -> Dialog {
        let terminal = try PseudoTerminal()
        let process = try await ChildProcess.start(
            [BuiltCommand.path] + arguments,
            environment: ["HOME": folder.path, "PATH": "/usr/bin:/bin"],
            terminal: terminal
        )
        return Dialog(terminal: terminal, process: process)
    }

    /// Returns the code that the development courier has sent to an address since the previous call.
    ///
    /// The function polls the admin listener until there is a code.
    private func code(sentTo address: String, by server: ServerProcess) async throws -> String {
        var request = HTTP.Request(
            .get,
            "/courier/messages",
            query: "recipient=\(QueryItems.encode(address))"
        )
        request.headers["Authorization"] = "Bearer " + server.adminToken
        while true {
            let response = try await CurlTransport().send(request, to: server.adminURL)
            let messages = try JSONCoding.decode([JSONValue].self, from: response.body)
            let codes = Set(messages.compactMap { $0["code"]?.text })
            let new = known.withLock { known in
                defer { known.formUnion(codes) }
                return codes.subtracting(known).first
            }
            if let new { return new }
        }
    }

    /// Waits until a command has ended and prints its transcript.
    private func finish(_ dialog: Dialog) async -> ChildProcess.Outcome {
        let outcome = await dialog.process.outcome()
        print("---\n\(dialog.terminal.transcript)\(outcome.output)---")
        return outcome
    }

    @Test func `The dialogs guide a user through sign-up, login, recovery and settings`()
        async throws
    {
        let server = try await ServerProcess(
            data: folder.path + "/server",
            flags: ["--identities-default-schema", "reader", "--limits-codes-per-phone", "100/1s"]
        )
        let client = ["--server", server.url]

        let signUp = try await start(["signup", "--schema", "reader"] + client)
        await signUp.answer("E-mail", email)
        await signUp.answer("Phone number", "")
        await signUp.answer("Given name", "Ann")
        await signUp.answer("Family name", "")
        await signUp.answer("Display name", "")
        await signUp.answer("Birthday", "")
        await signUp.answer("Choose a number", "1")
        _ = await signUp.terminal.shows("Code: ")
        signUp.terminal.type(try await code(sentTo: email, by: server))
        let signedUp = await finish(signUp)
        #expect(signedUp.code == 0)
        #expect(signedUp.output.contains("email     \(email)"))
        #expect(try await BuiltCommand.run(["logout"] + client, home: folder.path).code == 0)

        let login = try await start(["login"] + client)
        await login.answer("E-mail or phone number", email)
        await login.answer("Choose a number", "")
        _ = await login.terminal.shows("Code: ")
        // Once a second code has been requested, only that one is valid.
        _ = try await code(sentTo: email, by: server)
        login.terminal.type("/resend")
        _ = await login.terminal.shows("Code: ")
        login.terminal.type(try await code(sentTo: email, by: server))
        #expect(await finish(login).output.contains("Logged in."))

        let password = "another-Horse-8"
        let recovery = try await start(["recover"] + client)
        await recovery.answer("E-mail or phone number", email)
        _ = await recovery.terminal.shows("Code: ")
        recovery.terminal.type(try await code(sentTo: email, by: server))
        await recovery.answer("Choose a number", "1")
        await recovery.answer("Password", password)
        await recovery.answer("Enter the password again", password)
        #expect(await finish(recovery).code == 0)
        #expect(!recovery.terminal.transcript.contains(password))

        let settings = try await start(["settings"] + client)
        await settings.answer("Choose a number", "1")
        await settings.answer("E-mail", "")
        await settings.answer("Phone number", "")
        await settings.answer("Given name", "Anna")
        await settings.answer("Family name", "")
        await settings.answer("Display name", "")
        await settings.answer("Birthday", "")
        #expect(await finish(settings).output == "Saved.\n")

        let known = try await BuiltCommand.run(
            ["login", "--email", email, "--password-stdin"] + client,
            home: folder.path,
            input: password + "\n"
        )
        #expect(known.code == 0)
        let others = try await BuiltCommand.run(["sessions"] + client, home: folder.path)
        #expect(others.output.contains("  since "))
        await server.stop()
    }

    @Test func `Pressing Control-C ends a dialog with an error and changes nothing`() async throws {
        let server = try await ServerProcess(data: folder.path + "/server")

        let login = try await start(["login", "--server", server.url])
        _ = await login.terminal.shows("cancel)")
        _ = await login.terminal.shows(": ")
        login.terminal.press("\u{3}")

        let outcome = await finish(login)
        #expect(outcome.code == 130)
        #expect(login.terminal.transcript.hasSuffix("latchkey: cancelled\r\n"))
        #expect(login.terminal.isEchoing)
        await server.stop()
    }
}
