// Create an account with the traits of any identity schema.
import Latchkey

let latchkey = try LatchkeyClient(server: "https://id.example.com", app: "com.example.shop")
let password = "correct-Horse-7"  // entered by the user

// snippet.password
let created = try await latchkey.signUp.register(
    ["email": "user@example.org", "name": ["given": "User", "family": "Test"]],
    password: password,
    schema: "reader"  // omit it for the server's default schema
)
for step in created.verifications {
    print("Enter the code that was sent to \(step.address ?? "you").")
    try await step.verify("271501")
}
// snippet.end

// snippet.code
let sent = try await latchkey.signUp.sendCode(
    for: ["phone": "+439999999999", "region": "AT"],
    schema: "shopper"
)
let session = try await sent.verify("271501")
// snippet.end

print(session.identity.id)
