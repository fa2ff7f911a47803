/// The result of submitting a flow.
public enum FlowOutcome: Hashable, Sendable {
    /// The flow isn't complete yet. Show the flow's form and messages again.
    ///
    /// Either the user has to complete another step, such as entering a code, or the input was rejected for
    /// the reasons given in the messages.
    case continues(Flow, next: [FlowContinuation])

    /// The user logged in or authenticated again. The session has been stored on this device.
    case signedIn(UserSession, next: [FlowContinuation])

    /// The account was created, but the user isn't logged in, because the server doesn't create a session
    /// after registration. The user has to log in next.
    case registered(next: [FlowContinuation])

    /// The flow was completed without creating a session. An address was verified, or the settings were
    /// saved.
    case completed(Flow, next: [FlowContinuation])

    /// The flow has expired, was already completed or has no attempts left. Continue with the flow that has
    /// this id and is of the same kind.
    case replaced(by: String)

    /// This change requires a more recent authentication. Ask the user to authenticate again, and then submit
    /// the same answers.
    case reauthenticationRequired

    /// The credentials are correct, but the user must verify an address before they can log in.
    ///
    /// The list contains the verification flows that the server has started, if any.
    case addressVerificationRequired(next: [FlowContinuation])

    /// The flow can only be continued in a browser.
    ///
    /// The address uses `https`, or `http` if the server runs on this machine.
    case browserRequired(address: String)
}
