/// What an explored world must never come to; the numbers are those of the design's invariants.
package enum ExploredViolation: String, Error, Sendable, CaseIterable {
    /// 1: something brought a session back that had ended.
    case revived
    /// 2: two refreshes at a time.
    case refreshedTwice
    /// 3: a session ended without the server's word, a sign-out or another login.
    case loggedOutByAccident
    /// 4: a store that could not tell changed what is known.
    case unavailableChangedState
    /// 5: the store holds a token whose successor was used.
    case tokenLost
    /// 6: a caller got a second answer.
    case answeredTwice
    /// 6: a caller waits, and nothing is under way.
    case neverAnswered
    /// 6: a sign-out left somebody logged in.
    case signOutFailed
    /// 7: a login without its certificate counts as one.
    case announcedIncomplete
    /// An announcement that is not the truth.
    case toldSomethingElse
}
