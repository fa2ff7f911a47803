// Create an account in steps, and resume a step after the app restarts.
import Latchkey

let latchkey = try LatchkeyClient(server: "https://id.example.com", app: "com.example.shop")
let passcode = "000000"  // entered by the user

// snippet.sign-up
let sent = try await latchkey.signUp.begin(phone: "+439999999999")  // CodeStep<SignUp.PhoneVerified>
let verified = try await sent.verify("271501")  // SignUp.PhoneVerified, the only step that can finish
let session = try await verified.finish(password: passcode, name: .init(first: "User", last: "Test"))
// snippet.end

// snippet.resume
let token = sent.token  // `Codable`; store it to resume this step later
let resumed = latchkey.signUp.resume(token)
// snippet.end

try await resumed.resend()
print(session.identity.id)
