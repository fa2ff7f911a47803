/// The outcome of a step, as a screen would show it.
nonisolated package enum Outcome: Equatable, Sendable {
    case done(flowID: String)
    case loggedIn
    case codeNotDelivered(String)
    case failed(String)
}
