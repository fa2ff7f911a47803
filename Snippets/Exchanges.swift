// Log every request and its response. Passwords, codes, tokens, phone numbers and addresses are redacted.
import Latchkey

// snippet.exchanges
let latchkey = try LatchkeyClient(server: "https://id.example.com", app: "com.example.shop") { exchange in
    print(exchange.request.method.rawValue, exchange.request.path)
    print(String(decoding: exchange.request.body, as: UTF8.self))
}
// snippet.end

try await latchkey.checkSession()
