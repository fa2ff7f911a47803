/// What became of a step, as a screen would show it. (An app in Swift 6 mode, in which everything belongs to the main actor unless it says otherwise.)
nonisolated package enum Outcome: Equatable, Sendable {
    case done(flowID: String)
    case loggedIn
    case codeNotDelivered(String)
    case failed(String)
}
