import LatchkeyModel
import LatchkeyWire

/// The address at which the user answers an authorization request.
struct AuthorizationAddress: Sendable {
    /// The URL to open, which contains no secret.
    let text: String
    /// The URI of the pushed request, or `nil` if the address contains the request itself.
    var requestURI: Secret?

    /// Returns the URL that opens a pushed request in another app.
    static func text(inApp scheme: String, _ parameters: [(String, String)]) -> String {
        let query = parameters.map { QueryItems.encode($0.0) + "=" + QueryItems.encode($0.1) }
        return scheme + "://authorize?" + query.joined(separator: "&")
    }
}
