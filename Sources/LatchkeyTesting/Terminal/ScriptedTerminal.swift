import LatchkeyModel
public import LatchkeyTerminal

/// A terminal that answers prompts with prepared lines and records a transcript.
///
/// ```swift
/// let terminal = ScriptedTerminal("+439999999999") { _ in
///     .line(try await server.code(for: "+439999999999"))
/// }
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
        /// Waits for the next input that ``ScriptedTerminal/type(_:)`` adds, such as a code that arrives
        /// after the prompt.
        case wait
        /// Types no input, so the prompt waits until its task is cancelled.
        case idle

        /// Creates an input that types a line.
        public init(stringLiteral value: String) { self = .line(value) }
    }

    /// A user who answers the prompts for which no input was prepared.
    ///
    /// The closure is called with the prompt, and can wait, for example for a code. If it throws an error,
    /// the prompt is interrupted and listed in ``ScriptedTerminal/unexpectedPrompts``.
    public typealias User = @Sendable (_ prompt: String) async throws -> Input

    private struct State {
        /// The inputs that were prepared, in the order that prompts read them.
        var prepared: [Input]
        /// The inputs that were typed later and that haven't been read, oldest first.
        var typed: [Input] = []
        var transcript: [String] = []
        var unexpectedPrompts: [String] = []
        /// The prompts that wait for an input, oldest first.
        var waiting: [OneShot<Input>] = []

        mutating func nextTyped() -> Input? { typed.isEmpty ? nil : typed.removeFirst() }
    }

    private let state: Locked<State>
    private let user: User?

    /// Creates a terminal with the user's inputs.
    ///
    /// - Parameters:
    ///   - inputs: The inputs, in the order that prompts read them.
    ///   - user: Answers all further prompts. If this is `nil`, they are interrupted, as if the user had
    ///     pressed Control-C.
    public convenience init(_ inputs: Input..., user: User? = nil) {
        self.init(inputs, user: user)
    }

    /// Creates a terminal with the user's inputs.
    ///
    /// - Parameters:
    ///   - inputs: The inputs, in the order that prompts read them.
    ///   - user: Answers all further prompts. If this is `nil`, they are interrupted, as if the user had
    ///     pressed Control-C.
    public init(_ inputs: [Input], user: User? = nil) {
        state = Locked(State(prepared: inputs))
        self.user = user
    }

    /// The lines shown on the terminal, with hidden input as asterisks.
    public var transcript: [String] { state.withLock { $0.transcript } }

    /// The number of inputs that haven't been read by a prompt.
    public var remaining: Int { state.withLock { $0.prepared.count + $0.typed.count } }

    /// The prompts that were shown when no inputs were left and that no user answered.
    ///
    /// Each of these prompts is interrupted, as if the user had pressed Control-C. If the user's closure
    /// threw an error, the error is part of the text.
    public var unexpectedPrompts: [String] { state.withLock { $0.unexpectedPrompts } }

    /// Adds inputs.
    ///
    /// A prompt that is waiting because of ``Input/wait`` reads the first input. The others are for future
    /// prompts that wait, or for which no input was prepared.
    public func type(_ inputs: Input...) {
        for input in inputs {
            // The task of a prompt can be cancelled at any time. Its input is then for the next prompt.
            while let prompt = state.withLock({ add(input, to: &$0) }), !prompt.set(input) {}
        }
    }

    /// Returns the prompt that must be given the input, or adds the input to the typed ones.
    private func add(_ input: Input, to state: inout State) -> OneShot<Input>? {
        guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
        state.typed.append(input)
        return nil
    }

    /// Adds a line to the transcript.
    public func write(_ line: String) {
        state.withLock { $0.transcript.append(line) }
    }

    /// Ignores the activity, because progress is shown only temporarily.
    public func showProgress(_ activity: String?) {}

    /// Shows a prompt and returns the next input.
    ///
    /// - Throws: `interrupted` if the next input is Control-C, if there is no input, or if the task is
    ///   cancelled while the prompt is waiting, or `ended` if the next input is Control-D.
    public func readLine(_ prompt: String, isHidden: Bool) async throws(TerminalInputError) -> String {
        let (place, known) = state.withLock { state in
            state.transcript.append(prompt)
            let input = state.prepared.isEmpty ? state.nextTyped() : state.prepared.removeFirst()
            return (state.transcript.count - 1, input)
        }
        var input = if let known { known } else { try await answer(to: prompt) }
        while input == .wait { input = try await nextTyped() }
        let shown =
            switch input {
            case .line(let line): isHidden ? String(repeating: "*", count: line.count) : line
            case .controlC: "^C"
            case .controlD: "^D"
            case .wait, .idle: ""
            }
        state.withLock { $0.transcript[place] += shown }
        switch input {
        case .line(let line): return line
        case .controlD: throw .ended
        case .idle: _ = await OneShot<Never>().value
        case .controlC, .wait: break
        }
        throw .interrupted
    }

    /// Asks the user for an answer to a prompt for which no input was prepared.
    private func answer(to prompt: String) async throws(TerminalInputError) -> Input {
        var unexpected = prompt
        do {
            if let user { return try await user(prompt) }
        } catch {
            if Task.isCancelled { throw .interrupted }
            unexpected += "(\(error))"
        }
        state.withLock { $0.unexpectedPrompts.append(unexpected) }
        throw .interrupted
    }

    /// Waits for the next input that is added.
    private func nextTyped() async throws(TerminalInputError) -> Input {
        guard !Task.isCancelled else { throw .interrupted }
        let prompt = OneShot<Input>()
        let early: Input? = state.withLock { state in
            let input = state.nextTyped()
            if input == nil { state.waiting.append(prompt) }
            return input
        }
        if let early { return early }
        guard let input = await prompt.value else {
            state.withLock { $0.waiting.removeAll { $0 === prompt } }
            throw .interrupted
        }
        return input
    }
}
