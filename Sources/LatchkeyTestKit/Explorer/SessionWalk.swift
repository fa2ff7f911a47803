import LatchkeyCore

/// Steps drawn at random, the same for the same seed; for traces that are replayed through the real parts.
///
/// Unlike a search, a walk goes one way; but it can be long, and its bounds as wide as one likes.
package struct SessionWalk: Sendable {
    /// What happens, from the beginning.
    package private(set) var steps: [ExploredStep] = []

    /// The world after each step.
    package private(set) var worlds: [ExploredWorld] = []

    /// Draws a walk.
    ///
    /// - Parameters:
    ///   - count: How many steps; fewer when nothing more can happen.
    ///   - bounds: How much may happen.
    ///   - seed: What the choices depend on.
    ///   - reducer: What decides.
    /// - Throws: ``ExploredViolation`` when a step breaks what always holds.
    package init(
        _ count: Int,
        within bounds: ExplorerBounds,
        seed: UInt64,
        reducer: @escaping ExploredWorld.Reducer = { $0.reduce($1) }
    ) throws(ExploredViolation) {
        let random = SeededRandom(seed: seed)
        var world = ExploredWorld(bounds)
        while steps.count < count {
            let (all, draw) = (world.steps, random.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
            // What is under way goes on, two times out of three; else everything would wait for a crash.
            let inner = all.filter { !$0.isFromOutside }
            let choices = draw % 3 == 0 || inner.isEmpty ? all : inner
            guard !choices.isEmpty else { return }
            let step = choices[Int(draw / 3 % UInt64(choices.count))]
            try world.apply(step, reducer)
            try world.check()
            steps.append(step)
            worlds.append(world)
        }
    }
}

extension ExploredStep {
    /// Whether a step is the outside world's doing, which may come or not.
    package var isFromOutside: Bool {
        switch self {
        case .store, .hear, .news, .lock, .judge, .receive, .admit: false
        case .overtake, .lose, .ask, .expire, .leave, .accept, .amend, .signOut, .revoke, .learn, .crash,
            .mood:
            true
        }
    }
}
