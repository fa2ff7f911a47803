import LatchkeyCore

/// A random walk through states, reproducible by its seed; used to replay traces with the production
/// components.
///
/// Unlike a search, a walk follows one path, but it can be long and its bounds can be wide.
package struct SessionWalk: Sendable {
    /// The steps from the start.
    package private(set) var steps: [ModelStep] = []

    /// The state after each step.
    ///
    /// It has as many elements as ``steps``; the state at the start is not included.
    package private(set) var states: [ModelState] = []

    /// Generates a walk.
    ///
    /// The walk itself is lost with an error; the same arguments give the same steps again.
    ///
    /// - Parameters:
    ///   - count: The number of steps; the walk is shorter if no step is possible.
    ///   - bounds: The numbers of processes, callers and steps by kind.
    ///   - seed: The seed of the choices.
    ///   - reducer: The transition function.
    /// - Throws: ``InvariantViolation`` if a step violates an invariant.
    package init(
        _ count: Int,
        within bounds: ExplorerBounds,
        seed: UInt64,
        reducer: @escaping ModelState.Reducer = { $0.reduce($1) }
    ) throws(InvariantViolation) {
        let random = SeededRandom(seed: seed)
        var state = ModelState(bounds)
        while steps.count < count {
            let (all, draw) = (state.steps, random.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
            // Two times out of three, an operation in progress continues; otherwise crashes would interrupt
            // most of them.
            let inner = all.filter { !$0.isCausedByEnvironment }
            let choices = draw % 3 == 0 || inner.isEmpty ? all : inner
            guard !choices.isEmpty else { return }
            let step = choices[Int(draw / 3 % UInt64(choices.count))]
            try state.apply(step, with: reducer)
            try state.check()
            steps.append(step)
            states.append(state)
        }
    }
}

extension ModelStep {
    /// Whether a step is caused by the environment, so that it may or may not occur.
    package var isCausedByEnvironment: Bool {
        switch self {
        case .performStoreOperation, .receiveStoreResult, .receiveChange, .acquireLock, .answerRequest,
            .receiveResponse, .completeLogin:
            false
        case .proceedWithoutLock, .loseRequest, .requestAccess, .requestFresherAccess, .cancelRequest,
            .acceptLogin, .changeSession, .signOut, .revokeLogin, .learnOfRevocation, .crash,
            .setStoreCondition:
            true
        }
    }
}
