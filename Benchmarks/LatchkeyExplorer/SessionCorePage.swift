import LatchkeyTestKit

/// The page about the session core: what is in which file, what the reducer does, and what is checked.
enum SessionCorePage {
    /// Spaces that are searched in seconds, each for something that the others lack.
    static let spaces = [
        "processes=1,callers=2,refreshes=any,losses=any,crashes=any,moods=any,departures=any",
        "processes=1,callers=1,opaqueLogins=1,signOuts=1,refreshes=1,moods=1",
        "processes=1,callers=1,logins=2,revocations=1,refreshes=1,moods=1",
        "processes=2,callers=1,logins=2,refreshes=1",
        "processes=2,callers=1,refreshes=1,amendments=1",
        "processes=2,callers=2,refreshes=3,overtakings=1",
        "processes=2,callers=0,signOuts=1,moods=1",
    ]

    static func text(_ spaces: [ExplorerBounds], workers: Int) throws -> String {
        let transitions = SessionTransitions(in: spaces, workers: workers)
        guard transitions.isComplete else {
            throw ExplorerArguments.Wrong(description: "the reducer breaks an invariant; run the explorer")
        }
        return """
            <!-- Generated: scripts/document writes it, scripts/check compares it. -->
            # The session core

            One reducer decides about the session of a device: `(state, event) -> (state, [effect])`, without a clock, without
            randomness, without input or output. An actor performs the effects and brings their results back as events.
            This page is made from the sources and from the reducer itself, watched in explored worlds.

            ## Files

            \(try SourceTree(folder: "Sources/LatchkeyCore").markdown())

            ## Transitions

            A state is what is known (`unread`, `unavailable`, `absent`, `present`) and, in parentheses, how far a refresh has
            come (`idle` unless said otherwise). `unsaved`: what is held is fresher than the record. `owed`: something may
            still have to be removed from the store. `removing`: that is under way. `replacing`: a login is being written. Answers go to those who wait, if
            there are any. Where an event has several rows for one state, what the callers need, or what the record was when
            it was read, decides between them.

            \(tables(transitions))

            ## Invariants

            The explorer (`Sources/LatchkeyTestKit/Explorer`) goes through all that can happen within bounds, in the order of
            the steps that it takes, and stops at the first world in which one of these has come to be.
            [How to run it](../CONTRIBUTING.md#to-change-the-session-core), and how to add a mutant.

            | Invariant | What must never be | Checked in |
            |---|---|---|
            \(invariants)

            ## Mutants

            Each wraps one mistake around the shipped reducer; the tests find each of them, by a shortest trace of this length
            (`LatchkeyExplorer --mutant N` prints it).

            | | The mistake | Found as | Steps |
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
        ExploredViolation.allCases
            .sorted { ($0.invariant ?? 8, $0.rawValue) < ($1.invariant ?? 8, $1.rawValue) }
            .map { violation in
                let number = violation.invariant.map(String.init) ?? "besides"
                return "| \(number) | `\(violation)`: \(violation.sentence) | \(violation.place) |"
            }
            .joined(separator: "\n")
    }

    private static var mutants: String {
        SessionMutant.all.enumerated()
            .map { "| \($0 + 1) | \($1.mistake) | `\($1.breaks)` | \($1.steps) |" }
            .joined(separator: "\n")
    }
}
