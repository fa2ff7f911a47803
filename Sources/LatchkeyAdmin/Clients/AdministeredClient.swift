import LatchkeyAccounts
import LatchkeyModel

/// A client after an operation, with its new secret if the operation has created one.
struct AdministeredClient: Sendable {
    let client: OAuthClient
    let secret: Secret?
}
