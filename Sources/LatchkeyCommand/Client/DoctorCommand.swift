import Latchkey
import LatchkeyWire

/// The command that diagnoses this device's session and its connection to the server.
struct DoctorCommand: Subcommand {
    let syntax = Syntax(
        name: "doctor",
        summary: "examine where the session is kept and whether the server can be worked with",
        details: [
            "Looks at the storage, the session, the device's certificate, the server and the clocks, and says why somebody was logged out. It changes nothing.",
            "Ends with 1 when something is wrong.",
        ],
        options: ClientOptions.all,
        examples: [
            ("doctor", "Examine this device and the server on this machine"),
            ("doctor --server https://id.example.com --json", "Another server, for a script"),
        ]
    )

    func run(_ arguments: Arguments, _ console: Console) async throws(CommandFailure) {
        let client = try ClientOptions.client(arguments, console)
        let diagnosis = await client.diagnose()
        let explanation = await client.explain()
        if arguments.has("json") {
            console.write(DiagnosisText.json(diagnosis, explanation))
        } else {
            for line in DiagnosisText.lines(diagnosis, explanation) { console.write(line) }
        }
        guard diagnosis.problems.isEmpty else {
            throw CommandFailure(.failed, diagnosis.problems.joined(separator: "\n"))
        }
    }
}
