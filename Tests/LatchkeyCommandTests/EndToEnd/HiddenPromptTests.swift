import Foundation
import TestProcesses
import Testing

/// Tests the hidden prompts of the command on a pseudo-terminal.
@Suite(.timeLimit(.minutes(10))) struct `Hidden prompts` {
    private static let password = "a-Password-of-7"

    private let folder = TestFolder()
    private let terminal: PseudoTerminal

    init() throws {
        terminal = try PseudoTerminal()
    }

    /// Starts a command that asks for a new password twice, and waits for the first prompt.
    private func start(email: String = "a@example.com") async throws -> ChildProcess {
        let words = ["identity", "create", "--schema", "business", "--email", email]
        let process = try await ChildProcess.start(
            [BuiltCommand.path] + words + ["--data", folder.path + "/data"],
            environment: ["HOME": folder.path, "PATH": "/usr/bin:/bin"],
            terminal: terminal
        )
        _ = await terminal.shows("New password: ")
        return process
    }

    @Test func `A password that is typed as soon as the prompt appears is neither shown nor lost`()
        async throws
    {
        for number in 0..<8 {
            let process = try await start(email: "a\(number)@example.com")
            terminal.type(Self.password)
            _ = await terminal.shows("Repeat it: ")
            terminal.type(Self.password)
            let outcome = await process.outcome()
            #expect(outcome.code == 0, "\(outcome.text)")
        }
        #expect(!terminal.transcript.contains(Self.password))
    }

    @Test func `Both passwords can be typed at once`() async throws {
        let process = try await start()

        terminal.type(Self.password + "\n" + Self.password)

        #expect(await process.outcome().code == 0)
        #expect(terminal.transcript.contains("Repeat it: "))
        #expect(!terminal.transcript.contains(Self.password))
    }

    @Test(
        arguments: [(SIGHUP, -SIGHUP), (SIGQUIT, -SIGQUIT), (SIGTERM, 130), (SIGINT, 130)] as [(Int32, Int32)]
    )
    func `The echo is restored if a signal ends the process`(signal: Int32, code: Int32) async throws {
        let process = try await start()
        #expect(!terminal.isEchoing)

        process.signal(signal)

        #expect(await process.outcome().code == code)
        #expect(terminal.isEchoing)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/data"))
    }

    @Test func `The echo is restored while the process is stopped, and the prompt is repeated afterwards`()
        async throws
    {
        let process = try await start()

        process.signal(SIGTSTP)
        #expect(await process.isStopped())
        #expect(terminal.isEchoing)
        process.signal(SIGCONT)

        _ = await terminal.shows("New password: ")
        #expect(!terminal.isEchoing)
        terminal.type(Self.password)
        _ = await terminal.shows("Repeat it: ")
        terminal.type(Self.password)
        #expect(await process.outcome().code == 0)
        #expect(terminal.isEchoing)
        #expect(!terminal.transcript.contains(Self.password))
    }

    @Test(arguments: [("\u{3}", 130, "cancelled"), ("\u{4}", 2, "no input was given")])
    func `Control-C and Control-D end a hidden prompt with an error`(
        key: String,
        code: Int32,
        message: String
    ) async throws {
        let process = try await start()

        terminal.press(key)

        #expect(await process.outcome().code == code)
        _ = await terminal.shows("latchkey: \(message)")
        #expect(terminal.isEchoing)
    }
}
