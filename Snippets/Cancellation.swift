// Do not show the errors of cancelled calls.
import Foundation
import Latchkey

let latchkey = try LatchkeyClient(server: "https://id.example.com", app: "com.example.shop")

// snippet.ignore
do {
    try await latchkey.checkSession()
} catch {
    // A call is cancelled when the user leaves the screen, which needs no alert.
    if !error.isCancellation { print(error.localizedDescription) }
}
// snippet.end

// snippet.translate
try await LatchkeyError.throwingCancellation { () async throws(LatchkeyError) in
    try await latchkey.checkSession()
}
// snippet.end
