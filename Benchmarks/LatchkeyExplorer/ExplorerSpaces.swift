import LatchkeyTestKit

/// The spaces that are searched to their ends by `scripts/check --deep`.
///
/// Each leaves out something that another has, for all of it together is more than a machine can hold. In all of them,
/// two processes share the store, answers may take as long as they like, and a caller asks whenever it likes.
enum ExplorerSpaces {
    static let all: [(bounds: String, what: String)] = [
        (
            "processes=2,callers=3,signOuts=1,refreshes=1,crashes=1,losses=1,moods=1",
            "three callers, one login, a refresh that may be lost, a sign-out, a kill anywhere, a store that is locked or fails"
        ),
        (
            "processes=2,callers=3,refreshes=2,crashes=2,losses=2,moods=2,overtakings=1",
            "three callers, one login, and twice each: refreshes, losses, kills, a store that is locked or fails; "
                + "one goes on without the lock"
        ),
        (
            "processes=2,callers=3,logins=2,signOuts=1,refreshes=1,crashes=1,losses=1",
            "three callers, two logins, a refresh that may be lost, a sign-out, a kill anywhere"
        ),
        (
            "processes=2,callers=3,logins=2,revocations=1,refreshes=1,crashes=1,losses=1",
            "three callers, two logins, a refresh that may be lost or refused, a kill anywhere"
        ),
        (
            "processes=2,callers=1,logins=2,signOuts=1,refreshes=1,crashes=1,moods=1",
            "one caller, two logins, a refresh, a sign-out, a kill anywhere, a store that is locked or fails"
        ),
        (
            "processes=2,callers=1,opaqueLogins=1,signOuts=1,refreshes=1,departures=1,amendments=1",
            "one caller that may give up, a login with a pair and one with an opaque token, a refresh, a sign-out, "
                + "a change of the profile"
        ),
        (
            "processes=2,callers=3,revocations=1,refreshes=1,crashes=1,losses=1,moods=1",
            "three callers, one login, a refresh that may be lost or refused, a kill anywhere, a store that is locked or fails"
        ),
        (
            "processes=2,callers=1,logins=2,revocations=1,moods=1",
            "one caller, two logins, one of which the server ends, a store that is locked or fails"
        ),
        (
            "processes=2,callers=1,signOuts=1,revocations=1,moods=2",
            "one caller, a login that the server ends and somebody signs out of, a store that is locked and fails"
        ),
    ]
}
