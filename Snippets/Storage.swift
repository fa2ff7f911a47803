// Choose where to store the session, and find out where it is stored.
import Latchkey

// snippet.storage
var configuration = LatchkeyConfiguration(server: "https://id.example.com", app: "com.example.shop")
configuration.storage = .file  // default: the keyring if there is one, otherwise an encrypted file
let latchkey = try LatchkeyClient(configuration)
let report = await latchkey.storage
print(report.level, report.reason)
// snippet.end

// snippet.persistence
try await latchkey.signIn(
    phone: "+439999999999",
    password: "000000",
    persistence: .memory  // default: .device
)
// snippet.end

// snippet.slots
configuration.slot = .named("work")
let work = try LatchkeyClient(configuration)
// snippet.end
print(work.sessionState)
