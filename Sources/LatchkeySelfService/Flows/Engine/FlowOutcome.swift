package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit
package import LatchkeyWire

/// The outcome of a request to a flow.
///
/// A ``FlowResponder`` turns the outcome into a response.
///
/// All flows in an outcome have already been saved, unless they can be restored from their ids.
///
/// The cases with a session are indirect. Otherwise, every outcome would have their size, also that of a flow that is
/// only started, which is copied several times.
package enum FlowOutcome: Sendable {
    /// The flow was started or looked up. For a settings flow, `of` is the identity whose settings are shown.
    ///
    /// A settings change that is waiting for a verification has this outcome too. In that case, `then`
    /// contains the started verification.
    case shown(Flow, of: IdentityRecord? = nil, then: [ContinueWith] = [])

    /// The flow was changed and is waiting for the user's next input.
    case waiting(Flow)

    /// The submission was rejected. The flow shows the reasons and accepts another submission.
    case refused(Flow, of: IdentityRecord? = nil)

    /// A recovery, verification or settings change was completed.
    ///
    /// `by` is the method under which the metrics count the completion. `of` is the identity whose settings
    /// the flow shows, and `then` lists the client's next steps.
    case passed(Flow, by: String?, of: IdentityRecord? = nil, then: [ContinueWith] = [])

    /// A recovery created a session, in which the user can set a new password.
    indirect case recovered(RecoveryCompletion.Recovered)

    /// A login was submitted by a user who is already logged in. The flow shows the reason.
    case alreadyLoggedIn(Flow)

    /// A login or registration was submitted again by a browser that has already completed it, so its authorization
    /// request continues.
    case continued(Flow)

    /// A login created a session or extended an existing one.
    indirect case loggedIn(LoginCompletion.Opened)

    /// A registration created an account or logged the user in to an existing one.
    indirect case registered(RegistrationCompletion.Registered)

    /// The flow has expired or was already completed.
    ///
    /// The client receives status 410, and `use_flow_id` contains the replacement.
    case expired(FlowReplacement)

    /// A verification was already completed, or its code has no guesses left.
    ///
    /// The client receives status 410 with the replacement. The response doesn't say when the old flow ended.
    case replaced(FlowReplacement)

    /// A verification has expired. The client is redirected to a new verification flow.
    case moved(to: Flow)

    /// The code of a recovery flow has no guesses left, so the flow was replaced with a new one.
    case guessesUsedUp(replacement: Flow)

    /// The password was correct, but the login requires a verified address.
    ///
    /// `continuation` contains the verifications that the login has started. The list is empty if no
    /// verifications could be started.
    case unverified(Flow, continuation: [ContinueWith])

    /// The change requires a recent login.
    ///
    /// After the user has re-authenticated, the client can repeat the submission.
    case refreshRequired(Flow)
}

/// A new flow that replaces a completed or expired one and has the same parameters.
///
/// The new flow has been saved and shows a message that the old flow has ended.
package struct FlowReplacement: Sendable {
    /// The new flow.
    package let flow: Flow

    /// When the old flow ended, or `nil` if responses shouldn't include it.
    package var endedAt: Timestamp?

    /// The time of the request.
    package let now: Timestamp

    /// Describes the replacement flow in an error response.
    package var errorDetail: ServerError.Replacement {
        ServerError.Replacement(flow: flow.id, expiredAt: endedAt, now: now)
    }
}

extension FlowOutcome {
    /// The flow that the response is about: the one that the request was sent to, or the one that replaces it.
    package var flow: Flow {
        switch self {
        case .shown(let flow, _, _), .waiting(let flow), .refused(let flow, _), .passed(let flow, _, _, _),
            .moved(let flow), .guessesUsedUp(let flow), .unverified(let flow, _), .refreshRequired(let flow):
            flow
        case .alreadyLoggedIn(let flow), .continued(let flow): flow
        case .recovered(let recovered): recovered.flow
        case .loggedIn(let opened): opened.flow
        case .registered(let registered): registered.flow
        case .expired(let replacement), .replaced(let replacement): replacement.flow
        }
    }

    /// Whether the flow is complete, and the method to record in the metrics.
    ///
    /// A flow isn't complete if it is waiting for its next step, was replaced, or rejected the submission.
    var completion: (isComplete: Bool, method: String?) {
        switch self {
        case .passed(_, let method, _, _): (true, method)
        case .recovered(let recovered): (true, recovered.flow.active)
        case .loggedIn(let opened): (true, opened.flow.active)
        case .registered(let registered): (true, registered.method.name)
        default: (false, nil)
        }
    }
}
