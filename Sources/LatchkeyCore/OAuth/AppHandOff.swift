/// Hands a login over to another app on this device, in which the user confirms it, such as a store app.
///
/// The app's request stays at the identity server (RFC 9126). The other app is opened with a URL of the form
/// `<scheme>://authorize?client_id=…&request_uri=…`, reads the request as its own user, and opens this app's redirect
/// URI with the answer. Other programs that see these URLs can't use them, because the answer is only of use together
/// with a verifier and a key that stay on this device (RFC 7636; RFC 9449, section 10).
public struct AppHandOff: Sendable {
    /// The name of the other app, which is shown to the user.
    public let name: String
    /// The URL scheme of the other app.
    public let scheme: String
    /// The redirect URI of this app, which is registered for its client and has a scheme of its own.
    public let redirectURI: String

    private let handlers: any URLSchemeHandlers

    /// Creates a hand-off.
    ///
    /// - Parameters:
    ///   - scheme: The URL scheme of the other app.
    ///   - name: The name of the other app, which is shown to the user.
    ///   - redirectURI: The registered redirect URI of this app. The app passes the URLs with which it is opened to
    ///     the client.
    ///   - handlers: Opens the other app.
    public init(
        to scheme: String,
        named name: String,
        returningTo redirectURI: String,
        through handlers: any URLSchemeHandlers
    ) {
        (self.scheme, self.name, self.redirectURI, self.handlers) = (scheme, name, redirectURI, handlers)
    }

    /// Opens a request in the other app.
    func open(_ url: String) async throws(LatchkeyError) {
        try await handlers.open(url)
    }
}
