// Log in, ask the app's own API as that person, log out.
import Latchkey

let passcode = "000000"  // what the person typed

// snippet.sign-in
let latchkey = try LatchkeyClient(
    server: "https://id.example.com",
    app: "com.example.shop",
    apiOrigins: ["https://api.example.com"]  // where the token may go, besides the identity server
)
try await latchkey.signIn(phone: "+439999999999", password: passcode)
let (me, _) = try await latchkey.data(from: "https://api.example.com/me")  // with the person's token
latchkey.signOut()  // synchronous, offline, final
// snippet.end

print(me.count)
