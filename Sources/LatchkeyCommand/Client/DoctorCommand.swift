import Latchkey
import LatchkeyModel
import LatchkeyWire

/// Diagnoses the session on this device and the connection to the server.
struct DoctorCommand: Subcommand {
    let syntax = Syntax(
        name: "doctor",
        summary: "check the session storage and the connection to the server",
        details: [
            "Checks the storage, the session, the device's certificate, the server and the clocks, and reports why a session ended. Does not change anything.",
            "Exits with 1 if it finds a problem.",
        ],
        options: ClientOptions.all,
        examples: [
            ("doctor", "Check this device and the server on this machine"),
            ("doctor --server https://id.example.com --json", "Check another server, in a script"),
        ]
    )

    /// Prints the diagnosis, even if there are problems.
    ///
    /// - Throws: ``CommandFailure`` with the code `failed` and one line per problem if there are any
    ///   problems, or any error thrown by ``ClientOptions/makeClient(from:console:)``.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let client = try ClientOptions.makeClient(from: arguments, console: console)
        let diagnosis = await client.diagnose()
        let explanation = await client.explain()
        if arguments.has("json") {
            console.write(json: DiagnosisText.json(for: diagnosis, explanation: explanation))
        } else {
            console.write(lines: DiagnosisText.lines(for: diagnosis, explanation: explanation))
        }
        guard diagnosis.problems.isEmpty else {
            let problems = diagnosis.problems.map(\.displayable).joined(separator: "\n")
            throw CommandFailure(.failed, message: problems)
        }
    }
}
