// Notify objects of session changes. Observers are held weakly.
import Latchkey

// snippet.observer
@MainActor final class Badge: SessionObserver {
    private(set) var text = ""

    func sessionDidChange(to state: SessionState) {  // first the current state, then every change once
        text = state.session?.identity.name?.first ?? "Guest"
    }
}
// snippet.end

let latchkey = try LatchkeyClient(server: "https://id.example.com", app: "com.example.shop")
let badge = Badge()
latchkey.addObserver(badge)
print(badge.text)
latchkey.removeObserver(badge)
