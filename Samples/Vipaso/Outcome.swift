/// The outcome of a step, as a screen would show it.
///
/// An app in Swift 6 mode, whose classes are annotated with `@MainActor`.
nonisolated package enum Outcome: Equatable, Sendable {
    case done(flowID: String)
    case loggedIn
    case codeNotDelivered(String)
    case failed(String)
}
