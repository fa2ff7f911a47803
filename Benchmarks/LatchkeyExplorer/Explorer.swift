import Foundation
import LatchkeyTestKit

/// Searches the worlds of the session machine; `scripts/check --deep` runs it.
@main
struct Explorer {
    static func main() {
        do {
            let arguments = try ExplorerArguments(Array(CommandLine.arguments.dropFirst()))
            switch arguments.task {
            case .help: say(ExplorerArguments.help)
            case .list: list()
            case .page:
                FileHandle.standardOutput.write(
                    Data(try SessionCorePage.text(arguments.spaces, workers: arguments.workers).utf8)
                )
            case .search: exit(search(arguments))
            }
        } catch {
            FileHandle.standardError.write(Data("explorer: \(error)\n".utf8))
            exit(2)
        }
    }

    private static func list() {
        for (number, space) in ExplorerSpaces.all.enumerated() {
            say("\(number + 1)  \(space.what)\n   \(space.bounds)")
        }
        say("\nMutants:")
        for (number, mutant) in SessionMutant.all.enumerated() { say("\(number + 1)  \(mutant.mistake)") }
        let names = ExplorerBounds.names.map(\.name).joined(separator: ", ")
        say("\nBounds can name: processes, callers, \(names).")
    }

    private static func search(_ arguments: ExplorerArguments) -> Int32 {
        let start = ContinuousClock.now
        let tally = WorldTally()
        let reducer = arguments.mutant?.reducer ?? ExploredWorld.shipped
        var (steps, worlds) = (0, 0)
        var isComplete = true
        for (number, space) in arguments.spaces.enumerated() {
            say("space \(number + 1) of \(arguments.spaces.count): \(space)")
            let begin = ContinuousClock.now
            var last = begin
            let report = SessionExplorer(space, reducer: reducer)
                .search(workers: arguments.workers, limit: arguments.limit, tally: tally) { report in
                    let now = ContinuousClock.now
                    if now - last > .seconds(5) {
                        last = now
                        let time = seconds(now - begin)
                        say(
                            "  depth \(report.depth): \(report.worlds) worlds, \(report.visits) visits, \(time)"
                        )
                    }
                    return now - start < .seconds(arguments.seconds)
                }
            if let (what, trace) = report.violation {
                say("\nVIOLATION: \(what), after \(trace.count) steps:\n")
                say(SessionTrace(trace, within: space, reducer: reducer))
                let number = arguments.mutant.flatMap { mutant in
                    SessionMutant.all.firstIndex { $0.mistake == mutant.mistake }
                }
                say(
                    "\nRun it again: LatchkeyExplorer --bounds \(space)"
                        + (number.map { " --mutant \($0 + 1)" } ?? "")
                )
                return 1
            }
            let time = seconds(.now - begin)
            let ending = report.isComplete ? "all searched, no violation" : "GIVEN UP, no violation so far"
            say(
                "  \(report.worlds) worlds, \(report.visits) visits, \(report.steps) steps, depth \(report.depth),"
            )
            say("  \(time), at most \(megabytes()) MB so far: \(ending)")
            (steps, worlds) = (steps + report.steps, worlds + report.worlds)
            isComplete = isComplete && report.isComplete
        }
        summarise(tally.count, worlds, steps, seconds(.now - start))
        return isComplete ? 0 : 3
    }

    private static func summarise(_ distinct: Int, _ worlds: Int, _ steps: Int, _ time: String) {
        let chance = String(format: "%.0e", Double(worlds) * Double(worlds) / 0x1p65)
        say(
            """

            \(distinct) different worlds in all, \(steps) steps, \(time), at most \(megabytes()) MB.
            A world counts once, in however many spaces it is. Names and counters make no difference: which process or
            caller it is, how logins, credentials, forms and generations are numbered, how far epochs, sign-outs and looks
            have counted, and how much may still happen. Worlds are told apart by 64 bits: the chance that two were taken
            for one is about \(chance).
            """
        )
    }

    /// Prints at once, for progress is to be seen when the output is a pipe, too.
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
