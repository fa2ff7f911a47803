// Observe the state of the session.
import Latchkey

let latchkey = try LatchkeyClient(server: "https://id.example.com", app: "com.example.shop")

// snippet.restored
if case .signedIn(let session) = await latchkey.restored() {
    print("Welcome back, \(session.identity.name?.first ?? "guest").")
}
// snippet.end

// snippet.states
for await state in latchkey.sessionStates {  // first the stored state, then every change
    switch state {
    case .signedIn(let session): print("Welcome, \(session.identity.name?.first ?? "guest").")
    case .signedOut: print("Please log in.")
    case .unavailable: print("One moment.")  // not a logout: the store cannot currently be read
    }
}
// snippet.end

// snippet.foreground
// Run this when the app enters the foreground. Only the server can end a session. Network errors don't.
let state = try await latchkey.checkSession()
// snippet.end

print(state.session == nil)
