/// A violation of one of the login-on-demand invariants.
package enum AccessViolation: String, Error, Sendable, CaseIterable {
    /// A presentation began while the presenter was still presenting the previous one.
    case presentedTwice
    /// A presentation began even though no caller was waiting for it, or a user might already have been
    /// logged in.
    case presentedWithoutNeed
    /// A presentation was closed even though it wasn't visible.
    case closedTwice
    /// A presentation was closed with a reason that did not apply, such as `dismissed` after a caller left.
    case closedWithoutReason
    /// An explicit presentation was withdrawn because no callers were waiting anymore.
    case withdrewExplicit
    /// A presentation is still visible after the user has signed out, or has logged in and has
    /// no duties left to fulfil.
    case leftOpen
    /// An implicit presentation is still visible even though no caller is waiting for it.
    case leftOpenUnneeded
    /// A presentation still shows the duties of a session that has ended.
    case leftAtDuties
    /// A presentation shows a login even though a user is logged in and has open duties.
    case leftAtLogin
    /// A presentation switched to a login even though there was a session, or to duties even though there
    /// were none.
    case redirectedWithoutReason
    /// The machine answered a caller that had already been answered or cancelled.
    case answeredTwice
    /// A caller is waiting, but there is no operation in progress that could lead to an answer.
    case neverAnswered
    /// A caller was refused even though the stated reason did not apply.
    case refusedWithoutReason
    /// A caller is still waiting even though the user has signed out.
    case ignoredSignOut
    /// A caller was granted a session other than the current one.
    case grantedWithoutSession
    /// A caller was granted a session before all of its duties were fulfilled.
    case grantedBeforeDuties
    /// An action was allowed to run again even though it had already run twice, was not repeatable, still
    /// had a valid session, or belonged to a user who had signed out.
    case ranTooOften
    /// An action was run again as a different user.
    case repeatedAsAnotherUser

    /// A description of the violation.
    package var text: String {
        switch self {
        case .presentedTwice: "A login is presented while another presentation is visible."
        case .presentedWithoutNeed:
            "A login is presented even though no caller is waiting for it, or a user may already be logged in."
        case .closedTwice: "A presentation ends twice."
        case .closedWithoutReason: "A presentation ends with a reason that does not apply."
        case .withdrewExplicit: "An explicitly requested login is closed because its caller was cancelled."
        case .leftOpen: "A presentation is still visible after a login or sign-out."
        case .leftOpenUnneeded: "An implicit login is still visible even though no caller is waiting for it."
        case .leftAtDuties: "A presentation still shows duties after its session has ended."
        case .leftAtLogin: "A presentation shows a login even though the user is logged in and has duties."
        case .redirectedWithoutReason: "A presentation switches to different content for no reason."
        case .answeredTwice: "A caller that was not waiting received an answer."
        case .neverAnswered: "A caller is waiting, but no operation is in progress."
        case .refusedWithoutReason: "A caller fails even though the stated reason does not apply."
        case .ignoredSignOut: "A caller is still waiting after the user has signed out."
        case .grantedWithoutSession: "An action runs with a session that is not the current one."
        case .grantedBeforeDuties: "An action runs before the duties of its session are fulfilled."
        case .ranTooOften: "An action runs again even though it must not be repeated."
        case .repeatedAsAnotherUser: "An action runs again as a different user."
        }
    }
}
