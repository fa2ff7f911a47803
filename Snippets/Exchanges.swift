// Log every request and its response. Passwords, codes, tokens, phone numbers and addresses are redacted.
import Latchkey

// snippet.exchanges
var configuration = LatchkeyConfiguration(server: "https://id.example.com", app: "com.example.shop")
configuration.recorder = ExchangeRecorder { exchange in
    print(exchange.request.method.rawValue, exchange.request.path)
    print(String(decoding: exchange.request.body, as: UTF8.self))
}
let latchkey = try LatchkeyClient(configuration)
// snippet.end

try await latchkey.checkSession()
