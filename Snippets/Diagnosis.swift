// Explain why a user was signed out, and diagnose problems with the store and the server.
import Latchkey

let latchkey = try LatchkeyClient(server: "https://id.example.com", app: "com.example.shop")

// snippet.explain
let explanation = await latchkey.explain()
print(explanation.summary)  // "No user has been logged in since …: The identity server refused to refresh …"
for entry in explanation.entries { print(entry) }  // no secrets or personal data
// snippet.end

// snippet.diagnose
let diagnosis = await latchkey.diagnose()
print(diagnosis.storage.level, diagnosis.problems)  // the same as `latchkey doctor`
// snippet.end
