package import LatchkeyCore
import LatchkeyModel

/// A sequence of steps with the events and effects of the access machines.
package struct AccessTrace: Sendable, CustomStringConvertible {
    /// A step, with the events and effects of each state machine involved.
    package struct Line: Sendable {
        /// The model's step.
        package let step: AccessStep
        /// The events that state machines received in this step and the effects of each event, in order.
        package let reductions: [(event: AccessMachine.Event, effects: [AccessMachine.Effect])]
    }

    /// The steps up to and including the first violation.
    package let lines: [Line]

    /// The violation in the last step, or `nil` if there was none.
    package let violation: AccessViolation?

    /// Replays steps from the initial state until a violation occurs.
    ///
    /// - Parameters:
    ///   - steps: The steps to replay, for example from a search report.
    ///   - bounds: The bounds that the search used.
    ///   - reducer: The transition function that the search used.
    package init(
        _ steps: [AccessStep],
        within bounds: AccessBounds,
        reducer: @escaping AccessModel.Reducer = AccessModel.shipped
    ) {
        typealias Reduction = (event: AccessMachine.Event, effects: [AccessMachine.Effect])
        let recorded = Locked<[Reduction]>([])
        let recording: AccessModel.Reducer = { machine, event in
            let effects = reducer(&machine, event)
            recorded.withLock { $0.append((event, effects)) }
            return effects
        }
        var state = AccessModel(bounds)
        var lines: [Line] = []
        var violation: AccessViolation?
        for step in steps where violation == nil {
            do throws(AccessViolation) {
                try state.apply(step, with: recording)
                try state.check()
            } catch {
                violation = error
            }
            let reductions = recorded.withLock { recorded in
                defer { recorded = [] }
                return recorded
            }
            lines.append(Line(step: step, reductions: reductions))
        }
        (self.lines, self.violation) = (lines, violation)
    }

    /// One numbered line per step.
    package var description: String {
        lines.enumerated()
            .map { number, line in
                let what = line.reductions
                    .map { event, effects in
                        let list = effects.map { "\($0)" }.joined(separator: ", ")
                        return "\(event) -> \(list.isEmpty ? "no effect" : list)"
                    }
                    .joined(separator: "; ")
                let place = String(repeating: " ", count: number < 9 ? 2 : 1) + "\(number + 1)"
                return "\(place)  \(line.step.summary): \(what)"
            }
            .joined(separator: "\n")
    }
}
