// Let users who have forgotten their password set a new one.
import Latchkey

let latchkey = try LatchkeyClient(server: "https://id.example.com", app: "com.example.shop")
let newPassword = "correct-Horse-7"  // entered by the user

// snippet.recovery
let sent = try await latchkey.recovery.sendCode(to: "user@example.org")
let recovered = try await sent.verify("271501")  // the user is logged in, all other sessions have ended
try await recovered.setPassword(newPassword)
// snippet.end
