// Choose where the session is stored, and read where it is.
import Latchkey

// snippet.storage
let latchkey = try LatchkeyClient(
    server: "https://id.example.com",
    app: "com.example.shop",
    storage: .encryptedFile  // by default: the keyring if there is one, else an encrypted file
)
let report = await latchkey.storage
print(report.level, report.reason)
// snippet.end
