/// The bounds within which `scripts/check --deep` explores every state of logins in a browser.
///
/// Callers are logins here. A crash after a sign-out is left out; see the tests.
enum BrowserLoginSpaces {
    static let all: [(bounds: String, summary: String)] = [
        (
            "processes=2,callers=2,requests=4,otherLogins=1,crashes=2,losses=2",
            "two processes and two logins, redirects in both, a login without a browser, two crashes, lost responses"
        ),
        (
            "processes=2,callers=2,requests=4,signOuts=2,otherLogins=1,losses=2",
            "two processes and two logins, two sign-outs, a login without a browser, lost responses"
        ),
        (
            "processes=3,callers=1,requests=4,otherLogins=1,crashes=2,losses=1",
            "three processes that receive the redirect of one login, two crashes"
        ),
        (
            "processes=2,callers=2,requests=3,otherLogins=1,crashes=1,handOffs=2,dismissals=1,refusals=1",
            "two processes and two logins, handed over to another app, a dismissal, a refusal, a crash"
        ),
        (
            "processes=2,callers=2,requests=2,signOuts=1,handOffs=2,dismissals=1,expiries=1",
            "two processes and two logins, handed over to another app, a dismissal, an expiry, a sign-out"
        ),
    ]
}
