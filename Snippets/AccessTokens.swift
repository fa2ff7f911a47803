// Send access tokens that your API checks by itself.
import Latchkey

// snippet.tokens
let latchkey = try LatchkeyClient(
    server: "https://id.example.com",
    app: "com.example.shop",
    apiOrigins: ["https://api.example.com"],
    credential: .accessToken  // signed, good for minutes; renewed ahead of its end, and once after a 401
)
let (orders, answer) = try await latchkey.data(from: "https://api.example.com/orders")
// snippet.end

print(orders.count, answer.status)
