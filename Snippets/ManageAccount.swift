// Show and change the account of the logged-in user.
import Foundation
import Latchkey

let latchkey = try LatchkeyClient(server: "https://id.example.com", app: "com.example.shop")
let currentPassword = "correct-Horse-7"  // entered by the user
let newPassword = "another-Horse-8"

// snippet.profile
struct Reader: Codable {
    var email: String
    var birthday: String?
}

let identity = try await latchkey.account.identity()
let reader = try identity.traits.decoded(as: Reader.self)
print(reader.email, identity.addresses.filter(\.isVerified).map(\.value))
// snippet.end

// snippet.change
let change = try await latchkey.account.update { traits in
    traits["birthday"] = "1999-12-31"
    traits["phone"] = "+439999999999"
}
for step in change.verifications { try await step.verify("271501") }
// snippet.end

// snippet.verify
let sent = try await latchkey.verification.sendCode(to: "user@example.org")
try await sent.verify("271501")
// snippet.end

// snippet.password
func changePassword(of account: Account, from old: String, to new: String) async throws {
    do {
        try await account.changePassword(to: new)
    } catch {
        guard error.code == .reauthenticationRequired else { throw error }
        try await account.reauthenticate(password: old)
        try await account.changePassword(to: new)
    }
}
// snippet.end

try await changePassword(of: latchkey.account, from: currentPassword, to: newPassword)

// snippet.reauthenticate
let challenge = try await latchkey.account.sendReauthenticationCode()
try await challenge.verify("271501")
// snippet.end

// snippet.sessions
for session in try await latchkey.account.otherSessions() {
    print(session.userAgent ?? "An unknown device", session.networkAddress ?? "")
    try await latchkey.account.revokeSession(session.id)
}
try await latchkey.account.signOutEverywhere()
// snippet.end

// snippet.data
let document = try await latchkey.account.export()  // the data that the server stores, as JSON
try document.write(to: URL(filePath: "account.json"))

let erased = try await latchkey.account.delete()
print("Your account will be erased on \(erased). Until then, log in to keep it.")
// snippet.end
