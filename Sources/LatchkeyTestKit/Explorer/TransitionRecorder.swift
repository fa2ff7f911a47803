import LatchkeyCore

/// The kinds of state machine transitions that occurred during an exploration.
struct TransitionRecorder: Sendable {
    private struct Start: Hashable {
        let event: SessionEventKind
        let state: SessionStateKind
    }

    private struct Outcome: Hashable {
        let becomes: String
        /// The effects other than answers, in the order in which the machine requests them.
        let effects: [String]
    }

    /// For each outcome, the answers that occurred, grouped by the number of other effects that preceded the
    /// answer.
    private var outcomes: [Start: [Outcome: [Int: Set<String>]]] = [:]

    /// Records a transition.
    ///
    /// - Parameters:
    ///   - event: The event that the machine received.
    ///   - before: The state machine before the event.
    ///   - after: The state machine after the event.
    ///   - effects: The effects that the machine requested. Several answers at the same position are recorded
    ///     as a set, because their number depends on the number of callers.
    mutating func record(
        _ event: SessionMachine.Event,
        from before: SessionMachine,
        to after: SessionMachine,
        effects: [SessionMachine.Effect]
    ) {
        let state = SessionStateKind(before)
        let start = Start(event: SessionEventKind(event, in: before), state: state)
        var others: [String] = []
        var answers: [Int: Set<String>] = [:]
        for effect in effects {
            if case .answer(let caller, let outcome) = effect {
                let recipient = caller == .max ? "the login" : "waiting"
                answers[others.count, default: []].insert("\(outcome.kind) to \(recipient)")
            } else {
                others.append(effect.kind)
            }
        }
        let becomes = state.change(to: SessionStateKind(after))
        let outcome = Outcome(becomes: becomes, effects: others)
        outcomes[start, default: [:]][outcome, default: [:]].merge(answers) { $0.union($1) }
    }

    /// The rows of the transition table, in the order of their events.
    ///
    /// If an event has the same outcome in several states, they share a row.
    var rows: [SessionTransitions.Row] {
        var rows: [SessionTransitions.Row] = []
        for (event, starts) in Dictionary(grouping: outcomes.keys, by: \.event).sorted(by: { $0.key < $1.key }
        ) {
            var states: [String: (becomes: String, effects: String, states: [SessionStateKind])] = [:]
            for start in starts {
                for (outcome, answers) in outcomes[start] ?? [:] {
                    let effects = text(of: outcome.effects, answers: answers)
                    states[outcome.becomes + effects, default: (outcome.becomes, effects, [])].states
                        .append(start.state)
                }
            }
            let all = starts.map(\.state)
            let merged = states.values.map {
                (states: $0.states.sorted(), becomes: $0.becomes, effects: $0.effects)
            }
            let sorted = merged.sorted { left, right in
                left.states == right.states
                    ? (left.becomes, left.effects) < (right.becomes, right.effects)
                    : left.states.lexicographicallyPrecedes(right.states)
            }
            for row in sorted {
                rows.append(
                    SessionTransitions.Row(
                        event: event.name,
                        detail: event.detail,
                        states: text(row.states, of: all),
                        becomes: row.becomes,
                        effects: row.effects
                    )
                )
            }
        }
        return rows
    }

    /// Returns the effects in order.
    ///
    /// If different answers are possible at the same position, they are combined into one entry.
    private func text(of effects: [String], answers: [Int: Set<String>]) -> String {
        var parts: [String] = []
        for position in 0...effects.count {
            if let outcomes = answers[position] {
                parts.append("answer (" + outcomes.sorted().joined(separator: ", ") + ")")
            }
            if position < effects.count { parts.append(effects[position]) }
        }
        return parts.isEmpty ? "none" : parts.joined(separator: ", ")
    }

    /// Returns a short description of states.
    ///
    /// States that differ only in the progress of the refresh are listed together.
    private func text(_ states: [SessionStateKind], of all: [SessionStateKind]) -> String {
        if Set(states) == Set(all), Set(all.map(\.stem)).count > 1 { return "all states in which it occurs" }
        var stems: [(stem: String, refreshes: [String])] = []
        for state in states {
            if stems.last?.stem == state.stem {
                stems[stems.count - 1].refreshes.append("\(state.refresh)")
            } else {
                stems.append((state.stem, ["\(state.refresh)"]))
            }
        }
        return
            stems.map { stem, refreshes in
                let allRefreshes = all.count { $0.stem == stem }
                if refreshes == ["idle"] { return stem }
                return refreshes.count == allRefreshes && allRefreshes > 2
                    ? "\(stem) (any)" : "\(stem) (\(refreshes.joined(separator: ", ")))"
            }
            .joined(separator: "; ")
    }
}

extension SessionMachine.Effect {
    fileprivate var kind: String {
        switch self {
        case .read(_, nil): "read"
        case .read: "read for the refresh"
        case .lock: "lock"
        case .unlock: "unlock"
        case .ask: "ask"
        case .save: "save"
        case .replace: "replace"
        case .remove(.anything, _): "remove anything"
        case .remove(.login, _): "remove the login"
        case .answer: "answer"
        case .announce(.absent): "announce absent"
        case .announce(.present): "announce present"
        case .announce(.unavailable): "announce unavailable"
        case .announce(.unread): "announce unread"
        }
    }
}

extension SessionMachine.Outcome {
    fileprivate var kind: String {
        switch self {
        case .access: "access"
        case .signedOut: "signedOut"
        case .superseded: "superseded"
        case .unavailable: "unavailable"
        case .failed: "failed"
        }
    }
}
