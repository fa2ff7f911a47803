/// A violation of one of the login-on-demand invariants.
package enum AccessViolation: String, Error, Sendable, CaseIterable {
    /// A presentation began while the presenter was still presenting the previous one.
    case presentedTwice
    /// A presentation began even though no caller was waiting for one or a user might be logged in.
    case presentedWithoutNeed
    /// A presentation that wasn't visible was ended.
    case closedTwice
    /// A presentation was ended for a reason that did not occur, such as `dismissed` after a caller left.
    case closedWithoutReason
    /// An explicit presentation was withdrawn because its last caller left.
    case withdrewExplicit
    /// A presentation is still visible after the user has signed out, or has logged in without any open
    /// duties.
    case leftOpen
    /// An implicit presentation is still visible even though no caller is waiting for it.
    case leftOpenUnneeded
    /// A presentation shows duties even though the session has ended.
    case leftAtDuties
    /// A presentation shows a login even though a user is logged in and has open duties.
    case leftAtLogin
    /// A presentation switched to a login while there was a session, or to duties while there were none.
    case redirectedWithoutReason
    /// The machine answered a caller that had already been answered or cancelled.
    case answeredTwice
    /// A caller is waiting, but there is no operation in progress that could lead to an answer.
    case neverAnswered
    /// A caller was refused for a reason that did not occur.
    case refusedWithoutReason
    /// A caller is still waiting even though the user has signed out.
    case ignoredSignOut
    /// A caller was granted a session other than the current one.
    case grantedWithoutSession
    /// A caller was granted a session that still has open duties.
    case grantedBeforeDuties
    /// The machine allows an action to run again even though it has already run twice, must not be repeated,
    /// has a valid session, or belongs to a user who has signed out.
    case ranTooOften
    /// An action was run again as a different user.
    case repeatedAsAnotherUser

    /// A description of the violation.
    package var text: String {
        switch self {
        case .presentedTwice: "A login is presented while another presentation is visible."
        case .presentedWithoutNeed:
            "A login is presented even though no caller is waiting for one or a user may be logged in."
        case .closedTwice: "A presentation ends twice."
        case .closedWithoutReason: "A presentation ends for a reason that did not occur."
        case .withdrewExplicit: "An explicit login disappears because its caller was cancelled."
        case .leftOpen: "A presentation is still visible after a login or sign-out."
        case .leftOpenUnneeded: "An implicit login is still visible even though no caller is waiting for it."
        case .leftAtDuties: "A presentation shows duties after its session has ended."
        case .leftAtLogin: "A presentation shows a login even though the user is logged in and has duties."
        case .redirectedWithoutReason: "A presentation changes its content without a reason."
        case .answeredTwice: "A caller that was not waiting received an answer."
        case .neverAnswered: "A caller is waiting, but no operation is in progress."
        case .refusedWithoutReason: "A caller fails for a reason that did not occur."
        case .ignoredSignOut: "A caller is still waiting after the user has signed out."
        case .grantedWithoutSession: "An action runs with a session that is not the current one."
        case .grantedBeforeDuties: "An action runs before the duties of its session are fulfilled."
        case .ranTooOften: "An action runs again even though it must not."
        case .repeatedAsAnotherUser: "An action runs again as a different user."
        }
    }
}
