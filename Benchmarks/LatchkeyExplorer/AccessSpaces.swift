/// The bounds within which `scripts/check --deep` explores every state of the access state machine.
///
/// In all spaces, two processes share the store, logins can happen elsewhere at any time, and every
/// presentation may be finished, dismissed or left without a presenter.
enum AccessSpaces {
    static let all: [(bounds: String, summary: String)] = [
        (
            "processes=2,callers=3,requests=3,logins=2,otherLogins=1,signOuts=1,cancellations=1,dismissals=1",
            "three callers, two logins in presentations and one elsewhere, a sign-out, a cancelled caller, a dismissal"
        ),
        (
            "processes=2,callers=3,requests=3,logins=2,duties=2,sessionEnds=1,failedActions=2,dismissals=1,signOuts=1",
            "three callers, two logins with duties, one session that ends, actions that run again, a dismissal, a sign-out"
        ),
        (
            "processes=2,callers=3,requests=4,logins=1,otherLogins=1,crashes=1,storeFailures=1,missingPresenters=1,"
                + "dismissals=1",
            "three callers, two logins, a crash at any point, a store that cannot be read, a missing presenter"
        ),
        (
            "processes=1,callers=4,requests=5,logins=2,duties=1,otherLogins=1,sessionEnds=1,failedActions=2,"
                + "cancellations=1,dismissals=1",
            "four callers of one process, all kinds of logins, actions that run again, a cancelled caller, a dismissal"
        ),
    ]
}
