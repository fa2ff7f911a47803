/// A violation of an invariant of login on demand.
package enum AccessViolation: String, Error, Sendable, CaseIterable {
    /// A presentation began while the presenter was still presenting the previous one.
    case presentedTwice
    /// A presentation began although no caller waits for one, or although a user may be logged in.
    case presentedWithoutNeed
    /// A presentation was ended that was not visible.
    case closedTwice
    /// A presentation was ended with a reason that did not occur, such as `dismissed` after a caller left.
    case closedWithoutReason
    /// An explicit presentation was withdrawn because its last caller left.
    case withdrewExplicit
    /// A presentation is still visible although a user is logged in and has no open duties, or the user signed
    /// out.
    case leftOpen
    /// An implicit presentation is still visible although no caller waits for it.
    case leftOpenUnneeded
    /// A presentation shows duties although there is no session any more.
    case leftAtDuties
    /// A presentation shows a login although a user is logged in and has open duties.
    case leftAtLogin
    /// A presentation changed its content to a login although there is a session, or to duties although there
    /// are none.
    case redirectedWithoutReason
    /// The machine answered a caller twice, or after the caller was cancelled.
    case answeredTwice
    /// A caller waits although no operation that could lead to its answer is in progress.
    case neverAnswered
    /// A caller was refused for a reason that did not occur.
    case refusedWithoutReason
    /// The user signed out, and a caller still waits.
    case ignoredSignOut
    /// A caller was granted a session that is not the current one.
    case grantedWithoutSession
    /// A caller was granted a session with open duties.
    case grantedBeforeDuties
    /// An action may run again although it has run twice, the user signed out, its session is valid, or it must
    /// not be repeated.
    case ranTooOften
    /// An action runs again as another user.
    case repeatedAsAnotherUser

    /// A description of the violation.
    package var text: String {
        switch self {
        case .presentedTwice: "A login is presented while another presentation is visible."
        case .presentedWithoutNeed:
            "A login is presented although no caller waits for one, or a user may be logged in."
        case .closedTwice: "A presentation ends twice."
        case .closedWithoutReason: "A presentation ends for a reason that did not occur."
        case .withdrewExplicit: "An explicit login disappears because its caller was cancelled."
        case .leftOpen: "A presentation stays after a login or a sign-out."
        case .leftOpenUnneeded: "An implicit login stays although no caller waits for it."
        case .leftAtDuties: "A presentation shows duties after its session has ended."
        case .leftAtLogin: "A presentation shows a login although the user is logged in and has duties."
        case .redirectedWithoutReason: "A presentation changes its content without a reason."
        case .answeredTwice: "A caller that was not waiting received an answer."
        case .neverAnswered: "A caller waits, but no operation is in progress."
        case .refusedWithoutReason: "A caller fails for a reason that did not occur."
        case .ignoredSignOut: "The user signed out, and a caller still waits."
        case .grantedWithoutSession: "An action runs with a session that is not the current one."
        case .grantedBeforeDuties: "An action runs before the duties of its session are fulfilled."
        case .ranTooOften: "An action runs again although it must not."
        case .repeatedAsAnotherUser: "An action runs again as another user."
        }
    }
}
