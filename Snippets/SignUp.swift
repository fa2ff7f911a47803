// Make an account in steps that are values, and go on with a step after a restart.
import Latchkey

let latchkey = try LatchkeyClient(server: "https://id.example.com", app: "com.example.shop")
let passcode = "000000"  // what the person typed

// snippet.sign-up
let sent = try await latchkey.signUp.begin(phone: "+439999999999")  // SignUp.CodeSent
let verified = try await sent.verify("271501")  // SignUp.PhoneVerified; only this can finish
let session = try await verified.finish(password: passcode, name: .init(first: "User", last: "Test"))
// snippet.end

// snippet.resume
let flow = sent.flow  // keep it, and the step can be rebuilt
let resumed = latchkey.signUp.codeSent(flow: flow, phone: "+439999999999")
// snippet.end

try await resumed.resend()
print(session.identity.id)
