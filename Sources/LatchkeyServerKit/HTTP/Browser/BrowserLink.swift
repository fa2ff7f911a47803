package import LatchkeyModel

/// A mailed link that a browser has opened.
///
/// Opening a link has no effect on the server. The browser keeps the link in a cookie, and gets a page of its own,
/// whose form is filled in with the code.
package struct BrowserLink: Hashable, Sendable {
    /// The id of the page's flow, which belongs to this browser.
    package let page: Identifier
    /// The id of the flow that the code was sent for.
    package let flow: Identifier
    /// The code.
    package let code: OneTimeCode

    package init(page: Identifier, flow: Identifier, code: OneTimeCode) {
        self.page = page
        self.flow = flow
        self.code = code
    }
}
