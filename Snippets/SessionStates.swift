// Follow who is logged in.
import Latchkey

let latchkey = try LatchkeyClient(server: "https://id.example.com", app: "com.example.shop")

// snippet.states
for await state in latchkey.sessionStates {  // first the truth on disk, then every change
    switch state {
    case .signedIn(let session): print("Welcome, \(session.identity.name?.first ?? "whoever you are").")
    case .signedOut: print("Please log in.")
    case .unavailable: print("One moment.")  // no logout: the store cannot be read now
    }
}
// snippet.end

// snippet.foreground
// When the app comes to the foreground: only the server's word ends a session, no trouble of the network does.
let state = try await latchkey.checkSession()
// snippet.end

print(state.session == nil)
