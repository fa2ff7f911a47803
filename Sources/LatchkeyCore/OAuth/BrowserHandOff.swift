/// Leads the user to the pages of a provider in a browser, and back to the app (RFC 8252, section 4.1).
public protocol BrowserHandOff: Sendable {
    /// Prepares for one login, such as by listening at the redirect URI.
    ///
    /// - Returns: The visit, whose ``BrowserVisit/end()`` is called in any case.
    /// - Throws: ``LatchkeyError`` if there is no browser or no address to return to.
    func prepare() async throws(LatchkeyError) -> any BrowserVisit
}

/// One login in a browser.
public protocol BrowserVisit: Sendable {
    /// The address to which the provider leads the browser back, which is registered for the client.
    var redirectURI: String { get }

    /// The URL scheme of the app that answers the request in place of the provider's page, or `nil` for a page.
    var appScheme: String? { get }

    /// Opens a page in the browser.
    ///
    /// - Parameters:
    ///   - address: The address of the page, which contains no secret.
    ///   - isAnswer: Returns whether a URL is the provider's answer. Other programs on the device can open other URLs
    ///     of the app, which must be ignored.
    /// - Returns: The provider's answer, or `nil` if the operating system passes it to the app, which must pass it on
    ///   to the client.
    /// - Throws: ``LatchkeyError`` if the page can't be opened.
    func open(
        _ address: String,
        until isAnswer: @escaping @Sendable (String) -> Bool
    ) async throws(LatchkeyError) -> String?

    /// Ends the visit. The browser itself stays open.
    func end()
}

extension BrowserVisit {
    /// Returns `nil`, so the provider's page is opened.
    public var appScheme: String? { nil }
}
