/// A violation of one of the login-on-demand invariants.
package enum AccessViolation: String, Error, Sendable, CaseIterable {
    /// A presentation began while the presenter was still presenting the previous one.
    case presentedTwice
    /// A presentation began although no caller was waiting for one or a user might be logged in.
    case presentedWithoutNeed
    /// A presentation that wasn't visible was ended.
    case closedTwice
    /// A presentation was ended for a reason that did not occur, such as `dismissed` after a caller left.
    case closedWithoutReason
    /// An explicit presentation was withdrawn because its last caller left.
    case withdrewExplicit
    /// A presentation is still visible although the user is logged in without open duties or has signed out.
    case leftOpen
    /// An implicit presentation is still visible although no caller is waiting for it.
    case leftOpenUnneeded
    /// A presentation shows duties although the session has ended.
    case leftAtDuties
    /// A presentation shows a login although a user is logged in and has open duties.
    case leftAtLogin
    /// A presentation switched to a login although there is a session, or to duties although there are none.
    case redirectedWithoutReason
    /// The machine answered a caller twice, or after the caller was cancelled.
    case answeredTwice
    /// A caller is waiting, but no operation that could lead to its answer is in progress.
    case neverAnswered
    /// A caller was refused for a reason that did not occur.
    case refusedWithoutReason
    /// A caller is still waiting although the user has signed out.
    case ignoredSignOut
    /// A caller was granted a session other than the current one.
    case grantedWithoutSession
    /// A caller was granted a session that still has open duties.
    case grantedBeforeDuties
    /// An action may run again although it has already run twice, the user has signed out, its session is
    /// valid, or it must not be repeated.
    case ranTooOften
    /// An action was run again as a different user.
    case repeatedAsAnotherUser

    /// A description of the violation.
    package var text: String {
        switch self {
        case .presentedTwice: "A login is presented while another presentation is visible."
        case .presentedWithoutNeed:
            "A login is presented although no caller is waiting for one, or a user may be logged in."
        case .closedTwice: "A presentation ends twice."
        case .closedWithoutReason: "A presentation ends for a reason that did not occur."
        case .withdrewExplicit: "An explicit login disappears because its caller was cancelled."
        case .leftOpen: "A presentation is still visible after a login or sign-out."
        case .leftOpenUnneeded: "An implicit login is still visible although no caller is waiting for it."
        case .leftAtDuties: "A presentation shows duties after its session has ended."
        case .leftAtLogin: "A presentation shows a login although the user is logged in and has duties."
        case .redirectedWithoutReason: "A presentation changes its content without a reason."
        case .answeredTwice: "A caller that was not waiting received an answer."
        case .neverAnswered: "A caller is waiting, but no operation is in progress."
        case .refusedWithoutReason: "A caller fails for a reason that did not occur."
        case .ignoredSignOut: "A caller is still waiting after the user has signed out."
        case .grantedWithoutSession: "An action runs with a session that is not the current one."
        case .grantedBeforeDuties: "An action runs before the duties of its session are fulfilled."
        case .ranTooOften: "An action runs again although it must not."
        case .repeatedAsAnotherUser: "An action runs again as a different user."
        }
    }
}
