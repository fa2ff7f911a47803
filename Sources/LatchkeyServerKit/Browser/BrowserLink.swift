package import LatchkeyModel

/// A mailed link that a browser has opened.
///
/// Opening a link changes nothing on the server. The browser keeps the link in a cookie, and gets a page of its own,
/// whose form is filled in with the code.
package struct BrowserLink: Hashable, Sendable {
    /// The number of links that a browser keeps.
    private static let limit = 3

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

    private init?(_ text: Substring) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let page = Identifier(String(parts[0])),
            let flow = Identifier(String(parts[1])), let code = OneTimeCode(String(parts[2]))
        else { return nil }
        self.init(page: page, flow: flow, code: code)
    }

    /// Reads the links in the value of a cookie, the latest first.
    ///
    /// Malformed ones are left out.
    package static func links(in value: String) -> [BrowserLink] {
        value.split(separator: "~").prefix(limit).compactMap { BrowserLink($0) }
    }

    /// Returns the value of the cookie with another link.
    package static func value(_ links: [BrowserLink], adding link: BrowserLink) -> Secret {
        let all = [link] + links.filter { $0.page != link.page && $0.flow != link.flow }
        let texts = all.prefix(limit).map { "\($0.page).\($0.flow).\($0.code.exposed)" }
        return Secret(texts.joined(separator: "~"))
    }
}
