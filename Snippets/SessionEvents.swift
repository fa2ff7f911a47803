// Notice within seconds that the session was revoked on the server.
import Latchkey

// snippet.follow
var configuration = LatchkeyConfiguration(server: "https://id.example.com", app: "com.example.shop")
configuration.followsSessionEvents = true
let latchkey = try LatchkeyClient(configuration)
// snippet.end
print(latchkey.sessionState)
