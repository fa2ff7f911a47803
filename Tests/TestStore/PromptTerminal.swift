import LatchkeyModel
package import LatchkeyUI

/// A terminal that records a transcript and simulates a user who answers each prompt with a line.
package final class PromptTerminal: Terminal {
    private struct State {
        var transcript: [String] = []
    }

    private let state = Locked(State())
    private let user: @Sendable (String) async -> String?

    /// Creates a terminal.
    ///
    /// - Parameter user: Returns the line that the user types at a prompt, or `nil` to press Control-D.
    package init(user: @escaping @Sendable (String) async -> String?) {
        self.user = user
    }

    /// Creates a terminal whose user types the given lines in order and then presses Control-D.
    package convenience init(_ lines: [String]) {
        let rest = Locked(lines[...])
        self.init { _ in rest.withLock { $0.popFirst() } }
    }

    /// All lines that have been written, and all prompts together with the user's answers.
    package var transcript: [String] { state.withLock { $0.transcript } }

    package func write(_ line: String) {
        state.withLock { $0.transcript.append(line) }
    }

    package func showProgress(_ activity: String?) {}

    package func readLine(_ prompt: String, isHidden: Bool) async throws(TerminalInputError) -> String {
        let line = await user(prompt)
        state.withLock { $0.transcript.append(prompt + (line ?? "^D")) }
        guard let line else { throw .ended }
        return line
    }
}
