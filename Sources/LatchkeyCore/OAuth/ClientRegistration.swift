/// The app's registration as an OAuth client at an OpenID provider.
public struct ClientRegistration: Hashable, Sendable {
    /// The client's id (`client_id`).
    public let id: String

    /// The addresses of the app to which the provider leads the browser back.
    ///
    /// URLs that lead to these addresses belong to the client. The address of a loopback listener, which is open
    /// only during a login, isn't listed.
    public let redirectURIs: Set<String>

    /// The provider's issuer, or `nil` if the identity server itself is the provider.
    public let issuer: String?

    /// Creates a registration.
    ///
    /// - Parameters:
    ///   - id: The client's id.
    ///   - redirectURIs: The addresses of the app, such as `com.example.shop:/callback`.
    ///   - issuer: The provider's issuer, exactly as the provider spells it, or `nil` for the identity server.
    public init(id: String, redirectURIs: Set<String> = [], issuer: String? = nil) {
        (self.id, self.redirectURIs, self.issuer) = (id, redirectURIs, issuer)
    }
}
