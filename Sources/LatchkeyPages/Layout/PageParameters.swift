/// The parameters that links between pages carry along.
package struct PageParameters: Hashable, Sendable {
    /// The URL to send the user to after the flow.
    package var returnTo: String?
    /// The id of the authorization request that the flow belongs to.
    package var loginChallenge: String?
    /// The languages that the client asked for.
    package var uiLocales: String?

    package init(returnTo: String? = nil, loginChallenge: String? = nil, uiLocales: String? = nil) {
        self.returnTo = returnTo
        self.loginChallenge = loginChallenge
        self.uiLocales = uiLocales
    }

    var query: [(name: String, value: String?)] {
        [("return_to", returnTo), ("login_challenge", loginChallenge), ("ui_locales", uiLocales)]
    }
}
