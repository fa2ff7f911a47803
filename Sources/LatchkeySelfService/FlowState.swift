/// The state of a flow.
///
/// The raw values are Kratos's names (`contract/kratos.md`, 1.2).
package enum FlowState: String, Sendable {
    /// The user has to choose a method and fill in its form.
    case chooseMethod = "choose_method"
    /// A code was sent by mail or text message and hasn't been entered yet.
    case sentEmail = "sent_email"
    /// The user has entered the correct code. This state is final.
    case passedChallenge = "passed_challenge"
    /// The settings are shown, and no change has been saved yet.
    case showForm = "show_form"
    /// A change to the settings was saved. The flow accepts more changes.
    case success
}
