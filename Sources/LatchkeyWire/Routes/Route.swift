/// The paths of the API.
///
/// The client and the server both use these paths.
///
/// Paths that start with `/self-service`, `/sessions`, `/account`, `/clients`, `/identifiers` or `/commerce` are
/// relative to a base path, which is `/a` by default. All other paths are relative to the server's URL.
package enum Route {
    /// The default base path for `/self-service`, `/sessions`, `/account`, `/clients`, `/identifiers` and
    /// `/commerce`.
    package static let defaultBasePath = "/a"

    /// The prefix of all self-service flows.
    ///
    /// Unlike the other paths, this prefix ends with a slash.
    package static let selfService = "/self-service/"
    /// Creates a login flow for native clients, as opposed to browsers.
    package static let loginInit = "/self-service/login/api"
    /// Returns the login flow whose ID is given by the `id` parameter.
    package static let loginGet = "/self-service/login/flows"
    /// Submits the login flow whose ID is given by the `flow` parameter.
    package static let login = "/self-service/login"
    /// Creates a registration flow for native clients, as opposed to browsers.
    package static let registrationInit = "/self-service/registration/api"
    /// Submits the registration flow whose ID is given by the `flow` parameter.
    package static let registration = "/self-service/registration"
    package static let settings = "/self-service/settings"
    /// Revokes the session with the given session token.
    package static let logout = "/self-service/logout/api"
    /// Returns the address at which a browser logs out.
    package static let browserLogoutInit = "/self-service/logout/browser"
    /// Logs a browser out, whose page has the token in the `token` parameter.
    package static let browserLogout = "/self-service/logout"
    /// Returns the error whose id is given by the `id` parameter.
    package static let selfServiceErrors = "/self-service/errors"
    package static let sessions = "/sessions"
    /// Returns the current session.
    package static let whoami = "/sessions/whoami"
    /// Notifies the client of changes to the current session.
    package static let sessionEvents = "/sessions/events"
    /// Deletes the user's own account (`DELETE`).
    package static let account = "/account"
    /// Lists the OAuth clients that have access to the user's own account (`GET`), or ends the access of one
    /// (`DELETE`, with its id).
    package static let connectedClients = "/account/clients"
    /// Exports the data that the server stores about the user's own account.
    package static let accountExport = "/account/export"
    /// Lists the documents that apply to the user with the user's answers (`GET`), or answers them (`POST`).
    package static let agreements = "/account/agreements"
    /// Returns the public information about an OAuth client (with its percent-encoded id).
    package static let clients = "/clients"

    /// Returns whether an account has an identifier (`POST`).
    package static let identifierStatus = "/identifiers/status"

    /// Sends a code to a phone number (`POST`) and verifies it (`PATCH`) during registration.
    package static let phoneVerification = "/identity/verification/flow/phone"
    /// Issues a device certificate for the session (`PUT`).
    package static let certificates = "/identity/pki/client/certificates"

    /// The authorization endpoint (RFC 6749, section 3.1).
    package static let authorization = "/oauth2/auth"
    /// Continues an authorization request, named by the `login_challenge` parameter, after a login.
    package static let authorizationContinuation = "/oauth2/auth/continue"
    /// Refuses an authorization request, named by the `login_challenge` parameter.
    package static let authorizationRefusal = "/oauth2/auth/refuse"
    /// The pushed authorization request endpoint (RFC 9126).
    package static let pushedRequests = "/oauth2/par"
    /// Opens the pushed authorization request of another app, or answers it (with its id).
    package static let approvals = "/oauth2/approvals"
    /// The userinfo endpoint (OpenID Connect Core, section 5.3).
    package static let userInfo = "/userinfo"
    /// The token endpoint (RFC 6749, section 3.2).
    package static let token = "/oauth2/token"
    /// The token revocation endpoint (RFC 7009).
    package static let revocation = "/oauth2/revoke"
    /// The JWK Set with the public keys for verifying access tokens (RFC 7517, section 5).
    package static let keySet = "/.well-known/jwks.json"
    /// The authorization server's metadata (RFC 8414).
    package static let authorizationServer = "/.well-known/oauth-authorization-server"
    /// The metadata of an OpenID provider (OpenID Connect Discovery, section 4).
    package static let openIDConfiguration = "/.well-known/openid-configuration"

    /// The pages with the texts of documents, each of which has a path of its own.
    package static let terms = "/terms"

    /// Returns the path and query of the page with a text.
    package static func terms(_ key: String, version: Int, language: String) -> String {
        "\(terms)/\(key)/\(version)?lang=\(language)"
    }

    /// Returns the version of the server and of its API contract.
    package static let version = "/version"
    /// Responds with status 200 while the server process is running.
    package static let alive = "/health/alive"
    /// Responds with status 200 if the server is ready to handle requests.
    package static let ready = "/health/ready"
}
