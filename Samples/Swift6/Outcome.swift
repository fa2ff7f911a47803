/// What became of a step, as a screen would show it. (An app in Swift 6 mode, whose classes say that they belong to the main actor.)
package enum Outcome: Equatable, Sendable {
    case done(flowID: String)
    case loggedIn
    case codeNotDelivered(String)
    case failed(String)
}
