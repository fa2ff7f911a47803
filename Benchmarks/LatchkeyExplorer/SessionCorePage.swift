import LatchkeyTestKit

/// The page about the session core: its files, the transitions of the reducer, and the invariants.
enum SessionCorePage {
    /// Spaces that are explored in seconds, each with steps that the others lack.
    static let spaces = [
        "processes=1,callers=2,refreshes=any,losses=any,crashes=any,storeFailures=any,cancellations=any",
        "processes=1,callers=1,opaqueLogins=1,signOuts=1,refreshes=1,storeFailures=1",
        "processes=1,callers=1,logins=2,revocations=1,refreshes=1,storeFailures=1",
        "processes=2,callers=1,logins=2,refreshes=1",
        "processes=2,callers=1,refreshes=1,sessionChanges=1",
        "processes=2,callers=2,refreshes=3,lockTimeouts=1",
        "processes=2,callers=0,signOuts=1,storeFailures=1",
    ]

    static func text(_ spaces: [ExplorerBounds], workers: Int) throws -> String {
        let transitions = SessionTransitions(in: spaces, workers: workers)
        guard transitions.isComplete else {
            throw ExplorerArguments.UsageError(
                description: "the reducer violates an invariant; run the explorer"
            )
        }
        return """
            <!-- Generated: scripts/document writes it, scripts/check compares it. -->
            # The session core

            One reducer makes all decisions about a device's session: `(state, event) -> (state, [effect])`. It uses no clock,
            random numbers or I/O. The session keeper performs the effects and returns their results as events.
            This page is generated from the sources and from the transitions of the reducer in explored states.

            ## Files

            \(try SourceTree(folder: "Sources/LatchkeyCore").markdown())

            ## Transitions

            A state is the status of the session (`unread`, `unavailable`, `absent`, `present`) and, in parentheses, the progress
            of a refresh (`idle` unless stated otherwise). `unsaved`: the session in memory is newer than the record.
            `pending`: the store may still hold a record that is to be removed. `removing`: that removal is in progress.
            `replacing`: a login is being written. Answers go to the waiting callers, if there are any. If an event has several
            rows for one state, the row depends on the waiting callers or on the record that was read.

            \(tables(transitions))

            ## Invariants

            The explorer (`Sources/LatchkeyTestKit/Explorer`) searches all states within bounds, in order of the number of
            steps, and stops at the first state that violates one of these invariants.
            [CONTRIBUTING](../CONTRIBUTING.md#to-change-the-session-core) describes how to run it and how to add a mutant.

            | Invariant | Violation | Checked in |
            |---|---|---|
            \(invariants)

            ## Mutants

            Each mutant adds one mistake to the shipped reducer. The tests catch every mutant; the number of steps is the
            length of the shortest trace that exposes it, which `LatchkeyExplorer --mutant N` prints.

            | | Mistake | Violated invariant | Steps |
            |---|---|---|---|
            \(mutants)

            """
    }

    private static func tables(_ transitions: SessionTransitions) -> String {
        var sections: [String] = []
        var last = ""
        for row in transitions.rows {
            if row.event != last {
                sections.append(
                    "### `\(row.event)`\n\n| | In | Becomes | Effects |\n|---|---|---|---|"
                )
                last = row.event
            }
            sections[sections.count - 1] +=
                "\n| \(row.detail) | \(row.states) | \(row.becomes) | \(row.effects) |"
        }
        return sections.joined(separator: "\n\n")
    }

    private static var invariants: String {
        InvariantViolation.allCases
            .sorted { ($0.invariant ?? 8, $0.rawValue) < ($1.invariant ?? 8, $1.rawValue) }
            .map { violation in
                let number = violation.invariant.map(String.init) ?? "other"
                return "| \(number) | `\(violation)`: \(violation.text) | \(violation.location) |"
            }
            .joined(separator: "\n")
    }

    private static var mutants: String {
        SessionMutant.all.enumerated()
            .map { "| \($0 + 1) | \($1.mistake) | `\($1.breaks)` | \($1.steps) |" }
            .joined(separator: "\n")
    }
}
