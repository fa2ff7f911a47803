import LatchkeyTerminal
import LatchkeyTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Scripted terminal` {
    @Test func `Prompts read the prepared inputs in order, and hidden ones are masked`() async throws {
        let terminal = ScriptedTerminal("a name", "secret", .controlD, .controlC)

        #expect(try await terminal.readLine("Name: ", isHidden: false) == "a name")
        #expect(try await terminal.readLine("Password: ", isHidden: true) == "secret")
        await #expect(throws: TerminalInputError.ended) { try await terminal.readLine("> ", isHidden: false) }
        await #expect(throws: TerminalInputError.interrupted) {
            try await terminal.readLine("> ", isHidden: false)
        }

        #expect(terminal.transcript == ["Name: a name", "Password: ******", "> ^D", "> ^C"])
        #expect(terminal.unexpectedPrompts == [])
    }

    @Test func `A prompt without an input is interrupted and reported`() async {
        let terminal = ScriptedTerminal()

        await #expect(throws: TerminalInputError.interrupted) {
            try await terminal.readLine("Name: ", isHidden: false)
        }

        #expect(terminal.unexpectedPrompts == ["Name: "])
    }

    @Test func `A waiting prompt reads the input that is typed later`() async throws {
        let terminal = ScriptedTerminal(.wait)
        let prompt = Task { try await terminal.readLine("Code: ", isHidden: false) }
        while terminal.transcript.isEmpty { await Task.yield() }
        #expect(terminal.transcript == ["Code: "])

        terminal.type("271501", "next")

        #expect(try await prompt.value == "271501")
        #expect(terminal.transcript == ["Code: 271501"])
        #expect(terminal.remaining == 1)
    }

    @Test(arguments: [true, false])
    func `A waiting prompt leaves prepared inputs to later prompts`(isTypedBefore: Bool) async throws {
        let terminal = ScriptedTerminal(.wait, "prepared")
        if isTypedBefore { terminal.type("271501") }
        let prompt = Task { try await terminal.readLine("Code: ", isHidden: false) }
        while terminal.transcript.isEmpty { await Task.yield() }
        if !isTypedBefore { terminal.type("271501") }

        #expect(try await prompt.value == "271501")
        #expect(try await terminal.readLine("Name: ", isHidden: false) == "prepared")
        #expect(terminal.remaining == 0)
    }

    @Test(arguments: [ScriptedTerminal.Input.wait, .idle])
    func `A cancelled prompt does not use up an input`(_ input: ScriptedTerminal.Input) async throws {
        let terminal = ScriptedTerminal(input)
        let prompt = Task { try await terminal.readLine("Code: ", isHidden: false) }
        while terminal.transcript.isEmpty { await Task.yield() }
        prompt.cancel()
        terminal.type("271501")

        await #expect(throws: TerminalInputError.interrupted) { try await prompt.value }
        #expect(try await terminal.readLine("Code: ", isHidden: false) == "271501")
    }

    @Test func `A user answers the prompts that have no prepared input`() async throws {
        let terminal = ScriptedTerminal("prepared") { prompt in
            guard prompt == "Code: " else { throw NoAnswer() }
            return "271501"
        }

        #expect(try await terminal.readLine("Name: ", isHidden: false) == "prepared")
        #expect(try await terminal.readLine("Code: ", isHidden: false) == "271501")
        await #expect(throws: TerminalInputError.interrupted) {
            try await terminal.readLine("Again: ", isHidden: false)
        }

        #expect(terminal.unexpectedPrompts == ["Again: (no answer)"])
    }

    private struct NoAnswer: Error, CustomStringConvertible {
        let description = "no answer"
    }
}
