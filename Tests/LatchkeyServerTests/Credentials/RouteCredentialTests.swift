import Foundation
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyServer
@testable import LatchkeyServerKit

/// Sends a request with each kind of credential to every route of both listeners.
///
/// The expected responses are derived from the OpenAPI documents.
@Suite(.timeLimit(.minutes(10))) struct `Credentials of routes` {
    /// The errors that reject a credential with status 403.
    private static let refusals: Set<String?> = [
        "device_certificate_required", "session_refresh_required", "insufficient_scope",
    ]

    @Test(arguments: PresentedCredential.allCases)
    func `Every route accepts exactly the credentials that it declares`(credential: PresentedCredential)
        async throws
    {
        let world = try await CredentialWorld(
            audience: credential == .otherAudience ? "https://api.example.com" : nil
        )
        var account = try await world.account(0, with: credential)
        var number = 0
        for document in world.documents {
            for endpoint in document.endpoints {
                let template = endpoint.template(below: document.isAdministrative ? "" : "/a")
                let declared = document.json["paths"]?[template]?[endpoint.method.rawValue.lowercased()]?[
                    "x-credentials"
                ]
                // These routes end the sessions that the following requests use.
                if endpoint.endsSessions {
                    number += 1
                    account = try await world.account(number, with: credential)
                }
                let request = try world.request(endpoint, template, by: account)
                let answer = await world.send(request, isAdministrative: document.isAdministrative)
                let body = try? JSONCoding.decode(JSONValue.self, from: answer.body)["error"]
                let error = body?["id"]?.text
                // Routes for native apps reject cookies, and browser flows reject tokens, before they read a
                // credential.
                let isFromBrowser =
                    endpoint.credentials.needsCredential
                    && ["Requests with cookies", "This flow is for browsers"].contains {
                        body?["reason"]?.text?.hasPrefix($0) == true
                    }
                let isAccepted =
                    answer.status != 401 && !isFromBrowser
                    && !(answer.status == 403 && Self.refusals.contains(error))
                #expect(
                    isAccepted == credential.isAccepted(by: declared),
                    "\(endpoint.method.rawValue) \(template): \(answer.status) \(error ?? "")"
                )
                #expect(
                    answer.status != 401 || answer.headers[AuthenticationChallenge.header] != nil,
                    "\(endpoint.method.rawValue) \(template) has no challenge"
                )
                #expect(answer.status < 500, "\(endpoint.method.rawValue) \(template): \(answer.status)")
                if endpoint.endsSessions {
                    number += 1
                    account = try await world.account(number, with: credential)
                }
            }
        }
        await world.server.stop()
    }

    // MARK: Declarations

    /// The declarations of sensitive routes.
    ///
    /// The table above derives its expectations from the declarations, so a wrong declaration would go
    /// unnoticed without this one.
    private static let pinned: [String: RouteCredentials] = [
        "DELETE /a/account": .session(SessionCredentials(privilege: .always, carrier: .either))
            .exemptFromDuties,
        "GET /a/account/export": .session(SessionCredentials(privilege: .always, carrier: .either))
            .exemptFromDuties,
        "GET /a/account/agreements": .session(
            SessionCredentials(accessTokens: .scope(.agreements), carrier: .either)
        ).exemptFromDuties,
        "POST /a/account/agreements": .session(
            SessionCredentials(accessTokens: .scope(.agreements), carrier: .either)
        ).exemptFromDuties,
        "GET /a/sessions": .session(SessionCredentials(carrier: .either)).exemptFromDuties,
        "DELETE /a/sessions": .session(SessionCredentials(carrier: .either)).exemptFromDuties,
        "DELETE /a/sessions/{id}": .session(SessionCredentials(carrier: .either)).exemptFromDuties,
        "GET /a/sessions/whoami": .session(SessionCredentials(accessTokens: .ofSession, carrier: .either))
            .exemptFromDuties,
        "GET /a/self-service/logout": .session(SessionCredentials(carrier: .cookie)).exemptFromDuties,
        "GET /a/self-service/logout/browser": .session(SessionCredentials(carrier: .cookie)).exemptFromDuties,
        "GET /a/self-service/settings/browser": .session(SessionCredentials(carrier: .cookie))
            .exemptFromDuties,
        "GET /a/sessions/events": .session(SessionCredentials(accessTokens: .scope(.events)))
            .exemptFromDuties,
        "DELETE /a/self-service/logout/api": .body(BodyCredentials([.sessionToken])).exemptFromDuties,
        "GET /a/self-service/settings/api": .session().exemptFromDuties,
        "GET /a/self-service/settings/flows": .session(SessionCredentials(carrier: .either)).exemptFromDuties,
        "POST /a/self-service/settings": .session(
            SessionCredentials(privilege: .sometimes, carrier: .either)
        ).exemptFromDuties,
        "PUT /identity/pki/client/certificates": .session(
            SessionCredentials(acceptsProvisional: true, privilege: .sometimes)
        ).exemptFromDuties,
        "POST /oauth2/token": .body(
            BodyCredentials([.sessionToken, .refreshToken, .code], needsProof: true)
        ),
        "POST /oauth2/revoke": .body(BodyCredentials([.sessionToken, .refreshToken, .accessToken]))
            .exemptFromDuties,
        "POST /oauth2/approvals": .session(), "POST /oauth2/approvals/{id}": .session(),
        "DELETE /oauth2/approvals/{id}": .session(),
        "GET /userinfo": .clientToken, "POST /userinfo": .clientToken,
        "POST /a/commerce/orders": .sessionOrScope(.purchases, bound: true),
        "POST /a/commerce/transactions/{id}/confirm": .sessionOrScope(.purchases, bound: true),
        "POST /a/commerce/payment-methods": .sessionOrScope(.purchases, bound: true),
        "PATCH /a/commerce/payment-methods/{id}": .sessionOrScope(.purchases, bound: true),
        "DELETE /a/commerce/payment-methods/{id}": .sessionOrScope(.purchases, bound: true),
        "GET /a/commerce/payment-methods": .sessionOrScope(.purchases),
        "GET /a/commerce/transactions": .sessionOrScope(.purchases),
        "GET /a/commerce/history": .sessionOrScope(.purchases),
        "GET /admin/identities": .adminToken, "DELETE /admin/identities/{id}": .adminToken,
        "POST /admin/recovery/code": .adminToken, "GET /admin/audit": .adminToken,
        "POST /admin/commerce/transactions/{id}/refund": .adminToken, "GET /openapi.json": .adminToken,
        "GET /metrics": .adminTokenUnlessOpen,
    ]

    @Test func `Sensitive routes declare the credentials that the policy demands`() async throws {
        let world = try await CredentialWorld()
        var declared: [String: RouteCredentials] = [:]
        for document in world.documents {
            for endpoint in document.endpoints {
                let path = endpoint.template(below: document.isAdministrative ? "" : "/a")
                declared["\(endpoint.method.rawValue) \(path)"] = endpoint.credentials
            }
        }
        for (route, credentials) in Self.pinned {
            #expect(declared[route] == credentials, "\(route)")
        }
        // Only these routes of the admin listener can be read without the token.
        let open = world.documents.filter(\.isAdministrative).flatMap(\.endpoints)
            .filter { $0.credentials == .none }.map(\.path)
        #expect(Set(open) == ["/health/alive", "/health/ready", "/version", "/schemas", "/schemas/{}"])
        await world.server.stop()
    }

    @Test func `The documentation lists the credentials of every route`() async throws {
        let world = try await CredentialWorld()
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(path: "Documentation/route-credentials.md"),
            encoding: .utf8
        )
        let rows = Self.rows(of: world).joined(separator: "\n")
        #expect(page.contains(rows), "Documentation/route-credentials.md should contain this table:\n\(rows)")
        await world.server.stop()
    }

    /// Returns the rows of the table in the documentation.
    private static func rows(of world: CredentialWorld) -> [String] {
        world.documents.flatMap { document in
            document.endpoints.map { endpoint in
                let path = endpoint.template(below: document.isAdministrative ? "" : "/a")
                let listener = document.isAdministrative ? "admin" : "public"
                return
                    "| `\(endpoint.method.rawValue) \(path)` | \(listener) | \(words(endpoint.credentials)) |"
            }.sorted()
        }
    }

    private static func words(_ credentials: RouteCredentials) -> String {
        let duties = credentials.duties == .exempt ? "; whatever the duties" : ""
        switch credentials {
        case .none: return "–"
        case .adminToken: return "admin token"
        case .adminTokenUnlessOpen: return "admin token, unless `admin.metrics` is `open`"
        case .body(let body):
            guard !body.tokens.isEmpty else { return "id and secret of a client" }
            let tokens = body.tokens.map { "`\($0.rawValue)`" }.sorted().joined(separator: " or ")
            return "in the body: \(tokens)\(body.needsProof ? ", with a proof" : "")" + duties
        case .clientToken: return "access token of a client"
        case .session(let session):
            let name =
                switch session.carrier {
                case .header: "session"
                case .cookie: "session cookie"
                case .either: "session or session cookie"
                }
            var words = session.presence == .required ? name : name + ", if any"
            if session.presence == .considered { words += " (ignored if invalid)" }
            if session.acceptsProvisional { words += ", also provisional" }
            switch session.privilege {
            case .never: break
            case .sometimes: words += "; privileged for some changes"
            case .always: words += ", privileged"
            }
            switch session.accessTokens {
            case .none: break
            case .ofSession: words += "; access token of any audience"
            case .scope(let scope, let isBound):
                words += "; \(isBound ? "bound " : "")access token with `\(scope.rawValue)`"
            }
            // The session of a route that only considers one decides nothing.
            return session.presence == .considered ? words : words + duties
        }
    }
}

extension RouteCredentials {
    /// Whether a request without a credential is rejected.
    fileprivate var needsCredential: Bool {
        if case .session(let session) = self { session.presence == .required } else { self != .none }
    }
}
