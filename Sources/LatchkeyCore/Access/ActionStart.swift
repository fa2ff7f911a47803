import LatchkeyModel

/// The moment at which an action was started, which is before its first asynchronous step.
///
/// An action that was started before a sign-out ends with it, even if its first step happens later.
package struct ActionStart: Sendable {
    /// An action that is being performed.
    private final class Running: Sendable {
        let start: ActionStart
        let hasEnded = Locked(false)

        init(_ start: ActionStart) {
            self.start = start
        }
    }

    @TaskLocal private static var running: Running?

    /// The start of the action that the current task performs, or `nil` if it isn't known.
    ///
    /// Tasks that outlive the action that has created them don't belong to it.
    static var current: ActionStart? {
        guard let running, !running.hasEnded.withLock(\.self) else { return nil }
        return running.start
    }

    let coordinator: ObjectIdentifier
    let signOuts: UInt32

    /// Performs the steps of the action.
    package func perform<Value: Sendable>(_ steps: @Sendable () async -> Value) async -> Value {
        let running = Running(self)
        defer { running.hasEnded.withLock { $0 = true } }
        return await Self.$running.withValue(running, operation: steps)
    }
}
