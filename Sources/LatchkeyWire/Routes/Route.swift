/// The paths of the API, used by both client and server.
///
/// The paths that begin with `/self-service`, `/sessions`, `/account` and `/commerce` are relative to a base path, which
/// is `/a` by default; all others are relative to the URL of the server.
package enum Route {
    /// The default base path of `/self-service`, `/sessions`, `/account` and `/commerce`.
    package static let defaultBasePath = "/a"

    /// The prefix of all self-service flows; unlike the other paths, it ends with a slash.
    package static let selfService = "/self-service/"
    /// Creates a login flow for a native client, not a browser.
    package static let loginInit = "/self-service/login/api"
    /// Returns the login flow with the id in the parameter `id`.
    package static let loginGet = "/self-service/login/flows"
    /// Accepts submissions to the login flow with the id in the parameter `flow`.
    package static let login = "/self-service/login"
    /// Creates a registration flow for a native client, not a browser.
    package static let registrationInit = "/self-service/registration/api"
    /// Accepts submissions to the registration flow with the id in the parameter `flow`.
    package static let registration = "/self-service/registration"
    package static let settings = "/self-service/settings"
    /// Revokes the session that a session token identifies.
    package static let logout = "/self-service/logout/api"
    package static let sessions = "/sessions"
    /// Returns the current session.
    package static let whoami = "/sessions/whoami"
    /// Reports changes of the current session as they happen.
    package static let sessionEvents = "/sessions/events"
    /// Deletes the user's own account (`DELETE`).
    package static let account = "/account"
    /// Returns the data that the server stores about the user's own account.
    package static let accountExport = "/account/export"

    /// Sends a code to a phone number (`POST`) and verifies the code (`PATCH`) during a registration.
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
    /// Responds with 200 as long as the process serves requests.
    package static let alive = "/health/alive"
    /// Responds with 200 if the server can handle requests.
    package static let ready = "/health/ready"
}
