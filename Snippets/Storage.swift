// Choose where to store the session, and find out where it is stored.
import Latchkey

// snippet.storage
let latchkey = try LatchkeyClient(
    server: "https://id.example.com",
    app: "com.example.shop",
    storage: .file  // default: the keyring if there is one, otherwise an encrypted file
)
let report = await latchkey.storage
print(report.level, report.reason)
// snippet.end

// snippet.persistence
try await latchkey.signIn(
    phone: "+439999999999",
    password: "000000",
    persistence: .process  // default: .device
)
// snippet.end

// snippet.slots
let work = try LatchkeyClient(
    server: "https://id.example.com",
    app: "com.example.shop",
    slot: .named("work")
)
// snippet.end
print(work.sessionState)
