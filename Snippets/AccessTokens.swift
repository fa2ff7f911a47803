// Send access tokens, which your API can verify without sending a request to the identity server.
import Latchkey

// snippet.tokens
let latchkey = try LatchkeyClient(
    server: "https://id.example.com",
    app: "com.example.shop",
    apiOrigins: ["https://api.example.com"],
    credential: .accessToken  // signed, short-lived; refreshed before it expires, and once after a 401
)
let (orders, answer) = try await latchkey.data(from: "https://api.example.com/orders")
// snippet.end

print(orders.count, answer.status)
