import LatchkeyModel
import LatchkeyUI
import Testing

/// A terminal whose user types prepared lines, and which keeps a transcript.
final class ScriptedTerminal: Terminal {
    /// What the user does at a prompt.
    enum Input: ExpressibleByStringLiteral, Sendable {
        case line(String)
        case controlC
        case controlD

        init(stringLiteral value: String) { self = .line(value) }
    }

    private struct State {
        var inputs: [Input]
        var transcript: [String] = []
    }

    private let state: Locked<State>

    init(_ inputs: Input...) {
        state = Locked(State(inputs: inputs))
    }

    /// The lines on the terminal; hidden input is shown as asterisks.
    var transcript: [String] { state.withLock { $0.transcript } }

    /// The lines that the user has not typed.
    var remaining: Int { state.withLock { $0.inputs.count } }

    func type(_ inputs: Input...) {
        state.withLock { $0.inputs += inputs }
    }

    func write(_ line: String) {
        state.withLock { $0.transcript.append(line) }
    }

    func showProgress(_ activity: String?) {}

    func readLine(_ prompt: String, isHidden: Bool) async throws(TerminalInputError) -> String {
        let input: Input? = state.withLock { state in
            let input = state.inputs.isEmpty ? nil : state.inputs.removeFirst()
            let shown =
                switch input {
                case .line(let line): isHidden ? String(repeating: "*", count: line.count) : line
                case .controlC: "^C"
                case .controlD: "^D"
                case nil: ""
                }
            state.transcript.append(prompt + shown)
            return input
        }
        switch input {
        case .line(let line): return line
        case .controlC: throw .interrupted
        case .controlD: throw .ended
        case nil:
            Issue.record("The dialog asks for more than the user types: \(prompt)")
            throw .interrupted
        }
    }
}
