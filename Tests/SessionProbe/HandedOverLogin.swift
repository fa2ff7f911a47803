import Glibc
import Latchkey
import LatchkeyCore

/// A login in a store app that the test simulates: the URL to open is printed, and the answer arrives in a file.
///
/// If the file contains `dismiss`, the user dismisses the login.
@MainActor final class HandedOverLogin: Presenter, URLSchemeHandlers {
    private let client: LatchkeyClient
    private let file: String
    private var login: LoginPresentation?

    init(of client: LatchkeyClient, answeredIn file: String) {
        (self.client, self.file) = (client, file)
    }

    /// Requests the login, and waits for its result.
    func perform() async throws(LatchkeyError) {
        client.presenter = self
        client.appHandOff = { [self] in
            AppHandOff(
                to: "probe-store",
                named: "Store",
                returningTo: PrintedBrowser.redirectURI,
                through: self
            )
        }
        try await client.requestLogin()
    }

    func present(_ login: LoginPresentation) async {
        self.login = login
        for await screen in login.screens {
            switch screen {
            case .form, .failed: login.dismiss()
            case .ended: return
            case .loading, .duty, .browser, .otherApp: continue
            }
        }
    }

    nonisolated func isHandled(_ scheme: String) async -> Bool { true }

    nonisolated func open(_ url: String) async throws(LatchkeyError) {
        say("open \(url)")
        Task { @MainActor in
            while true {
                if let answer = PrintedBrowser.contents(of: file) {
                    if answer == "dismiss" { login?.dismiss() } else { client.handle(answer) }
                    return
                }
                guard (try? await Task.sleep(for: .milliseconds(10))) != nil else { return }
            }
        }
    }
}
