/// The result of a step, as a screen shows it.
nonisolated package enum Outcome: Equatable, Sendable {
    case done(flowID: String)
    case loggedIn
    case codeNotDelivered(String)
    case failed(String)
}
