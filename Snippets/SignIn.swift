// Sign in, send a request to the app's own API, and sign out.
import Latchkey

let passcode = "000000"  // entered by the user

// snippet.sign-in
let latchkey = try LatchkeyClient(
    server: "https://id.example.com",
    app: "com.example.shop",
    apiOrigins: ["https://api.example.com"]  // the token is sent only there and to the identity server
)
try await latchkey.signIn(phone: "+439999999999", password: passcode)
let (me, _) = try await latchkey.data(from: "https://api.example.com/me")  // with the user's token
latchkey.signOut()  // synchronous, offline, final
// snippet.end

print(me.count)
