import LatchkeyCore
import LatchkeyModel
import LatchkeyTerminal
import LatchkeyWire
import Testing

/// A flow provider with prepared outcomes that records the user's input.
final class FakeFlows: FlowProvider {
    private struct State {
        var outcomes: [Result<FlowOutcome, LatchkeyError>]
        var begun: [String] = []
        var answers: [FlowSubmission] = []
    }

    private let flows: [Flow.Kind: Flow]
    private let state: Locked<State>

    init(
        _ flows: Flow...,
        outcomes: [Result<FlowOutcome, LatchkeyError>] = [],
        languages: [String] = []
    ) {
        self.languages = languages
        self.flows = Dictionary(uniqueKeysWithValues: flows.map { ($0.kind, $0) })
        state = Locked(State(outcomes: outcomes))
    }

    let serverHost = "id.example.com"
    let languages: [String]

    /// The flows that were started or read, as `begin login` or `read login ID`.
    var begun: [String] { state.withLock { $0.begun } }

    var answers: [FlowSubmission] { state.withLock { $0.answers } }

    func begin(
        _ kind: Flow.Kind,
        schema: String?,
        reauthenticating: Bool
    ) async throws(LatchkeyError) -> Flow {
        let word = reauthenticating ? "reauthenticate" : "begin"
        state.withLock { $0.begun.append("\(word) \(kind.rawValue)" + (schema.map { " as \($0)" } ?? "")) }
        return try flow(kind)
    }

    func flow(_ kind: Flow.Kind, id: String) async throws(LatchkeyError) -> Flow {
        state.withLock { $0.begun.append("read \(kind.rawValue) \(id)") }
        return try flow(kind)
    }

    private func flow(_ kind: Flow.Kind) throws(LatchkeyError) -> Flow {
        guard let flow = flows[kind] else {
            throw LatchkeyError(.flowDisabled, message: "The test has no such flow.")
        }
        return flow
    }

    func submit(_ answers: FlowSubmission, to flow: Flow) async throws(LatchkeyError) -> FlowOutcome {
        let outcome = state.withLock { state in
            state.answers.append(answers)
            return state.outcomes.isEmpty ? nil : state.outcomes.removeFirst()
        }
        guard let outcome else { throw LatchkeyError(.refused, message: "The test has no further outcome.") }
        return try outcome.get()
    }
}

extension FlowNode {
    static func field(
        _ name: String,
        _ label: String,
        in group: Group = .common,
        kind: FlowInput.Kind = .text,
        value: JSONValue? = nil,
        isRequired: Bool = true,
        autocomplete: String? = nil,
        options: [FlowInput.Option] = [],
        error: String? = nil
    ) -> FlowNode {
        FlowNode(
            group: group,
            attributes: .input(
                FlowInput(
                    name: name,
                    kind: kind,
                    value: value,
                    isRequired: isRequired,
                    autocomplete: autocomplete,
                    options: options
                )
            ),
            label: FlowMessage(id: 1, text: label, severity: .info),
            messages: error.map { [FlowMessage(id: 2, text: $0, severity: .error)] } ?? []
        )
    }

    static func button(_ name: String, _ value: JSONValue, _ label: String, in group: Group) -> FlowNode {
        FlowNode(
            group: group,
            attributes: .input(FlowInput(name: name, kind: .submit, value: value)),
            label: FlowMessage(id: 3, text: label, severity: .info)
        )
    }
}
