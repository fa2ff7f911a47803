import Latchkey
import LatchkeyWire

/// The command that diagnoses this device's session and its connection to the server.
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

    /// Prints the diagnosis, whether or not there are problems.
    ///
    /// - Throws: ``CommandFailure`` of the kind `failed` with one line for each problem if there are any, and
    ///   the errors of ``ClientOptions/makeClient(from:console:)``.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let client = try ClientOptions.makeClient(from: arguments, console: console)
        let diagnosis = await client.diagnose()
        let explanation = await client.explain()
        if arguments.has("json") {
            console.write(DiagnosisText.json(for: diagnosis, explanation: explanation))
        } else {
            for line in DiagnosisText.lines(for: diagnosis, explanation: explanation) { console.write(line) }
        }
        guard diagnosis.problems.isEmpty else {
            throw CommandFailure(.failed, message: diagnosis.problems.joined(separator: "\n"))
        }
    }
}
