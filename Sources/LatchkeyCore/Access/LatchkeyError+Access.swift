import LatchkeyModel
import LatchkeyWire

/// The errors of actions that need a session.
extension LatchkeyError {
    /// Whether the action failed because its session ended, in which case it may succeed with a new session.
    var concernsSession: Bool { code == .sessionEnded || code == .signedOut }

    /// The step that the server requires before the action can be repeated, if a presentation can show it.
    var presentableDuty: Duty? {
        switch (cause as? ServerRefusal)?.duty {
        case .verifyAddress?: .verifyAddress(nil)
        case .reauthenticate?: .reauthenticate
        default: nil
        }
    }

    static let dismissed = LatchkeyError(.dismissed, message: "The user dismissed the login.")

    static let dutyRequired = LatchkeyError(
        .dutyRequired,
        message: "The user is logged in, but still has to complete a step, such as verifying an address."
    )

    static let noPresenter = LatchkeyError(
        .noPresenter,
        message: "No user is logged in, and the app has not set a presenter that can present a login."
    )

    static let replacedDuringAction = LatchkeyError(
        .superseded,
        message: "The session ended while the action was running, and another user logged in."
    )
}
