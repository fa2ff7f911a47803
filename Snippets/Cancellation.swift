// Avoid showing errors for cancelled calls.
import Foundation
import Latchkey

let latchkey = try LatchkeyClient(server: "https://id.example.com", app: "com.example.shop")

// snippet.ignore
do throws(LatchkeyError) {
    try await latchkey.checkSession()
} catch {
    // The call is cancelled when the user leaves the screen, so there is no need to show an alert.
    if !error.isCancellation { print(error.localizedDescription) }
}
// snippet.end

// snippet.translate
try await LatchkeyError.throwingCancellation { () async throws(LatchkeyError) in
    try await latchkey.checkSession()
}
// snippet.end
