package import LatchkeyCore
import LatchkeyModel

/// A sequence of steps with the events and effects of the state machines.
package struct SessionTrace: Sendable, CustomStringConvertible {
    /// A step, with the events and effects of each state machine involved.
    ///
    /// ``reductions`` is empty if the step doesn't send an event to any machine, such as when the server
    /// answers.
    package struct Line: Sendable {
        /// The model's step.
        package let step: ModelStep
        /// The operation that the store or the server performs in this step, or `nil` if neither is involved.
        package let action: String?
        /// The events that state machines received in this step and the effects of each event, in order.
        package let reductions: [(event: SessionMachine.Event, effects: [SessionMachine.Effect])]
    }

    /// The steps up to and including the first violation.
    package let lines: [Line]

    /// The violation in the last step, or `nil` if there was none.
    package let violation: InvariantViolation?

    /// Replays steps from the initial state until a violation occurs.
    ///
    /// Steps after a violation are not replayed.
    ///
    /// - Parameters:
    ///   - steps: The steps to replay, for example the trace in a report.
    ///   - bounds: The bounds that the search used.
    ///   - reducer: The transition function that the search used.
    package init(
        _ steps: [ModelStep],
        within bounds: ExplorerBounds,
        reducer: @escaping ModelState.Reducer = { $0.reduce($1) }
    ) {
        typealias Reduction = (event: SessionMachine.Event, effects: [SessionMachine.Effect])
        let recorded = Locked<[Reduction]>([])
        let recording: ModelState.Reducer = { machine, event in
            let effects = reducer(&machine, event)
            recorded.withLock { $0.append((event, effects)) }
            return effects
        }
        var state = ModelState(bounds)
        var lines: [Line] = []
        var violation: InvariantViolation?
        for step in steps where violation == nil {
            let before = state
            do throws(InvariantViolation) {
                try state.apply(step, with: recording)
                try state.check()
            } catch {
                violation = error
            }
            let reductions = recorded.withLock { recorded in
                defer { recorded = [] }
                return recorded
            }
            lines.append(
                Line(step: step, action: state.action(of: step, after: before), reductions: reductions)
            )
        }
        (self.lines, self.violation) = (lines, violation)
    }

    /// The trace as text, with one numbered line per step.
    package var description: String {
        lines.enumerated()
            .map { number, line in
                let what = line.reductions
                    .map { event, effects in
                        let list = effects.map(\.summary).joined(separator: ", ")
                        return "\(event.summary) -> \(list.isEmpty ? "no effect" : list)"
                    }
                    .joined(separator: "; ")
                let place = String(repeating: " ", count: number < 9 ? 2 : 1) + "\(number + 1)"
                let parts = [line.step.summary, line.action ?? "", what]
                return "\(place)  " + parts.filter { !$0.isEmpty }.joined(separator: ": ")
            }
            .joined(separator: "\n")
    }
}

extension ModelState {
    /// Returns what the store or the server did in the step that led to this state.
    fileprivate func action(of step: ModelStep, after before: ModelState) -> String? {
        switch step {
        case .performStoreOperation(let process):
            guard let effect = before.processes[process].pending.first else { return nil }
            let isAnswered = processes[process].results.count > before.processes[process].results.count
            let result = isAnswered ? processes[process].results.last?.summary : nil
            return "\(effect.summary) -> \(result ?? "discarded")"
        case .answerRequest(let process, let index):
            guard index < processes[process].requests.count,
                let answer = processes[process].requests[index].answer
            else {
                return nil
            }
            return SessionMachine.Event.answered(answer, to: processes[process].requests[index].handle)
                .summary
        default: return nil
        }
    }
}
