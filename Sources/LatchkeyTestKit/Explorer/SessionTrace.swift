package import LatchkeyCore
import LatchkeyModel

/// A sequence of steps with the events and effects of the state machines.
package struct SessionTrace: Sendable, CustomStringConvertible {
    /// A step with the events and effects of each state machine that took part.
    ///
    /// If a step sends no event to a machine, as when the server answers, ``reductions`` is empty.
    package struct Line: Sendable {
        /// The step of the model.
        package let step: ModelStep
        /// The store's or server's action in this step; `nil` for other steps.
        package let action: String?
        /// The events that state machines received in this step, with their effects, in order.
        package let reductions: [(event: SessionMachine.Event, effects: [SessionMachine.Effect])]
    }

    /// The steps up to the first violation.
    package let lines: [Line]

    /// The violation in the last step; `nil` if there is none.
    package let violation: InvariantViolation?

    /// Replays steps from the start, up to the first violation.
    ///
    /// Steps after a violation are not replayed.
    ///
    /// - Parameters:
    ///   - steps: The steps, such as the trace in a report.
    ///   - bounds: The bounds of the search.
    ///   - reducer: The transition function of the search.
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

    /// The trace as text, with one numbered line for each step.
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
    /// Returns the store's or server's action in the step that led to this state.
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
