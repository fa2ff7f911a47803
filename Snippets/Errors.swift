// Show the user a helpful message when a call fails.
import Latchkey

let latchkey = try LatchkeyClient(server: "https://id.example.com", app: "com.example.shop")

// snippet.errors
let login = Task {
    do throws(LatchkeyError) {  // in a closure, the compiler infers `any Error` without the type
        try await latchkey.signIn(phone: "+439999999999", password: "111111")
    } catch {
        switch error.code {
        case .invalidCredentials: print("The number or the passcode is wrong.")
        case .tooManyRequests: print("Too many attempts: \(error.retry)")
        case .unreachable, .timedOut:
            print("No connection. You are still logged in: \(error.isStillSignedIn)")
        default: print(error.fields.map(\.message), error)
        }
    }
}
// snippet.end
await login.value
