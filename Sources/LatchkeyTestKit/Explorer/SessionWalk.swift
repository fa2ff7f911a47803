import LatchkeyCore

/// A random walk through worlds, reproducible by its seed; used to replay traces with the production
/// components.
///
/// Unlike a search, a walk follows one path, but it can be long and its bounds can be wide.
package struct SessionWalk: Sendable {
    /// The steps from the start.
    package private(set) var steps: [ExploredStep] = []

    /// The world after each step.
    package private(set) var worlds: [ExploredWorld] = []

    /// Generates a walk.
    ///
    /// - Parameters:
    ///   - count: The number of steps; the walk is shorter if no step is possible.
    ///   - bounds: The numbers of processes, callers and steps by kind.
    ///   - seed: The seed of the choices.
    ///   - reducer: The transition function.
    /// - Throws: ``ExploredViolation`` if a step violates an invariant.
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
            // Two times out of three, an operation in progress continues; otherwise crashes would interrupt
            // most of them.
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
    /// Whether a step is caused by the environment, so that it may or may not occur.
    package var isFromOutside: Bool {
        switch self {
        case .store, .hear, .news, .lock, .judge, .receive, .admit: false
        case .overtake, .lose, .ask, .expire, .leave, .accept, .amend, .signOut, .revoke, .learn, .crash,
            .mood:
            true
        }
    }
}
