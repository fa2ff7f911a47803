import LatchkeyAccounts
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyServer
@testable import LatchkeyServerKit

/// Sends a request with each kind of credential to every route of both listeners, for accounts without a
/// duty, with one that doesn't block, and with one that does.
///
/// The expected responses are derived from the OpenAPI documents.
@Suite("Duties at every route", .timeLimit(.minutes(10)))
struct RouteDutyTests {
    /// The duty of all accounts.
    enum State: String, CaseIterable, Sendable {
        case none, open, blocking
    }

    /// A source that gives every account the same duty.
    private final class Source: DutySource {
        let state = Locked(State.none)

        func duties(for question: DutyQuestion) -> [AccountDuty] {
            let state = state.withLock { $0 }
            guard state != .none else { return [] }
            return [AccountDuty(.completeProfile, fields: ["traits.phone"], isBlocking: state == .blocking)]
        }
    }

    /// The duties in the details of an error.
    private static let duties: JSONValue = [
        .object(["kind": "complete_profile", "blocking": true, "fields": ["traits.phone"]])
    ]

    /// The kinds of credential that are accepted by some route, and none.
    private static let credentials: [PresentedCredential] = [
        .none, .session, .provisional, .reauthenticated, .accessToken, .otherAudience, .bound, .cookie,
    ]

    @Test(arguments: State.allCases, credentials)
    func `A route is closed exactly while a duty blocks, unless it is exempt`(
        state: State,
        credential: PresentedCredential
    ) async throws {
        let source = Source()
        let world = try await CredentialWorld(
            audience: credential == .otherAudience ? "https://api.example.com" : nil,
            dutySources: [source]
        )
        var number = 0
        // A blocked account doesn't get tokens.
        func account() async throws -> CredentialWorld.Account {
            source.state.withLock { $0 = .none }
            number += 1
            let account = try await world.account(number, with: credential)
            source.state.withLock { $0 = state }
            return account
        }
        var user = try await account()
        var refused = 0
        for document in world.documents {
            for endpoint in document.endpoints {
                let template = endpoint.template(below: document.isAdministrative ? "" : "/a")
                let declared = document.json["paths"]?[template]?[endpoint.method.rawValue.lowercased()]?[
                    "x-credentials"
                ]
                if endpoint.endsSessions { user = try await account() }
                var request = try world.request(endpoint, template, by: user)
                if endpoint.operation.id == "updateSettingsFlow" {
                    request.body = Array(#"{"method":"profile"}"#.utf8)
                }
                let answer = await world.send(request, isAdministrative: document.isAdministrative)
                let body = try? JSONCoding.decode(JSONValue.self, from: answer.body)
                let isRefused = answer.status == 403 && body?["error"]?["id"] == "duty_required"
                // A route that also serves visitors, and doesn't read cookies, takes a browser for a visitor.
                let isVisitor =
                    credential == .cookie && declared?["presence"] == "optional"
                    && declared?["carrier"] == "header"
                let isClosed =
                    state == .blocking && credential != .none && !isVisitor && declared?["kind"] == "session"
                    && credential.isAccepted(by: declared) && declared?["duties"] == "enforced"
                #expect(
                    isRefused == isClosed,
                    "\(endpoint.method.rawValue) \(template): \(answer.status) \(body?["error"] ?? .null)"
                )
                if isRefused {
                    refused += 1
                    #expect(body?["error"]?["duty"] == "complete_profile")
                    #expect(body?["error"]?["details"]?["duties"] == Self.duties)
                }
                if endpoint.endsSessions { user = try await account() }
            }
        }
        // Routes with a session, with a token that is bound, and with a bearer token are closed.
        let isAnyClosed = ![.none, .provisional, .otherAudience].contains(credential)
        #expect((refused > 0) == (state == .blocking && isAnyClosed))
        await world.server.stop()
    }

    /// The routes that stay open while a duty blocks, except for those that only consider a session.
    private static let exempt: Set<String> = [
        // The user reads what is missing, and completes it.
        "GET /a/account/agreements", "POST /a/account/agreements",
        "GET /a/sessions/whoami", "GET /a/sessions/events", "GET /a/self-service/settings/api",
        "GET /a/self-service/settings/browser", "GET /a/self-service/settings/flows",
        "POST /a/self-service/settings",
        // A device without its certificate can't do anything else.
        "PUT /identity/pki/client/certificates",
        // The user leaves, and takes their data along.
        "GET /a/self-service/logout", "GET /a/self-service/logout/browser",
        "DELETE /a/self-service/logout/api", "POST /oauth2/revoke", "GET /a/sessions", "DELETE /a/sessions",
        "DELETE /a/sessions/{id}", "GET /a/account/export", "DELETE /a/account",
    ]

    @Test func `Exactly the listed routes are exempt`() async throws {
        let world = try await CredentialWorld()
        var exempt: Set<String> = []
        for document in world.documents {
            for endpoint in document.endpoints where endpoint.credentials.duties == .exempt {
                if case .session(let session) = endpoint.credentials, session.presence == .considered {
                    continue
                }
                let template = endpoint.template(below: document.isAdministrative ? "" : "/a")
                exempt.insert("\(endpoint.method.rawValue) \(template)")
            }
        }

        #expect(exempt == Self.exempt)
        await world.server.stop()
    }

    @Test func `A declaration is enforced by default, and exempt if a session is only considered`() {
        #expect(SessionCredentials().duties == .enforced)
        #expect(SessionCredentials(.optional).duties == .enforced)
        #expect(SessionCredentials(.considered).duties == .exempt)
        #expect(RouteCredentials.body(BodyCredentials([.refreshToken])).duties == .enforced)
        #expect(RouteCredentials.body(BodyCredentials([])).duties == nil)
        #expect(RouteCredentials.clientToken.duties == .enforced)
        #expect(RouteCredentials.none.duties == nil && RouteCredentials.adminToken.duties == nil)
        #expect(RouteCredentials.sessionCookie.exemptFromDuties.duties == .exempt)
        #expect(RouteCredentials.sessionCookie.exemptFromDuties != .sessionCookie)
    }
}
