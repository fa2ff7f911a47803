// Find out within seconds that the server has revoked the session.
import Latchkey

// snippet.follow
var configuration = LatchkeyConfiguration(server: "https://id.example.com", app: "com.example.shop")
configuration.followsSessionEvents = true
let latchkey = try LatchkeyClient(configuration)
// snippet.end
print(latchkey.sessionState)
