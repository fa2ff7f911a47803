package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit
package import LatchkeyWire

/// The outcome of a request to a flow, which a ``FlowResponder`` converts to a response.
///
/// All flows in an outcome are already stored, unless they can be restored from their ids.
package enum FlowOutcome: Sendable {
    /// A flow that was begun or looked up; `of` is the identity whose settings the flow shows.
    ///
    /// A settings change that waits for a verification also has this outcome; `then` contains the
    /// verification.
    case shown(Flow, of: IdentityRecord? = nil, then: [ContinueWith] = [])

    /// The flow was changed and waits for the user's next input.
    case waiting(Flow)

    /// The submission was rejected; the flow shows the reasons and accepts another submission.
    case refused(Flow, of: IdentityRecord? = nil)

    /// A recovery, a verification or a settings change is complete.
    ///
    /// The value `by` is the method to count in the metrics, `of` is the identity that a settings flow shows,
    /// and `then` lists the client's next steps.
    case passed(Flow, by: String?, of: IdentityRecord? = nil, then: [ContinueWith] = [])

    /// A login opened or extended a session.
    case loggedIn(LoginCompletion.Opened)

    /// A registration created an account, or logged in to an existing one.
    case registered(RegistrationCompletion.Registered)

    /// The flow has expired or was completed.
    ///
    /// The client receives 410 with the replacement in `use_flow_id`.
    case expired(FlowReplacement)

    /// A verification was completed, or its code has no guesses left.
    ///
    /// The client receives 410 with the replacement but without the time at which the old flow ended.
    case replaced(FlowReplacement)

    /// A verification has expired, and the client is redirected to its replacement.
    case moved(to: Flow)

    /// The code of a recovery has no guesses left, and a new flow replaces the recovery.
    case guessesUsedUp(replacement: Flow)

    /// The password was correct, but the login requires a verified address.
    ///
    /// `continuation` contains the verifications that the login began; it is empty if none could be started.
    case unverified(continuation: [ContinueWith])

    /// The change requires a recent login.
    ///
    /// After a re-authentication, the flow accepts the same submission again.
    case refreshRequired(Flow)
}

/// A new flow with the parameters of a completed or expired one.
///
/// The new flow is stored, and shows a message that the old one has ended.
package struct FlowReplacement: Sendable {
    /// The new flow.
    package let flow: Flow

    /// The time at which the old flow ended; `nil` if responses do not contain it.
    package var endedAt: Timestamp?

    /// The time of the request.
    package let now: Timestamp

    /// The error detail that describes the replacement.
    package var errorDetail: ServerError.Replacement {
        ServerError.Replacement(flow: flow.id, expiredAt: endedAt, now: now)
    }
}

extension FlowOutcome {
    /// Whether the flow is complete, and the method to count in the metrics.
    ///
    /// A flow is not complete if it waits for its next step, was replaced, or rejected the submission.
    var completion: (isComplete: Bool, method: String?) {
        switch self {
        case .passed(_, let method, _, _): (true, method)
        case .loggedIn(let opened): (true, opened.session.method.rawValue)
        case .registered(let registered): (true, registered.method.rawValue)
        default: (false, nil)
        }
    }
}
