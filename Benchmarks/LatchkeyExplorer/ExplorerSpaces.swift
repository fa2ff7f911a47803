import LatchkeyTestKit

/// The spaces of the session state machine that `scripts/check --deep` explores completely.
///
/// A single space with all kinds of steps would need too much memory, so each space excludes some of them. In
/// all spaces, two processes share the store, responses can be delayed arbitrarily, and callers can request
/// access at any time.
enum ExplorerSpaces {
    static let all: [(bounds: String, summary: String)] = [
        (
            "processes=2,callers=3,signOuts=1,refreshes=1,crashes=1,losses=1,storeFailures=1",
            "three callers, one login, a refresh that may be lost, a sign-out, a crash at any point, a store that is locked or fails"
        ),
        (
            "processes=2,callers=3,refreshes=2,crashes=2,losses=2,storeFailures=2,lockTimeouts=1",
            "three callers, one login, and two each of refreshes, losses, crashes, a store that is locked or fails; "
                + "one process proceeds without the lock"
        ),
        (
            "processes=2,callers=3,logins=2,signOuts=1,refreshes=1,crashes=1,losses=1",
            "three callers, two logins, a refresh that may be lost, a sign-out, a crash at any point"
        ),
        (
            "processes=2,callers=3,logins=2,revocations=1,refreshes=1,crashes=1,losses=1",
            "three callers, two logins, a refresh that may be lost or refused, a crash at any point"
        ),
        (
            "processes=2,callers=1,logins=2,signOuts=1,refreshes=1,crashes=1,storeFailures=1",
            "one caller, two logins, a refresh, a sign-out, a crash at any point, a store that is locked or fails"
        ),
        (
            "processes=2,callers=1,opaqueLogins=1,signOuts=1,refreshes=1,cancellations=1,sessionChanges=1",
            "one caller that may stop waiting, a login with a pair and one with an opaque token, a refresh, a sign-out, "
                + "a change of the profile"
        ),
        (
            "processes=2,callers=3,revocations=1,refreshes=1,crashes=1,losses=1,storeFailures=1",
            "three callers, one login, a refresh that may be lost or refused, a crash at any point, a store that is locked or fails"
        ),
        (
            "processes=2,callers=1,logins=2,revocations=1,storeFailures=1",
            "one caller, two logins, one of which the server revokes, a store that is locked or fails"
        ),
        (
            "processes=2,callers=1,signOuts=1,revocations=1,storeFailures=2",
            "one caller, a login that the server revokes and the user signs out of, a store that is locked and fails"
        ),
    ]
}
