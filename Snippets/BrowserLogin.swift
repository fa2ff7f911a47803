// Log in with the pages of an OpenID provider in the user's browser.
#if canImport(LatchkeyLinux)
import Latchkey
import LatchkeyLinux

// snippet.loopback
var configuration = LatchkeyConfiguration(server: "https://id.example.com", app: "com.example.shop")
// The client is registered with http://127.0.0.1/callback and http://[::1]/callback.
configuration.client = ClientRegistration(id: "shop-app")
let latchkey = try LatchkeyClient(configuration)
let browser = LoopbackBrowser { page throws(LatchkeyError) in
    try await DesktopBrowser().open(page)
}
let session = try await latchkey.signIn(in: browser)
// snippet.end

// snippet.terminal
guard let terminal = SystemTerminal() else { fatalError("Run this program on a terminal.") }
let terminalBrowser = LoopbackBrowser { page throws(LatchkeyError) in
    do throws(LatchkeyError) {
        try await DesktopBrowser().open(page)
    } catch {
        guard error.code == .noPresenter else { throw error }
        TerminalBrowser(terminal).open(page)  // over SSH, also shows the command that forwards the port
    }
}
// snippet.end

// snippet.options
let options = AuthorizationOptions(scopes: ["profile"], prompt: .selectAccount)
try await latchkey.signIn(in: terminalBrowser, options: options)
// snippet.end

print("Welcome, \(session.identity.name?.first ?? "guest").")
#endif
