package import LatchkeyCore
import LatchkeyModel

/// A sequence of steps with the events and effects of the state machines.
package struct SessionTrace: Sendable, CustomStringConvertible {
    /// A step, with the event and effects of each state machine that took part.
    package struct Line: Sendable {
        package let step: ExploredStep
        /// The action of the store or the server in this step; `nil` for other steps.
        package let deed: String?
        package let reductions: [(event: SessionMachine.Event, effects: [SessionMachine.Effect])]
    }

    package let lines: [Line]

    /// The violation at the last step; `nil` if there is none.
    package let violation: ExploredViolation?

    /// Replays steps from the start, up to the first violation.
    ///
    /// - Parameters:
    ///   - steps: The steps, such as those of a report.
    ///   - bounds: The bounds of the search.
    ///   - reducer: The transition function of the search.
    package init(
        _ steps: [ExploredStep],
        within bounds: ExplorerBounds,
        reducer: @escaping ExploredWorld.Reducer = { $0.reduce($1) }
    ) {
        typealias Reduction = (event: SessionMachine.Event, effects: [SessionMachine.Effect])
        let heard = Locked<[Reduction]>([])
        let listening: ExploredWorld.Reducer = { machine, event in
            let effects = reducer(&machine, event)
            heard.withLock { $0.append((event, effects)) }
            return effects
        }
        var world = ExploredWorld(bounds)
        var lines: [Line] = []
        var violation: ExploredViolation?
        for step in steps where violation == nil {
            let before = world
            do throws(ExploredViolation) {
                try world.apply(step, listening)
                try world.check()
            } catch {
                violation = error
            }
            let reductions = heard.withLock { heard in
                defer { heard = [] }
                return heard
            }
            lines.append(Line(step: step, deed: world.deed(of: step, after: before), reductions: reductions))
        }
        (self.lines, self.violation) = (lines, violation)
    }

    /// One numbered line for each step.
    package var description: String {
        lines.enumerated()
            .map { number, line in
                let what = line.reductions
                    .map { event, effects in
                        let list = effects.map(\.summary).joined(separator: ", ")
                        return "\(event.summary) -> \(list.isEmpty ? "nothing" : list)"
                    }
                    .joined(separator: "; ")
                let place = String(repeating: " ", count: number < 9 ? 2 : 1) + "\(number + 1)"
                let parts = [line.step.summary, line.deed ?? "", what]
                return "\(place)  " + parts.filter { !$0.isEmpty }.joined(separator: ": ")
            }
            .joined(separator: "\n")
    }
}

extension ExploredWorld {
    /// Returns the action of the store or the server in the step that led here.
    fileprivate func deed(of step: ExploredStep, after before: ExploredWorld) -> String? {
        switch step {
        case .store(let app):
            guard let effect = before.apps[app].pending.first else { return nil }
            let isAnswered = apps[app].results.count > before.apps[app].results.count
            let result = isAnswered ? apps[app].results.last?.summary : nil
            return "\(effect.summary) -> \(result ?? "not any more")"
        case .judge(let app, let index):
            guard index < apps[app].questions.count, let answer = apps[app].questions[index].answer else {
                return nil
            }
            return SessionMachine.Event.answered(answer, to: apps[app].questions[index].handle).summary
        default: return nil
        }
    }
}
