import LatchkeyCore

/// A random walk through the model's states that can be reproduced from its seed.
///
/// Tests replay the steps of a walk with the production components.
///
/// Unlike a search, a walk follows only one path, but the path can be long and the bounds wide.
package struct SessionWalk: Sendable {
    /// The steps of the walk, beginning at the initial state.
    package private(set) var steps: [ModelStep] = []

    /// The state after each step.
    ///
    /// The array has as many elements as ``steps``, because it does not include the initial state.
    package private(set) var states: [ModelState] = []

    /// Generates a walk.
    ///
    /// If a step violates an invariant, no walk is created, but the same arguments always reproduce the
    /// violation.
    ///
    /// - Parameters:
    ///   - count: The number of steps. The walk ends earlier if it reaches a state in which no step is
    ///     possible.
    ///   - bounds: The number of processes, callers, and steps of each kind.
    ///   - seed: The seed for random choices.
    ///   - reducer: The transition function to use.
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
            // In two out of three steps, we continue an operation that is in progress. If all steps were
            // equally likely, crashes would interrupt most operations.
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
    /// Whether the step is caused by the environment, and therefore isn't guaranteed to occur.
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
