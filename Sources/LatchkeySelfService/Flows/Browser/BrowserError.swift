import LatchkeyServerKit
import LatchkeyWire

/// An error that a browser is shown on a page.
///
/// The list is closed, so that the id of an error can contain everything about it. The raw values are part of
/// such ids.
enum BrowserError: UInt8, Sendable, CaseIterable {
    case csrfViolation = 1
    case returnToForbidden
    case flowNotFound
    case flowDisabled
    case loggedOut
    case firstFactorRequired
    case otherIdentity
    case appRequired
    case refreshRequired
    case addressNotVerified
    case logoutForbidden
    case schemaRemoved
    case deliveryFailed
    case tooManyRequests
    case tooLarge
    case malformed
    case unavailable
    case failed
    case loginChallengeInvalid
    case stepRequired

    /// Returns the entry for an error, which may be less specific.
    init(_ error: ServerError) {
        self =
            switch (error.id, error.status) {
            case (.csrfViolation, _): .csrfViolation
            case (.returnToForbidden, _): .returnToForbidden
            case (.flowDisabled, _): .flowDisabled
            case (.loginChallengeInvalid, _): .loginChallengeInvalid
            case (.sessionInactive, _): .loggedOut
            case (.sessionAAL1Required, _): .firstFactorRequired
            case (.identityMismatch, _): .otherIdentity
            case (.deviceCertificateRequired, _): .appRequired
            case (.sessionRefreshRequired, _): .refreshRequired
            case (.verifiedAddressRequired, _): .addressNotVerified
            case (.deliveryFailed, _): .deliveryFailed
            case (.dutyRequired, _): .stepRequired
            case (_, 403): .logoutForbidden
            case (_, 404): .flowNotFound
            case (_, 409): .schemaRemoved
            case (_, 413): .tooLarge
            case (_, 429): .tooManyRequests
            case (_, 503): .unavailable
            case (_, 500...): .failed
            case _: .malformed
            }
    }

    /// The error as a browser's page reads it.
    var error: ServerError {
        switch self {
        case .csrfViolation: .csrfViolation
        case .returnToForbidden:
            ServerError(400, id: .returnToForbidden, reason: "The return URL is not allowed.")
        case .flowNotFound: ServerError(404, reason: "The form or the page does not exist.")
        case .flowDisabled:
            ServerError(400, id: .flowDisabled, reason: "This is not possible on this server.")
        case .loggedOut: ServerError(401, id: .sessionInactive, reason: "No user is logged in.")
        case .firstFactorRequired:
            ServerError(401, id: .sessionAAL1Required, reason: "Log in before the second step.")
        case .otherIdentity:
            ServerError(403, id: .identityMismatch, reason: "The form belongs to another user.")
        case .appRequired:
            ServerError(
                403,
                id: .deviceCertificateRequired,
                reason: "The account can only be used in its app."
            )
        case .refreshRequired:
            ServerError(403, id: .sessionRefreshRequired, reason: "The last login is too old. Log in again.")
        case .addressNotVerified:
            ServerError(
                403,
                id: .verifiedAddressRequired,
                reason: "An address must be verified before the login, and no code can be sent at the moment."
            )
        case .logoutForbidden: ServerError(403, reason: "The logout belongs to another session.")
        case .schemaRemoved: ServerError(409, reason: "The account can't be changed on this server any more.")
        case .deliveryFailed: .deliveryFailed
        case .tooManyRequests:
            ServerError(429, id: .tooManyRequests, reason: "There were too many attempts. Try again later.")
        case .tooLarge: ServerError(413, reason: "The form is too large.")
        case .malformed: .malformed("The request is malformed.")
        case .unavailable: ServerError(503, reason: "The server is overloaded. Try again shortly.")
        case .failed: ServerError(500)
        case .loginChallengeInvalid: .loginChallengeInvalid
        case .stepRequired:
            ServerError(403, id: .dutyRequired, reason: "The user has to complete a step first.")
        }
    }
}
