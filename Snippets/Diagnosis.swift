// Find out why somebody was logged out, and whether the server can be worked with.
import Latchkey

let latchkey = try LatchkeyClient(server: "https://id.example.com", app: "com.example.shop")

// snippet.explain
let explanation = await latchkey.explain()
print(explanation.summary)  // "Nobody is logged in since …: The identity server refused to renew …"
for entry in explanation.entries { print(entry) }  // nothing secret, nothing personal
// snippet.end

// snippet.diagnose
let diagnosis = await latchkey.diagnose()
print(diagnosis.storage.rung, diagnosis.problems)  // the same as `latchkey doctor`
// snippet.end
