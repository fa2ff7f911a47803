import Foundation
import LatchkeyTestKit

/// Searches all states of a state machine for violated invariants.
///
/// `scripts/check --deep` runs this program.
@main
struct Explorer {
    static func main() {
        do {
            let arguments = try ExplorerArguments(Array(CommandLine.arguments.dropFirst()))
            switch arguments.machine {
            case .session: try run(.session, with: arguments)
            case .access: try run(.access, with: arguments)
            case .browser: try run(.browser, with: arguments)
            }
        } catch {
            FileHandle.standardError.write(Data("explorer: \(error)\n".utf8))
            exit(2)
        }
    }

    private static func run<Model>(
        _ exploration: Exploration<Model>,
        with arguments: ExplorerArguments
    ) throws {
        switch arguments.task {
        case .help: say(ExplorerArguments.help)
        case .list: list(exploration)
        case .page:
            let texts = arguments.bounds.isEmpty ? SessionCorePage.spaces : arguments.bounds
            let spaces = try texts.map { try ExplorerBounds($0) }
            let page = try SessionCorePage.text(spaces, workers: arguments.workers)
            FileHandle.standardOutput.write(Data(page.utf8))
        case .search: exit(try search(exploration, with: arguments))
        }
    }

    private static func list<Model>(_ exploration: Exploration<Model>) {
        for (number, space) in exploration.spaces.enumerated() {
            say("\(number + 1)  \(space.summary)\n   \(space.bounds)")
        }
        say("\nMutants:")
        for (number, mutant) in exploration.mutants.enumerated() { say("\(number + 1)  \(mutant.mistake)") }
        let names = Model.Bounds.names.map(\.name).joined(separator: ", ")
        say("\nBounds: processes, callers, \(names).")
    }

    private static func search<Model>(
        _ exploration: Exploration<Model>,
        with arguments: ExplorerArguments
    ) throws -> Int32 {
        let start = ContinuousClock.now
        let counter = StateCounter()
        let mutant = try arguments.mutant.map { try exploration.mutant($0) }
        let reducer = mutant?.reducer ?? Model.shipped
        let spaces = try exploration.spaces(arguments)
        var (steps, states) = (0, 0)
        var isComplete = true
        for (number, space) in spaces.enumerated() {
            say("space \(number + 1) of \(spaces.count): \(space)")
            let begin = ContinuousClock.now
            var last = begin
            let report = StateExplorer<Model>(space, reducer: reducer)
                .search(workers: arguments.workers, limit: arguments.limit, counter: counter) { report in
                    let now = ContinuousClock.now
                    if now - last > .seconds(5) {
                        last = now
                        let time = seconds(now - begin)
                        say(
                            "  depth \(report.depth): \(report.states) states, \(report.visits) visits, \(time)"
                        )
                    }
                    return now - start < .seconds(arguments.seconds)
                }
            if let (violated, trace) = report.violation {
                say("\nVIOLATION: \(violated), after \(trace.count) steps:\n")
                say(exploration.trace(trace, space, reducer))
                say(
                    "\nReproduce it with: LatchkeyExplorer --machine \(arguments.machine) --bounds \(space)"
                        + (arguments.mutant.map { " --mutant \($0)" } ?? "")
                )
                return 1
            }
            let time = seconds(.now - begin)
            let result =
                report.isComplete ? "complete, no violation" : "STOPPED before the end, no violation so far"
            say(
                "  \(report.states) states, \(report.visits) visits, \(report.steps) steps, depth \(report.depth),"
            )
            say("  \(time), at most \(megabytes()) MB so far: \(result)")
            (steps, states) = (steps + report.steps, states + report.states)
            isComplete = isComplete && report.isComplete
        }
        summarise(distinct: counter.count, states: states, steps: steps, time: seconds(.now - start))
        return isComplete ? 0 : 3
    }

    private static func summarise(distinct: Int, states: Int, steps: Int, time: String) {
        let chance = String(format: "%.0e", Double(states) * Double(states) / 0x1p65)
        say(
            """

            \(distinct) distinct states in total, \(steps) steps, \(time), at most \(megabytes()) MB.
            A state that occurs in several spaces counts once. States are equal if they differ only in names and counters:
            the order of processes and callers, the numbering of logins and the like, past numbers, and the remaining budget. States are compared by 64-bit hashes: the probability that two
            distinct states were mistaken for one is about \(chance).
            """
        )
    }

    /// Prints without buffering so that progress is visible even if the output is a pipe.
    private static func say(_ text: some CustomStringConvertible) {
        FileHandle.standardOutput.write(Data("\(text)\n".utf8))
    }

    private static func seconds(_ duration: Duration) -> String {
        "\(Double(duration.components.seconds * 10 + duration.components.attoseconds / 100_000_000_000_000_000) / 10) s"
    }

    private static func megabytes() -> Int {
        var usage = rusage()
        getrusage(.init(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss / 1024
    }
}
