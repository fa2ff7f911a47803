import LatchkeyModel
import LatchkeyWire

@testable import LatchkeyServerKit

extension CredentialWorld {
    /// Creates a request for a route with a credential.
    ///
    /// The request is otherwise as empty as possible, so that routes reject it after they have checked the
    /// credential.
    func request(_ endpoint: Endpoint, _ template: String, by account: Account) throws -> HTTP.Request {
        let path = template.replacing(/\{[a-z_]+\}/, with: Identifier().description)
        var request = HTTP.Request(endpoint.method, path)
        switch endpoint.operation.id {
        case "updateSettingsFlow": request.query = "flow=\(account.settingsFlow)"
        case "getSettingsFlow": request.query = "id=\(account.settingsFlow)"
        case "getSessionEvents": request.query = "wait=0"
        case "updateLogoutFlow": request.query = "token=x"
        default: break
        }
        if [.post, .put, .patch].contains(endpoint.method) {
            let isForm = [Route.token, Route.revocation].contains(path)
            request.headers["Content-Type"] =
                isForm ? "application/x-www-form-urlencoded" : "application/json"
            if !isForm { request.body = Array("{}".utf8) }
        }
        if endpoint.operation.id == "performNativeLogout" {
            request.headers["Content-Type"] = "application/json"
            request.body = Array("{}".utf8)
        }
        request.headers["Authorization"] = account.authorization
        request.headers["Cookie"] = account.cookies
        request.headers["X-Session-Token"] = account.header
        request.headers["Accept"] = "application/json"
        if let token = account.boundToken {
            request.headers["Authorization"] = "DPoP \(token.exposed)"
            request.headers[DPoPProof.header] = try proof(
                endpoint.method,
                path,
                key: account.key,
                token: token
            )
        }
        return request
    }
}

extension Endpoint {
    /// Whether the route ends the sessions that the following requests use.
    var endsSessions: Bool { method == .delete && [Route.account, Route.sessions].contains(path) }
}
