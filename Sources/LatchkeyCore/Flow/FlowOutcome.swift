/// The outcome of a submission to a flow.
public enum FlowOutcome: Hashable, Sendable {
    /// The flow continues: show its form again, with its messages.
    ///
    /// The flow waits for its next step, such as a code, or rejected the input for reasons that its messages
    /// state.
    case continues(Flow, next: [FlowContinuation])

    /// A session was opened or renewed, and is stored on this device.
    case signedIn(UserSession, next: [FlowContinuation])

    /// The account was created, but the server opens no session after a registration; log in next.
    case registered(next: [FlowContinuation])

    /// The flow is completed without a new session: an address was verified, or the settings were saved.
    case completed(Flow, next: [FlowContinuation])

    /// The flow has expired, was completed or has no attempts left; continue with the flow of this id, which
    /// is of the same kind.
    case replaced(by: String)

    /// The last authentication is too long ago for this change: re-authenticate, and submit the same answers
    /// again.
    case reauthenticationRequired

    /// The credentials are correct, but an address of the account must be verified before a login.
    ///
    /// The list contains the verifications that the server has started; it may be empty.
    case addressVerificationRequired(next: [FlowContinuation])

    /// The flow can only continue in a browser, at this address.
    ///
    /// The address uses `https`, or `http` for this machine.
    case browserRequired(address: String)
}
