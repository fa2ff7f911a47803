/// The paths of the contract, once for both sides.
///
/// Those of the self-service API stand below a base path, `/a` unless configured otherwise;
/// those of `/identity` stand by themselves.
package enum Route {
    package static let defaultBasePath = "/a"

    package static let loginInit = "/self-service/login/api"
    package static let loginGet = "/self-service/login/flows"
    package static let login = "/self-service/login"
    package static let registrationInit = "/self-service/registration/api"
    package static let registrationGet = "/self-service/registration/flows"
    package static let registration = "/self-service/registration"
    package static let logout = "/self-service/logout/api"
    package static let whoami = "/sessions/whoami"

    package static let phoneVerification = "/identity/verification/flow/phone"
    package static let certificates = "/identity/pki/client/certificates"

    package static let alive = "/health/alive"
    package static let ready = "/health/ready"
}
