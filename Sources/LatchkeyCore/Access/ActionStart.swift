/// The moment at which an action was started, which is before its first asynchronous step.
///
/// An action that was started before a sign-out ends with it, even if its first step happens later.
package struct ActionStart: Sendable {
    /// An action that a task performs.
    private struct Running: Sendable {
        let start: ActionStart
        let task: Int?
    }

    @TaskLocal private static var running: Running?

    /// The start of the action that the current task performs, or `nil` if it isn't known.
    ///
    /// Tasks that the action has created, and that may outlive it, don't belong to it.
    static var current: ActionStart? {
        guard let running, running.task == currentTask else { return nil }
        return running.start
    }

    let coordinator: ObjectIdentifier
    let signOuts: UInt32

    /// Performs the steps of the action.
    package func perform<Value: Sendable>(_ steps: @Sendable () async -> Value) async -> Value {
        await Self.$running.withValue(Running(start: self, task: Self.currentTask), operation: steps)
    }

    private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }
}
