package import Latchkey
package import LatchkeyTestKit

/// A presenter that simulates a user who logs in with a phone number and a code, or who dismisses the login.
@MainActor package final class Shopper: Presenter {
    /// The number of logins that were presented.
    package private(set) var presentations = 0

    /// How each presentation has ended.
    package private(set) var endings: [LoginPresentation.Ending] = []

    private let server: TestServer
    private let phone: String
    private let dismisses: Bool
    private let before: @MainActor (LoginPresentation) async -> Void

    /// Creates a user.
    ///
    /// - Parameters:
    ///   - server: The server that sends the user's codes.
    ///   - phone: The phone number.
    ///   - dismisses: Whether the user dismisses every login.
    ///   - before: Called after a login has been presented and before the user reacts to it.
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
                await login.submit(FlowSubmission(method: "code", ["code": .string(code)]))
            case .form(let flow):
                let name = flow.kind == .registration ? "traits.phone" : "identifier"
                await login.submit(FlowSubmission(method: "code", [name: .string(phone)]))
            case .failed(let error):
                // The server limits how often it sends a code to the same number.
                if error.code == .tooManyRequests { server.time.advance(by: .seconds(31)) }
                await login.retry()
            case .ended(let ending): note(ending)
            case .loading, .duty, .browser, .otherApp: continue
            }
        }
    }

    private func note(_ ending: LoginPresentation.Ending?) {
        if let ending { endings.append(ending) }
    }
}

extension LoginPresentation {
    /// Waits until the presentation ends.
    package func ending() async -> Ending? {
        for await case .ended(let ending) in screens { return ending }
        // In a cancelled task, the stream ends immediately.
        while isOpen { await Task.yield() }
        guard case .ended(let ending) = screen else { return nil }
        return ending
    }
}
