// Send access tokens, which your API can verify without sending a request to the identity server.
import Latchkey

// snippet.tokens
var configuration = LatchkeyConfiguration(server: "https://id.example.com", app: "com.example.shop")
configuration.apiOrigins = ["https://api.example.com"]
configuration.credential = .accessToken  // signed, short-lived; refreshed in time, and once after a 401
let latchkey = try LatchkeyClient(configuration)
let (orders, answer) = try await latchkey.data(from: "https://api.example.com/orders")
// snippet.end

print(orders.count, answer.status)
