import Foundation
package import Latchkey
import LatchkeyModel
package import LatchkeyTestKit
import OnsideKit

/// The store app on the device of a game, to which the game hands its logins over.
///
/// Its user logs in with a phone number and a code when the first request arrives.
@MainActor package final class StoreAppOnDevice: URLSchemeHandlers {
    /// The user's answer to a request.
    package enum Decision: Sendable {
        case approve, refuse
        /// The user leaves the store app without an answer.
        case ignore
    }

    package nonisolated let client: LatchkeyClient
    /// The user's answer to the next requests.
    package var decision = Decision.approve
    /// Whether the store app is installed.
    package var isInstalled = true
    /// Whether the store app can be started.
    package var canStart = true
    /// The URLs with which the store app was opened.
    package private(set) var opened: [String] = []
    /// The URLs with which the store app has returned to the game.
    package private(set) var returned: [String] = []
    /// The errors that the store app has shown.
    package private(set) var errors: [LatchkeyError] = []
    /// Passes a URL to the game.
    package var openGame: @MainActor (String) -> Void = { text in
        if let url = URL(string: text) { Onside.handle(url: url) }
    }
    private let user: Shopper

    package init(_ server: TestServer, phone: String = StoreApp.phone) throws {
        client = try LatchkeyClient(server: TestServer.url, app: "com.example.store") {
            $0.store = MemoryStore()
            $0.transport = server.transport()
            $0.languages = []
            $0.time = server.time
        }
        user = Shopper(server, phone: phone)
        client.presenter = user
        client.loginStart = .code(signUpSchema: "shopper")
    }

    @MainActor package func isHandled(_ scheme: String) async -> Bool { isInstalled && scheme == "onside" }

    @MainActor package func open(_ url: String) async throws(LatchkeyError) {
        guard canStart else { throw LatchkeyError(.noPresenter, message: "The store app can't be started.") }
        opened.append(url)
        let decision = decision
        guard decision != .ignore else { return }
        Task { await answer(url, with: decision) }
    }

    /// Answers a request, as if the user had tapped.
    package func answer(_ url: String, with decision: Decision) async {
        do throws(LatchkeyError) {
            let approval = try await client.authorizationApproval(for: url)
            let back =
                switch decision {
                case .approve: try await approval.approve()
                case .refuse: try await approval.refuse()
                case .ignore: ""
                }
            guard !back.isEmpty else { return }
            returned.append(back)
            openGame(back)
        } catch {
            errors.append(error)
        }
    }
}
