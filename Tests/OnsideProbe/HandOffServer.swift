import Foundation
import Latchkey
import LatchkeyCore
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyTesting
import LatchkeyWire

/// An identity server with pushed requests, which keeps no state but the request that is open.
///
/// The real server would store a session for each login, which would hide the growth of the app's memory.
final class HandOffServer: Transport {
    private static let origin = FakeIdentityServer.origin
    /// The id of the user of ``FakeIdentityServer``.
    private static let subject = "9a8cbfb3-87bd-4087-b48d-2569b1b43386"

    private let base: FakeIdentityServer
    private let key: SigningKey
    private let time: any TimeSource
    /// The `state` and `nonce` of the open request.
    private let request = Locked<(state: String, nonce: String)?>(nil)
    /// The number of withdrawn requests.
    private let withdrawals = Locked(0)

    init(_ base: FakeIdentityServer, time: any TimeSource) throws {
        (self.base, self.time) = (base, time)
        key = try SigningKey.generate()
    }

    /// The store app's answer to the open request.
    var answer: String? {
        request.withLock { $0 }.map {
            "com.example.arcade://onside/login?code=c&state=\($0.state)&iss=" + QueryItems.encode(Self.origin)
        }
    }

    var withdrawalCount: Int { withdrawals.withLock { $0 } }

    func send(
        _ request: HTTP.Request,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.Response {
        let form = QueryItems(String(decoding: request.body, as: UTF8.self))
        switch request.path {
        case "/.well-known/openid-configuration":
            return json([
                "issuer": .string(Self.origin),
                "authorization_endpoint": .string(Self.origin + "/oauth2/auth"),
                "token_endpoint": .string(Self.origin + "/oauth2/token"),
                "jwks_uri": .string(Self.origin + "/.well-known/jwks.json"),
                "revocation_endpoint": .string(Self.origin + "/oauth2/revoke"),
                "pushed_authorization_request_endpoint": .string(Self.origin + "/oauth2/par"),
                "authorization_response_iss_parameter_supported": true,
                "dpop_signing_alg_values_supported": ["ES256"],
                "code_challenge_methods_supported": ["S256"],
            ])
        case "/.well-known/jwks.json":
            var jwk =
                (try? JSONCoding.decode(JSONValue.self, from: Array(key.publicKey.jwk.utf8)))?.object ?? [:]
            jwk["kid"] = "1"
            return json(["keys": [.object(jwk)]])
        case "/oauth2/par":
            self.request.withLock { $0 = (form["state"] ?? "", form["nonce"] ?? "") }
            return json(
                ["request_uri": "urn:ietf:params:oauth:request_uri:1", "expires_in": 600],
                status: 201
            )
        case "/oauth2/revoke":
            withdrawals.withLock { $0 += 1 }
            return HTTP.Response(200)
        case "/oauth2/token" where form["grant_type"] == "authorization_code":
            let nonce = self.request.withLock { $0?.nonce } ?? ""
            return json([
                "access_token": "access", "token_type": "DPoP", "expires_in": 600,
                "id_token": .string(idToken(nonce)),
            ])
        case "/oauth2/token":
            return json([
                "access_token": .string(FakeIdentityServer.token), "token_type": "N_A",
                "issued_token_type": .string(TokenType.session.rawValue),
            ])
        default: return try await base.send(request, to: origin, limits: limits)
        }
    }

    private func idToken(_ nonce: String) -> String {
        let now = time.now.microseconds / 1_000_000
        let header: JSONValue = ["alg": "ES256", "kid": "1"]
        let claims: JSONValue = [
            "iss": .string(Self.origin), "aud": "com.example.arcade", "sub": .string(Self.subject),
            "nonce": .string(nonce), "exp": .integer(now + 300), "iat": .integer(now),
        ]
        let input = [header, claims].map { Base64URL.encode((try? JSONCoding.encode($0)) ?? []) }
            .joined(separator: ".")
        return input + "." + Base64URL.encode((try? key.rawSignature(for: Array(input.utf8))) ?? [])
    }

    private func json(_ value: JSONValue, status: Int = 200) -> HTTP.Response {
        HTTP.Response(
            status,
            headers: ["Content-Type": "application/json"],
            body: (try? JSONCoding.encode(value)) ?? []
        )
    }
}
