/// The state of a flow; raw values are Kratos's names (`contract/kratos.md`, 1.2).
package enum FlowState: String, Sendable {
    /// The user has to choose a method and fill in its form.
    case chooseMethod = "choose_method"
    /// A code was sent, by mail or text message, and has not been entered yet.
    case sentEmail = "sent_email"
    /// The correct code was entered; this state is final.
    case passedChallenge = "passed_challenge"
    /// The settings are shown; no change has been saved yet.
    case showForm = "show_form"
    /// A settings change was saved; the flow accepts further changes.
    case success
}
