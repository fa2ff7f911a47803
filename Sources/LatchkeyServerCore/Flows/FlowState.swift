/// How far a flow has come, as Kratos names it (`contract/kratos.md`, 1.2).
package enum FlowState: String, Sendable {
    /// It waits for somebody to choose a way and fill in a form.
    case chooseMethod = "choose_method"
    /// A code is on its way, by mail or by SMS.
    case sentEmail = "sent_email"
    /// The code was right; final.
    case passedChallenge = "passed_challenge"
    /// Settings show what can be changed.
    case showForm = "show_form"
    /// A change of settings is done; the next one may follow.
    case success
}
