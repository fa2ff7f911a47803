// Authorize requests that you send with your own network stack.
import Latchkey

struct Response {
    var status: Int
}

/// A placeholder for your own networking code, which can use URLSession, a WebSocket or any other client.
func send(_ url: String, headers: HTTP.Headers) async throws -> Response {
    print(url, headers.fields.map(\.name))
    return Response(status: 200)
}

let latchkey = try LatchkeyClient(
    server: "https://id.example.com",
    app: "com.example.shop",
    apiOrigins: ["https://api.example.com"]
)

// snippet.authorization
let url = "https://api.example.com/orders"
let authorization = try await latchkey.authorization(.post, for: url)  // refreshed first if necessary
let response = try await send(url, headers: authorization.headers)  // your own network stack
if latchkey.reportResponse(status: response.status, for: authorization) {
    // The token was rejected, so repeat the request once with a new authorization.
}
// snippet.end
