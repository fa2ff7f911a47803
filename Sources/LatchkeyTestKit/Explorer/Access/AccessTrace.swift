package import LatchkeyCore
import LatchkeyModel

/// A sequence of steps with the events and effects of the access machines.
package struct AccessTrace: Sendable, CustomStringConvertible {
    /// A step, with the event and effects of each state machine that took part.
    package struct Line: Sendable {
        /// The step of the model.
        package let step: AccessStep
        /// The events that state machines received in this step, with their effects, in order.
        package let reductions: [(event: AccessMachine.Event, effects: [AccessMachine.Effect])]
    }

    /// The steps up to the first violation.
    package let lines: [Line]

    /// The violation in the last step; `nil` if there is none.
    package let violation: AccessViolation?

    /// Replays steps from the start, up to the first violation.
    ///
    /// - Parameters:
    ///   - steps: The steps, such as those of a report.
    ///   - bounds: The bounds of the search.
    ///   - reducer: The transition function of the search.
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

    /// One numbered line for each step.
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
