package import Latchkey
package import LatchkeyTestKit

/// A presenter whose user logs in with a phone number and a code, or dismisses the login.
@MainActor package final class Shopper: Presenter {
    /// The number of logins that were presented.
    package private(set) var presentations = 0

    /// The ends of the presentations.
    package private(set) var endings: [LoginPresentation.Ending] = []

    private let server: TestServer
    private let phone: String
    private let dismisses: Bool
    private let before: @MainActor (LoginPresentation) async -> Void

    /// Creates a user.
    ///
    /// - Parameters:
    ///   - server: The server, whose codes the user receives.
    ///   - phone: The phone number.
    ///   - dismisses: Whether the user dismisses each login.
    ///   - before: Called when a login was presented, before the user does anything.
    package init(
        _ server: TestServer,
        phone: String = StoreApp.phone,
        dismisses: Bool = false,
        before: @escaping @MainActor (LoginPresentation) async -> Void = { _ in }
    ) {
        (self.server, self.phone, self.dismisses, self.before) = (server, phone, dismisses, before)
    }

    package func present(_ login: LoginPresentation) async {
        presentations += 1
        await before(login)
        guard !dismisses else {
            login.dismiss()
            return note(await login.ending())
        }
        for await screen in login.screens {
            switch screen {
            case .form(let flow) where flow.state == .codeSent:
                guard let code = try? await server.code(for: phone) else { return }
                await login.submit(FlowAnswers(method: "code", ["code": .string(code)]))
            case .form(let flow):
                let name = flow.kind == .registration ? "traits.phone" : "identifier"
                await login.submit(FlowAnswers(method: "code", [name: .string(phone)]))
            case .failed(let error):
                // The server sends codes to a number only every 30 seconds.
                if error.code == .tooManyRequests { server.time.advance(by: .seconds(31)) }
                await login.retry()
            case .ended(let ending): note(ending)
            case .loading, .duty: continue
            }
        }
    }

    private func note(_ ending: LoginPresentation.Ending?) {
        if let ending { endings.append(ending) }
    }
}

extension LoginPresentation {
    /// Waits for the end of the presentation.
    package func ending() async -> Ending? {
        for await case .ended(let ending) in screens { return ending }
        // The stream of a cancelled task ends at once.
        while isOpen { await Task.yield() }
        guard case .ended(let ending) = screen else { return nil }
        return ending
    }
}
