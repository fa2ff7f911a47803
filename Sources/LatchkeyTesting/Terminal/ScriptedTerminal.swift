import LatchkeyModel
public import LatchkeyUI

/// A terminal that answers prompts with prepared lines and records a transcript.
///
/// ```swift
/// let terminal = ScriptedTerminal("+439999999999", "271501")
/// let presenter = TerminalPresenter(terminal: terminal)
/// ```
public final class ScriptedTerminal: Terminal {
    /// The user's reaction to a prompt.
    public enum Input: ExpressibleByStringLiteral, Hashable, Sendable {
        /// Types a line and presses Return.
        case line(String)
        /// Presses Control-C.
        case controlC
        /// Presses Control-D.
        case controlD
        /// Types no input, so the prompt waits until its task is cancelled.
        case wait

        /// Creates an input that types a line.
        public init(stringLiteral value: String) { self = .line(value) }
    }

    private struct State {
        var inputs: [Input]
        var transcript: [String] = []
        var unexpectedPrompts: [String] = []
    }

    private let state: Locked<State>

    /// Creates a terminal with the user's inputs, in the order that prompts read them.
    public init(_ inputs: Input...) {
        state = Locked(State(inputs: inputs))
    }

    /// The lines shown on the terminal, with hidden input as asterisks.
    public var transcript: [String] { state.withLock { $0.transcript } }

    /// The number of inputs that haven't been read by a prompt.
    public var remaining: Int { state.withLock { $0.inputs.count } }

    /// The prompts that were shown when no inputs were left.
    ///
    /// Each of these prompts is interrupted, as if the user had pressed Control-C.
    public var unexpectedPrompts: [String] { state.withLock { $0.unexpectedPrompts } }

    /// Adds inputs for future prompts.
    public func type(_ inputs: Input...) {
        state.withLock { $0.inputs += inputs }
    }

    /// Adds a line to the transcript.
    public func write(_ line: String) {
        state.withLock { $0.transcript.append(line) }
    }

    /// Ignores the activity, because progress is shown only temporarily.
    public func showProgress(_ activity: String?) {}

    /// Shows a prompt and returns the next input.
    ///
    /// - Throws: `interrupted` if the next input is Control-C or if there are no more inputs, or `ended` if
    ///   the next input is Control-D.
    public func readLine(_ prompt: String, isHidden: Bool) async throws(TerminalInputError) -> String {
        let input: Input? = state.withLock { state in
            let input = state.inputs.isEmpty ? nil : state.inputs.removeFirst()
            let shown =
                switch input {
                case .line(let line): isHidden ? String(repeating: "*", count: line.count) : line
                case .controlC: "^C"
                case .controlD: "^D"
                case .wait, nil: ""
                }
            state.transcript.append(prompt + shown)
            if input == nil { state.unexpectedPrompts.append(prompt) }
            return input
        }
        switch input {
        case .line(let line): return line
        case .controlC, nil: throw .interrupted
        case .controlD: throw .ended
        case .wait:
            _ = await OneShot<Never>().value
            throw .interrupted
        }
    }
}
