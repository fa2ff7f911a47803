/// The paths of the API, shared by client and server.
///
/// The paths of `/self-service` and `/sessions` are relative to a base path, `/a` unless configured
/// otherwise; all others are relative to the URL of the server.
package enum Route {
    package static let defaultBasePath = "/a"

    package static let selfService = "/self-service/"
    package static let loginInit = "/self-service/login/api"
    package static let loginGet = "/self-service/login/flows"
    package static let login = "/self-service/login"
    package static let registrationInit = "/self-service/registration/api"
    package static let registration = "/self-service/registration"
    package static let settings = "/self-service/settings"
    package static let logout = "/self-service/logout/api"
    package static let sessions = "/sessions"
    package static let whoami = "/sessions/whoami"

    package static let phoneVerification = "/identity/verification/flow/phone"
    package static let certificates = "/identity/pki/client/certificates"

    package static let token = "/oauth2/token"
    package static let revocation = "/oauth2/revoke"
    package static let keySet = "/.well-known/jwks.json"
    package static let authorizationServer = "/.well-known/oauth-authorization-server"

    package static let version = "/version"
    package static let alive = "/health/alive"
    package static let ready = "/health/ready"
}
