import LatchkeyAccounts

/// A client as pages show it.
///
/// All values come from the client's registration, so pages don't trust them.
package struct PageClient: Sendable {
    package let name: UntrustedText
    /// The client's home page.
    package let url: LinkURL?
    package let logo: LogoURL?
    package let privacyPolicy: LinkURL?
    package let termsOfService: LinkURL?

    /// Creates a client from its registered metadata.
    ///
    /// URLs that a page can't contain are left out. A client without a name is shown with its id.
    package init(
        id: String,
        name: String? = nil,
        clientURI: String? = nil,
        logoURI: String? = nil,
        policyURI: String? = nil,
        termsURI: String? = nil
    ) {
        let shown = UntrustedText(name ?? "")
        self.name = shown.text.allSatisfy(\.isWhitespace) ? UntrustedText(id) : shown
        url = clientURI.flatMap(Self.web)
        logo = logoURI.flatMap(LogoURL.init)
        privacyPolicy = policyURI.flatMap(Self.web)
        termsOfService = termsURI.flatMap(Self.web)
    }

    /// A path would lead to this server, so that a client could pass off our pages as its own.
    private static func web(_ text: String) -> LinkURL? {
        text.hasPrefix("/") ? nil : LinkURL(text)
    }
}

extension PageClient {
    /// Creates a client from its registration.
    init(_ client: OAuthClient) {
        self.init(
            id: client.id,
            name: client.metadata.name,
            clientURI: client.metadata.uri,
            logoURI: client.metadata.logoURI,
            policyURI: client.metadata.policyURI,
            termsURI: client.metadata.termsURI
        )
    }
}
