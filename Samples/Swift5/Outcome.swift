/// What became of a step, as a screen would show it. (An app in Swift 5 mode, whose classes say nothing about actors.)
package enum Outcome: Equatable, Sendable {
    case done(flowID: String)
    case loggedIn
    case codeNotDelivered(String)
    case failed(String)
}
