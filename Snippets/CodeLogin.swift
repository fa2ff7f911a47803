// Log in with a code, even if the user does not have an account yet.
import Latchkey

let latchkey = try LatchkeyClient(server: "https://id.example.com", app: "com.example.shop")

// snippet.sign-in
let sent = try await latchkey.codeSignIn.sendCode(to: "user@example.org")  // or a phone number
let session = try await sent.verify("271501")
// snippet.end

// snippet.resume
let token = sent.token  // `Codable`; store it to resume this step later
let resumed = latchkey.codeSignIn.resume(token)
try await resumed.resend()
// snippet.end

// snippet.new-users
let step = try await latchkey.codeSignIn.sendCode(to: "+439999999999", orSignUpWith: ["region": "AT"])

func submit(_ code: String, to step: CodeStep<UserSession>) async throws {
    do {
        try await step.verify(code)
    } catch {
        guard error.code == .anotherCodeSent else { throw error }
        print(error.message)  // ask for the second code, and submit it to the same step
    }
}
// snippet.end

try await submit("271501", to: step)
print(session.identity.id)
