// Present a login on a terminal when an operation needs one.
#if canImport(LatchkeyLinux)
import Latchkey
import LatchkeyLinux
import LatchkeyTerminal

let latchkey = try LatchkeyClient(server: "https://id.example.com", app: "com.example.shop")

// snippet.presenter
guard let terminal = SystemTerminal() else { fatalError("Run this program on a terminal.") }
let presenter = TerminalPresenter(terminal: terminal)
latchkey.presenter = presenter
// snippet.end

let session = try await latchkey.requestLogin()
print("Welcome, \(session.identity.name?.first ?? "guest").")
#endif
