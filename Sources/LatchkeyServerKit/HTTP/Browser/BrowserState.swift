package import LatchkeyModel

/// The contents of the cookies of a browser that sent a request to a flow.
package struct BrowserState: Sendable {
    /// The secret in the browser's cookie, or a new one.
    package let current: CSRFSecret
    /// The secrets that logins have replaced within the last hour, usually at most one.
    ///
    /// No form is accepted because of them. They only show that an authorization request was made by this browser
    /// before its login.
    package let previous: [CSRFSecret]
    /// The secrets in other cookies of the same name, which another host has set.
    private let others: [CSRFSecret]
    /// Whether the response has to set the cookie, because the browser has none.
    package let isNew: Bool
    /// The secret that replaces the current one when a session is opened, so that no value that an attacker
    /// has planted before a login is valid after it.
    package let next: CSRFSecret
    /// The mailed links that the browser has opened, the latest first.
    package let links: [BrowserLink]

    /// Creates the state of a browser.
    ///
    /// - Parameters:
    ///   - known: The browser's CSRF cookies, usually one.
    ///   - links: The mailed links that the browser has opened.
    ///   - random: The source of new secrets.
    ///   - now: The current time.
    package init(known: [CSRFCookie], links: [BrowserLink], random: any RandomSource, at now: Timestamp) {
        self.links = links
        current = known.first?.secret ?? CSRFSecret(random: random)
        others = known.dropFirst().map(\.secret)
        previous = known.compactMap { $0.previous(at: now) }
        isNew = known.isEmpty
        next = CSRFSecret(random: random)
    }

    /// Returns whether one of the browser's secrets meets a condition.
    package func hasSecret(where condition: (CSRFSecret) -> Bool) -> Bool {
        condition(current) || others.contains(where: condition)
    }

    /// Returns whether one of the secrets that the browser had before its last login meets a condition.
    package func hadSecret(where condition: (CSRFSecret) -> Bool) -> Bool {
        previous.contains(where: condition)
    }

    /// Returns the cookie that replaces the current one when a session is opened.
    package func renewed(at now: Timestamp) -> CSRFCookie {
        isNew ? CSRFCookie(next) : CSRFCookie(next, replacing: current, at: now)
    }
}
