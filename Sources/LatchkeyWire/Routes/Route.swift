/// The paths of the API, shared by client and server.
///
/// The paths of `/self-service` and `/sessions` are relative to a base path, `/a` unless configured
/// otherwise; all others are relative to the URL of the server.
package enum Route {
    /// The base path of `/self-service` and `/sessions` unless configured otherwise.
    package static let defaultBasePath = "/a"

    /// The prefix of all self-service flows; unlike the others, it ends with a slash.
    package static let selfService = "/self-service/"
    /// Creates a login flow for a client that is not a browser.
    package static let loginInit = "/self-service/login/api"
    /// Returns the login flow in the parameter `id`.
    package static let loginGet = "/self-service/login/flows"
    /// Accepts submissions of the login flow in the parameter `flow`.
    package static let login = "/self-service/login"
    /// Creates a registration flow for a client that is not a browser.
    package static let registrationInit = "/self-service/registration/api"
    /// Accepts submissions of the registration flow in the parameter `flow`.
    package static let registration = "/self-service/registration"
    package static let settings = "/self-service/settings"
    /// Revokes the session of a session token.
    package static let logout = "/self-service/logout/api"
    package static let sessions = "/sessions"
    /// Returns the session of the request.
    package static let whoami = "/sessions/whoami"

    /// Sends a code to a phone number (`POST`) and verifies it (`PATCH`) during a registration.
    package static let phoneVerification = "/identity/verification/flow/phone"
    /// Issues a device certificate for the session (`PUT`).
    package static let certificates = "/identity/pki/client/certificates"

    /// The token endpoint (RFC 6749, section 3.2).
    package static let token = "/oauth2/token"
    /// The revocation endpoint (RFC 7009).
    package static let revocation = "/oauth2/revoke"
    /// The public keys that verify access tokens, a JWK Set (RFC 7517, section 5).
    package static let keySet = "/.well-known/jwks.json"
    /// The metadata of the authorization server (RFC 8414).
    package static let authorizationServer = "/.well-known/oauth-authorization-server"

    /// Returns the version of the server and of the API contract.
    package static let version = "/version"
    /// Responds as long as the process serves requests.
    package static let alive = "/health/alive"
    /// Responds with success if the server can handle requests.
    package static let ready = "/health/ready"
}
