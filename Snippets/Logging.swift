// Forward the client's log events to your logging system.
import Latchkey

// snippet.logger
struct ConsoleLogger: LatchkeyLogger {
    func log(_ event: LogEvent) {
        if event.level >= .info { print(event) }
    }
}

var configuration = LatchkeyConfiguration(server: "https://id.example.com", app: "com.example.shop")
configuration.apiOrigins = ["https://api.example.com"]
configuration.logger = ConsoleLogger()
let latchkey = try LatchkeyClient(configuration)
// snippet.end

try await latchkey.checkSession()
