// Show the user a helpful message when a call fails.
import Latchkey

let latchkey = try LatchkeyClient(server: "https://id.example.com", app: "com.example.shop")

// snippet.errors
do {
    try await latchkey.signIn(phone: "+439999999999", password: "111111")
} catch {  // a LatchkeyError: the throws are typed
    switch error.code {
    case .invalidCredentials: print("The number or the passcode is wrong.")
    case .tooManyRequests: print("Too many attempts: \(error.retry)")
    case .unreachable, .timedOut: print("No connection. You are still logged in: \(error.sessionHolds)")
    default: print(error.fields.map(\.message), error)
    }
}
// snippet.end
