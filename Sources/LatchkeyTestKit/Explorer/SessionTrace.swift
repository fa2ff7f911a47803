package import LatchkeyCore
import LatchkeyModel

/// A way through worlds, with what the machines were told and what they wanted done.
package struct SessionTrace: Sendable, CustomStringConvertible {
    /// One step, and the event and effects of each machine that had a part in it.
    package struct Line: Sendable {
        package let step: ExploredStep
        package let reductions: [(event: SessionMachine.Event, effects: [SessionMachine.Effect])]
    }

    package let lines: [Line]

    /// What broke at the last step.
    package let violation: ExploredViolation?

    /// Goes through steps again.
    ///
    /// - Parameters:
    ///   - steps: What happens.
    ///   - bounds: Those of the search.
    ///   - reducer: What decides.
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
            lines.append(Line(step: step, reductions: reductions))
        }
        (self.lines, self.violation) = (lines, violation)
    }

    /// A line for each step.
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
                return "\(place)  \(line.step.summary)" + (what.isEmpty ? "" : ": " + what)
            }
            .joined(separator: "\n")
    }
}
