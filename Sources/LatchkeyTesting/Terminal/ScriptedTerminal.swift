import LatchkeyModel
public import LatchkeyUI

/// A terminal whose user types prepared lines, and which keeps a transcript.
///
/// ```swift
/// let terminal = ScriptedTerminal("+439999999999", "271501")
/// let presenter = TerminalPresenter(terminal: terminal)
/// ```
public final class ScriptedTerminal: Terminal {
    /// An action of the user at a prompt.
    public enum Input: ExpressibleByStringLiteral, Hashable, Sendable {
        /// Types a line.
        case line(String)
        /// Presses Control-C.
        case controlC
        /// Presses Control-D.
        case controlD
        /// Does not type; the prompt waits until its task is cancelled.
        case wait

        /// Creates a line.
        public init(stringLiteral value: String) { self = .line(value) }
    }

    private struct State {
        var inputs: [Input]
        var transcript: [String] = []
        var unexpectedPrompts: [String] = []
    }

    private let state: Locked<State>

    /// Creates a terminal with the inputs of its user, in the order of the prompts.
    public init(_ inputs: Input...) {
        state = Locked(State(inputs: inputs))
    }

    /// The lines on the terminal; hidden input is shown as asterisks.
    public var transcript: [String] { state.withLock { $0.transcript } }

    /// The number of inputs that no prompt has read.
    public var remaining: Int { state.withLock { $0.inputs.count } }

    /// The prompts for which no input was left; each of them was interrupted, as by Control-C.
    public var unexpectedPrompts: [String] { state.withLock { $0.unexpectedPrompts } }

    /// Adds inputs.
    public func type(_ inputs: Input...) {
        state.withLock { $0.inputs += inputs }
    }

    /// Adds a line to the transcript.
    public func write(_ line: String) {
        state.withLock { $0.transcript.append(line) }
    }

    /// Has no effect, because progress is temporary.
    public func showProgress(_ activity: String?) {}

    /// Returns the next input.
    ///
    /// - Throws: `interrupted` or `ended` for the corresponding input, and `interrupted` if no input is left.
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
