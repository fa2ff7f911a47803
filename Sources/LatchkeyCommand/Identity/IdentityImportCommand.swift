import LatchkeyServerCore
import LatchkeyWire

/// The operator's command that imports identities from another system.
struct IdentityImportCommand: Subcommand {
    /// The number of lines that are sent concurrently; concurrent writes share a commit.
    private static let width = 32

    let syntax = Syntax(
        name: "identity import",
        summary: "create an identity from each line of a file",
        details: [
            OperatorOptions.detail,
            "Each line is a JSON object as accepted by POST /admin/identities: schema_id, traits and, where available, credentials.password.config.hashed_password (Argon2id, Argon2i, bcrypt, scrypt, PBKDF2), verifiable_addresses, metadata_public, metadata_admin, external_id and state. Rejected lines are reported with line number and reason; all others are imported. A second run rejects identities that exist already.",
        ],
        operands: ["FILE"],
        options: OperatorOptions.all,
        takesSettings: true,
        examples: [
            ("identity import people.jsonl", "From a file"),
            ("identity import - < people.jsonl", "From standard input"),
        ]
    )

    func run(_ arguments: Arguments, _ console: Console) async throws(CommandFailure) {
        let lines = try LineFile(arguments.operands[0])
        let report = try await OperatorDesk.open(arguments, console) { desk in
            var report = ImportReport()
            while true {
                let batch = try await lines.next(Self.width)
                guard !batch.isEmpty else { break }
                for refusal in try await take(batch, desk, &report) {
                    console.showProgress("")
                    console.remark("line \(refusal.line): \(refusal.reason)")
                }
                console.showProgress("\(report.made) imported, \(report.refused) rejected")
            }
            console.showProgress("")
            return report
        }
        let summary = JSONValue.object([
            "imported": .integer(Int64(report.made)), "refused": .integer(Int64(report.refused)),
        ])
        OperatorText.write(summary, arguments, console) { _ in
            "\(report.made) imported, \(report.refused) rejected"
        }
        guard report.refused == 0 else {
            throw CommandFailure(.refused, "some lines were rejected; see the line numbers above")
        }
    }

    /// Sends lines concurrently; returns those that were refused, in their order.
    private func take(
        _ lines: [LineFile.Line],
        _ desk: OperatorDesk,
        _ report: inout ImportReport
    ) async throws -> [ImportReport.Refusal] {
        let refusals = try await withThrowingTaskGroup(of: ImportReport.Refusal?.self) { group in
            for line in lines {
                group.addTask {
                    let response = try await desk.answer(
                        .post,
                        AdminRoute.identities,
                        body: Array(line.text.utf8)
                    )
                    switch response.status {
                    case 201: return nil
                    // The server cannot process requests at all, so the following lines would fail, too.
                    case 401, 500...: throw CommandFailure(refusal: response)
                    default:
                        let reason = CommandFailure(refusal: response).message
                        return ImportReport.Refusal(
                            line: line.number,
                            reason: reason.split(separator: "\n").joined(separator: "; ")
                        )
                    }
                }
            }
            var refusals: [ImportReport.Refusal] = []
            for try await refusal in group {
                if let refusal { refusals.append(refusal) }
            }
            return refusals
        }
        report.made += lines.count - refusals.count
        report.refused += refusals.count
        return refusals.sorted { $0.line < $1.line }
    }
}

/// The result of an import so far.
private struct ImportReport: Sendable {
    /// A line that was refused.
    struct Refusal: Sendable {
        let line: Int
        let reason: String
    }

    var made = 0
    var refused = 0
}
